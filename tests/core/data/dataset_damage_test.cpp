// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file_ops.h"
#include "core/data/dataset.h"
#include "tests/support/env.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

namespace rentune::data {
namespace {

/// Opens a file of these bytes; whatever comes of it must be consistent.
void expectConsistent(const std::filesystem::path &file, const std::string &bytes)
{
    std::ofstream(file, std::ios::binary) << bytes;
    const auto dataset = Dataset::open({file});
    if (!dataset.ok()) {
        EXPECT_FALSE(dataset.error().detail.empty());
        return;
    }
    int64_t fatal = 0;
    for (const Problem &problem : dataset->problems()) {
        EXPECT_GT(problem.line, 0);
        fatal += problem.fatal;
    }
    EXPECT_LE(dataset->size(), dataset->totalRows());
    EXPECT_GE(dataset->size() + fatal, dataset->totalRows());
    for (int64_t i = 0; i < dataset->size(); ++i)
        EXPECT_FALSE(dataset->row(i).conversation.messages.empty() && dataset->row(i).ids.empty() &&
                     dataset->row(i).text.empty());
}

TEST(DamagedData, neverCrashes)
{
    const test::TemporaryFolder folder;
    std::mt19937 random(5);
    const std::string spice = "{}[],:\"\\\n\r0x\x80\xff";
    for (const auto &entry : std::filesystem::directory_iterator(test::dataFolder() / "cases/data")) {
        const std::string good = *readFile(entry.path());
        for (int round = 0; round < 25; ++round) {
            std::string bytes = round % 4 == 0 ? good.substr(0, random() % (good.size() + 1)) : good;
            for (int k = 0; k < 4 && !bytes.empty(); ++k)
                bytes[random() % bytes.size()] = spice[random() % spice.size()];
            expectConsistent(folder.path() / "data", bytes);
        }
    }
}

TEST(DamagedData, randomBytesAreRefusedOrReported)
{
    const test::TemporaryFolder folder;
    std::mt19937 random(6);
    for (int round = 0; round < 300; ++round) {
        std::string bytes = round % 2 == 0 ? "{" : "[";
        for (int i = 0; i < 200; ++i)
            bytes += static_cast<char>(random());
        expectConsistent(folder.path() / "data", bytes);
    }
}

} // namespace
} // namespace rentune::data
