// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/file_ops.h"
#include "core/base/result.h"

#include <filesystem>

namespace rentune::hf {

/// Writes a Hugging Face folder (config.json, model.safetensors in bf16, tokenizer.json,
/// tokenizer_config.json with the chat template, generation_config.json) from a GGUF file of architecture
/// llama, qwen2 or qwen3 with tensors of type F32, F16, BF16, Q8_0, Q4_0 or Q4_1. The row permutation of q
/// and k of the llama architecture is undone. Every count and offset of the file is checked before memory is
/// taken. Errors: gguf.format (broken file), gguf.unsupported (architecture, tensor type or pre-tokenizer, by
/// name), disk.*.
Result<void> importGguf(FileOps &ops, const std::filesystem::path &gguf, const std::filesystem::path &folder);

} // namespace rentune::hf
