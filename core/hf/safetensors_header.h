// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hf/safetensors.h"

namespace rentune::hf {

/// Longest JSON header the format allows.
inline constexpr uint64_t maxHeaderBytes = 100'000'000;

/// The header of a .safetensors file, checked against the size of the file.
struct SafetensorsHeader
{
    std::vector<TensorEntry> tensors; ///< in offset order
    std::map<std::string, std::string> metadata;
    size_t dataStart = 0; ///< offset of the data part in the file
};

/// `bytes` is the whole file; only the header is touched. Errors as SafetensorsFile::open.
Result<SafetensorsHeader> parseSafetensorsHeader(std::span<const std::byte> bytes, const std::string &file);

} // namespace rentune::hf
