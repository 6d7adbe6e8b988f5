// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/base/units.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rentune {

/// A file being written, in order. Destroying it without close() abandons what was not yet synced.
class WritableFile
{
public:
    virtual ~WritableFile() = default;
    virtual Result<void> append(std::span<const std::byte> bytes) = 0;
    virtual Result<void> sync() = 0;   ///< fsync: on return the bytes survive a power cut
    virtual Result<void> close() = 0;
};

/// The file system as the product writes to it: the seam where tests inject ENOSPC, EIO and power cuts.
/// Errors: disk.full for ENOSPC and EDQUOT, else disk.write, with the path. Thread-safe if the files differ.
class FileOps
{
public:
    virtual ~FileOps() = default;
    virtual Result<std::unique_ptr<WritableFile>> create(const std::filesystem::path &path) = 0;     ///< truncates
    virtual Result<std::unique_ptr<WritableFile>> openAppend(const std::filesystem::path &path) = 0; ///< creates
    virtual Result<void> rename(const std::filesystem::path &from, const std::filesystem::path &to) = 0;
    virtual Result<void> syncFolder(const std::filesystem::path &folder) = 0;
    virtual Result<void> createFolders(const std::filesystem::path &folder) = 0;
    virtual Result<void> removeAll(const std::filesystem::path &path) = 0;
    virtual Result<Bytes> freeSpace(const std::filesystem::path &folder) = 0;
};

/// The real one (POSIX calls). Stateless, thread-safe.
FileOps &systemFileOps();

/// Replaces `path` so that a reader sees the old or the new bytes, never a part, even after a power cut:
/// write `path`.tmp, fsync, rename, fsync of the folder.
Result<void> atomicReplace(FileOps &ops, const std::filesystem::path &path, std::string_view bytes);

/// Reads a whole file of at most `limit` bytes. Errors: file.missing, file.read, file.too_large.
Result<std::string> readFile(const std::filesystem::path &path, Bytes limit = GiB);

} // namespace rentune
