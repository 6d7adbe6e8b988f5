// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace rentune::hf {

/// A regular file mapped read-only, so that files larger than memory can be read. The spans of bytes() live
/// as long as the object. Another process must not shorten the file meanwhile.
class MappedFile
{
public:
    /// Errors: file.missing, file.read.
    static Result<MappedFile> open(const std::filesystem::path &path);

    MappedFile(MappedFile &&other) noexcept;
    MappedFile &operator=(MappedFile &&other) noexcept;
    ~MappedFile();

    std::span<const std::byte> bytes() const { return m_bytes; }

private:
    explicit MappedFile(std::span<const std::byte> bytes) : m_bytes(bytes) {}

    std::span<const std::byte> m_bytes;
};

} // namespace rentune::hf
