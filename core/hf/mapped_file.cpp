// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rentune::hf {
namespace {

Error readError(int error, const std::filesystem::path &path)
{
    if (error == ENOENT || error == ENOTDIR)
        return Error{ErrorCode::FileMissing, "no such file", path.string()};
    return Error{ErrorCode::FileRead, std::string("cannot be read: ") + std::strerror(error), path.string()};
}

} // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path &path)
{
    // Without O_NONBLOCK a named pipe would wait for a writer for ever.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return readError(errno, path);
    struct stat info = {};
    void *address = nullptr;
    int error = ::fstat(fd, &info) == 0 ? 0 : errno;
    if (error == 0 && !S_ISREG(info.st_mode))
        error = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
    const auto size = static_cast<size_t>(info.st_size);
    if (error == 0 && size > 0) { // an empty mapping is an error to mmap
        address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
        error = address == MAP_FAILED ? errno : 0;
    }
    ::close(fd);
    if (error != 0)
        return readError(error, path);
    return MappedFile({static_cast<const std::byte *>(address), size});
}

MappedFile::MappedFile(MappedFile &&other) noexcept : m_bytes(std::exchange(other.m_bytes, {})) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept
{
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

MappedFile::~MappedFile()
{
    if (!m_bytes.empty())
        ::munmap(const_cast<std::byte *>(m_bytes.data()), m_bytes.size());
}

} // namespace rentune::hf
