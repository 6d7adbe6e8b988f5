// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file_ops.h"
#include "tests/support/env.h"

#include <gtest/gtest.h>

namespace rentune {

TEST(FileOps, AtomicReplaceWritesAndLeavesNoTemporary)
{
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "a.txt";
    ASSERT_TRUE(atomicReplace(systemFileOps(), path, "one").ok());
    ASSERT_TRUE(atomicReplace(systemFileOps(), path, "two").ok());
    EXPECT_EQ(*readFile(path), "two");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(FileOps, AFullDiskIsItsOwnErrorAndKeepsTheOldFile)
{
    auto file = systemFileOps().create("/dev/full");
    ASSERT_TRUE(file.ok());
    const char byte[] = "x";
    const auto written = (*file)->append(std::as_bytes(std::span(byte)));
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.error().code, ErrorCode::DiskFull);
    EXPECT_EQ(written.error().file, "/dev/full");
}

TEST(FileOps, ReadFileRespectsItsLimitAndNamesWhatIsMissing)
{
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "a";
    ASSERT_TRUE(atomicReplace(systemFileOps(), path, "12345").ok());
    EXPECT_TRUE(readFile(path, 5).ok());
    EXPECT_EQ(readFile(path, 4).error().code, ErrorCode::FileTooLarge);
    EXPECT_EQ(readFile(folder.path() / "b").error().code, ErrorCode::FileMissing);
    EXPECT_EQ(readFile(folder.path()).error().code, ErrorCode::FileRead);
}

} // namespace rentune
