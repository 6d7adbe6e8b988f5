// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file_ops.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace rentune {
namespace fs = std::filesystem;
namespace {

Error diskError(int error, std::string_view what, const fs::path &path)
{
    const bool full = error == ENOSPC || error == EDQUOT;
    std::string detail = std::string(what) + " failed: " + std::strerror(error);
    if (full)
        detail += "; free some space and start again, nothing that was saved before is lost";
    return Error{full ? ErrorCode::DiskFull : ErrorCode::DiskWrite, std::move(detail), path.string()};
}

class PosixFile : public WritableFile
{
public:
    PosixFile(int fd, fs::path path) : m_fd(fd), m_path(std::move(path)) {}
    ~PosixFile() override
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    PosixFile(const PosixFile &) = delete;
    PosixFile &operator=(const PosixFile &) = delete;

    Result<void> append(std::span<const std::byte> bytes) override
    {
        while (!bytes.empty()) {
            const ssize_t n = ::write(m_fd, bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                return diskError(errno, "writing", m_path);
            bytes = bytes.subspan(static_cast<size_t>(n));
        }
        return {};
    }

    Result<void> sync() override
    {
        return ::fsync(m_fd) == 0 ? Result<void>() : diskError(errno, "syncing", m_path);
    }

    Result<void> close() override
    {
        const int fd = std::exchange(m_fd, -1);
        return ::close(fd) == 0 ? Result<void>() : diskError(errno, "closing", m_path);
    }

private:
    int m_fd;
    fs::path m_path;
};

class PosixFileOps : public FileOps
{
public:
    Result<std::unique_ptr<WritableFile>> create(const fs::path &path) override { return open(path, O_TRUNC); }
    Result<std::unique_ptr<WritableFile>> openAppend(const fs::path &path) override { return open(path, O_APPEND); }

    Result<void> rename(const fs::path &from, const fs::path &to) override
    {
        return ::rename(from.c_str(), to.c_str()) == 0 ? Result<void>() : diskError(errno, "renaming", to);
    }

    Result<void> syncFolder(const fs::path &folder) override
    {
        const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            return diskError(errno, "opening", folder);
        const int status = ::fsync(fd);
        const int error = errno;
        ::close(fd);
        return status == 0 ? Result<void>() : diskError(error, "syncing", folder);
    }

    Result<void> createFolders(const fs::path &folder) override
    {
        std::error_code error;
        fs::create_directories(folder, error);
        return error ? Result<void>(diskError(error.value(), "creating", folder)) : Result<void>();
    }

    Result<void> removeAll(const fs::path &path) override
    {
        std::error_code error;
        fs::remove_all(path, error);
        return error ? Result<void>(diskError(error.value(), "removing", path)) : Result<void>();
    }

    Result<Bytes> freeSpace(const fs::path &folder) override
    {
        struct statvfs info;
        if (::statvfs(folder.c_str(), &info) != 0)
            return diskError(errno, "asking for free space", folder);
        return static_cast<Bytes>(info.f_bavail) * static_cast<Bytes>(info.f_frsize);
    }

private:
    static Result<std::unique_ptr<WritableFile>> open(const fs::path &path, int flag)
    {
        const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flag, 0644);
        if (fd < 0)
            return diskError(errno, "opening", path);
        return std::unique_ptr<WritableFile>(std::make_unique<PosixFile>(fd, path));
    }
};

} // namespace

FileOps &systemFileOps()
{
    static PosixFileOps ops;
    return ops;
}

Result<void> atomicReplace(FileOps &ops, const fs::path &path, std::string_view bytes)
{
    const fs::path temporary = path.string() + ".tmp";
    RENTUNE_TRY(auto file, ops.create(temporary));
    RENTUNE_CHECK(file->append(std::as_bytes(std::span(bytes))));
    RENTUNE_CHECK(file->sync());
    RENTUNE_CHECK(file->close());
    RENTUNE_CHECK(ops.rename(temporary, path));
    return ops.syncFolder(path.parent_path());
}

Result<std::string> readFile(const fs::path &path, Bytes limit)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        const bool missing = errno == ENOENT || errno == ENOTDIR;
        return Error{missing ? ErrorCode::FileMissing : ErrorCode::FileRead,
                     missing ? "no such file" : std::string("cannot be opened: ") + std::strerror(errno), path.string()};
    }
    std::string bytes;
    char buffer[1 << 16];
    ssize_t n = 0;
    while ((n = ::read(fd, buffer, sizeof buffer)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || static_cast<Bytes>(bytes.size()) + n > limit)
            break;
        bytes.append(buffer, static_cast<size_t>(n));
    }
    const int error = errno;
    ::close(fd);
    if (n < 0)
        return Error{ErrorCode::FileRead, std::string("cannot be read: ") + std::strerror(error), path.string()};
    if (n > 0)
        return Error{ErrorCode::FileTooLarge, "is larger than the " + std::to_string(limit) + " bytes allowed here",
                     path.string()};
    return bytes;
}

} // namespace rentune
