// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/faulty_file_ops.h"

#include <ranges>

namespace rentune::test {
namespace fs = std::filesystem;

class FaultyFile : public WritableFile
{
public:
    FaultyFile(FaultyFileOps &ops, std::unique_ptr<WritableFile> file, fs::path path, Bytes size)
        : m_ops(ops), m_file(std::move(file)), m_path(std::move(path)), m_size(size)
    {
        m_ops.m_synced[m_path] = size;
    }

    Result<void> append(std::span<const std::byte> bytes) override
    {
        RENTUNE_CHECK(m_ops.count(m_path, true));
        m_size += static_cast<Bytes>(bytes.size());
        return m_file->append(bytes);
    }
    Result<void> sync() override
    {
        RENTUNE_CHECK(m_ops.count(m_path, false));
        m_ops.m_synced[m_path] = m_size;
        return m_file->sync();
    }
    Result<void> close() override
    {
        RENTUNE_CHECK(m_ops.count(m_path, false));
        return m_file->close();
    }

private:
    FaultyFileOps &m_ops;
    std::unique_ptr<WritableFile> m_file;
    fs::path m_path;
    Bytes m_size;
};

FaultyFileOps::FaultyFileOps(int failAt, Fault fault) : m_failAt(failAt), m_fault(fault) {}

Result<void> FaultyFileOps::count(const fs::path &path, bool needsSpace)
{
    if (m_calls++ < m_failAt)
        return {};
    if (m_fault == Fault::Stop)
        return Error{ErrorCode::DiskWrite, "the disk is gone", path.string()};
    return needsSpace ? Result<void>(Error{ErrorCode::DiskFull, "no space left", path.string()})
                      : Result<void>();
}

void FaultyFileOps::powerCut()
{
    for (const Rename &rename : m_renames | std::views::reverse) {
        if (!fs::exists(rename.to))
            continue;
        fs::rename(rename.to, rename.from);
        m_synced[rename.from] = m_synced[rename.to];
        m_synced.erase(rename.to);
    }
    m_renames.clear();
    for (const auto &[path, bytes] : m_synced)
        if (fs::exists(path))
            fs::resize_file(path, static_cast<uintmax_t>(bytes));
}

Result<std::unique_ptr<WritableFile>> FaultyFileOps::create(const fs::path &path)
{
    RENTUNE_CHECK(count(path, true));
    RENTUNE_TRY(auto file, systemFileOps().create(path));
    return std::unique_ptr<WritableFile>(std::make_unique<FaultyFile>(*this, std::move(file), path, 0));
}

Result<std::unique_ptr<WritableFile>> FaultyFileOps::openAppend(const fs::path &path)
{
    RENTUNE_CHECK(count(path, true));
    RENTUNE_TRY(auto file, systemFileOps().openAppend(path));
    const Bytes size = static_cast<Bytes>(fs::file_size(path));
    return std::unique_ptr<WritableFile>(std::make_unique<FaultyFile>(*this, std::move(file), path, size));
}

Result<void> FaultyFileOps::rename(const fs::path &from, const fs::path &to)
{
    RENTUNE_CHECK(count(to, false));
    m_renames.push_back({from, to});
    m_synced[to] = m_synced[from];
    m_synced.erase(from);
    return systemFileOps().rename(from, to);
}

Result<void> FaultyFileOps::syncFolder(const fs::path &folder)
{
    RENTUNE_CHECK(count(folder, false));
    std::erase_if(m_renames, [&](const Rename &rename) { return rename.to.parent_path() == folder; });
    return systemFileOps().syncFolder(folder);
}

Result<void> FaultyFileOps::createFolders(const fs::path &folder)
{
    RENTUNE_CHECK(count(folder, true));
    return systemFileOps().createFolders(folder);
}

Result<void> FaultyFileOps::removeAll(const fs::path &path)
{
    RENTUNE_CHECK(count(path, false));
    return systemFileOps().removeAll(path);
}

Result<Bytes> FaultyFileOps::freeSpace(const fs::path &)
{
    return free;
}

} // namespace rentune::test
