// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

namespace rentune::test {

inline constexpr int64_t tinyVocabulary = 256;

/// Writes a Llama-family model of random fp32 weights, the same bytes each time: 2 layers, 64 wide, tied
/// head. It has no tokenizer: train it on rows of token ids.
void writeTinyModel(const std::filesystem::path &folder);

/// Writes JSON lines {"input_ids": […]} of 20 to 60 random tokens for the tiny model, the same each time.
void writeTinyRows(const std::filesystem::path &file, int rows);

} // namespace rentune::test
