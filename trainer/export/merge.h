// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/file_ops.h"
#include "core/base/json.h"

#include <filesystem>

namespace rentune::trainer {

/// Writes DIR `output`: the base's files (names, dtypes and shards as they are, a tied head once) with the
/// adapter worked into its weights, one tensor in memory at a time: LoRA W + scale · B A, DoRA that with its
/// rows scaled to the magnitudes, IA³ rows (feedforward: columns) and biases times its vectors; sums in fp32,
/// rounded to the base's dtype, as PEFT's merge. Errors: usage.arguments (a method that has no weights to
/// merge, output = base), adapter.*, those of reading the model, disk.*.
Result<void> mergeAdapter(FileOps &ops, const std::filesystem::path &base,
                          const std::filesystem::path &adapter, const std::filesystem::path &output);

/// {max_abs, mean_abs, prompts, servable: {lora, reason}}: how far the logits (fp32) of the merged model are
/// from those of base and adapter on prompts of random tokens, and whether vLLM serves the adapter without
/// merging.
Result<Json> mergeReport(const std::filesystem::path &base, const std::filesystem::path &adapter,
                         const std::filesystem::path &merged);

} // namespace rentune::trainer
