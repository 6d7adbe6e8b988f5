// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/file_ops.h"

#include <limits>
#include <map>
#include <vector>

namespace rentune::test {

/// The real file system with one fault: from call number `failAt` on (0-based, over all calls that change
/// something) everything fails. powerCut() then takes back what no sync made durable: bytes after a file's
/// last sync() and renames whose folder was not synced since. Not thread-safe.
class FaultyFileOps : public FileOps
{
public:
    enum class Fault
    {
        Stop, ///< the call and all later ones fail with disk.write
        Full  ///< disk.full on every call that needs space; others work
    };
    explicit FaultyFileOps(int failAt = std::numeric_limits<int>::max(), Fault fault = Fault::Stop);

    int calls() const { return m_calls; }
    Bytes free = std::numeric_limits<Bytes>::max() / 4; ///< what freeSpace() answers
    void powerCut();

    Result<std::unique_ptr<WritableFile>> create(const std::filesystem::path &path) override;
    Result<std::unique_ptr<WritableFile>> openAppend(const std::filesystem::path &path) override;
    Result<void> rename(const std::filesystem::path &from, const std::filesystem::path &to) override;
    Result<void> syncFolder(const std::filesystem::path &folder) override;
    Result<void> createFolders(const std::filesystem::path &folder) override;
    Result<void> removeAll(const std::filesystem::path &path) override;
    Result<Bytes> freeSpace(const std::filesystem::path &folder) override;

private:
    friend class FaultyFile;
    struct Rename
    {
        std::filesystem::path from;
        std::filesystem::path to;
    };

    Result<void> count(const std::filesystem::path &path, bool needsSpace);

    int m_failAt;
    Fault m_fault;
    int m_calls = 0;
    std::map<std::filesystem::path, Bytes> m_synced; ///< durable length of each file written here
    std::vector<Rename> m_renames;                   ///< not yet durable
};

} // namespace rentune::test
