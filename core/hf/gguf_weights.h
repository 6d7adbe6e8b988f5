// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/file_ops.h"
#include "core/hf/gguf_file.h"
#include "core/hf/model_config.h"

namespace rentune::hf {

/// float32 → bfloat16, round to nearest even, NaN stays NaN.
uint16_t toBf16(float value);
/// IEEE half → float32, exact.
float fromHalf(uint16_t half);

/// One row of a tensor as float32. `packed` holds `out.size()` values: a whole number of blocks.
void unpackRow(GgmlType type, std::span<const std::byte> packed, std::span<float> out);

/// Whether a config's tensor of this Hugging Face name has its rows interleaved in a llama GGUF: q and k,
/// whose halves of each head are stored pair by pair for another form of rotary embedding.
bool hasInterleavedRows(const ModelConfig &config, std::string_view name);

/// The row of the GGUF tensor that is row `row` of the Hugging Face tensor.
int64_t interleavedRow(int64_t row, int64_t headDim);

/// Writes every tensor of tensorList(config) as bf16. Errors: gguf.format (missing tensor, wrong shape),
/// gguf.unsupported (a tensor that config has no place for), disk.*.
Result<void> writeGgufWeights(FileOps &ops, const GgufFile &gguf, const ModelConfig &config,
                              const std::filesystem::path &path);

} // namespace rentune::hf
