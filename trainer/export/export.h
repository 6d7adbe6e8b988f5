// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/file_ops.h"
#include "core/base/json.h"
#include "core/hf/adapter_config.h"
#include "core/wire/job_spec.h"
#include "trainer/model/load_model.h"
#include "trainer/optim/adamw.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rentune::trainer {

/// Writes FOLDER/adapter_config.json and adapter_model.safetensors as PEFT loads them. Errors: disk.*.
Result<void> exportAdapter(FileOps &ops, const std::filesystem::path &folder, const hf::AdapterConfig &config,
                           const LoadedModel &model);

/// Writes a model folder in Hugging Face layout: config.json and the tokenizer's files as they lie in `base`,
/// and model.safetensors with the base's names and dtypes and the optimizer's most exact values; a tied head
/// is not written twice. Errors: disk.*, and those of reading `base`.
Result<void> exportModel(FileOps &ops, const std::filesystem::path &folder, const std::filesystem::path &base,
                         const LoadedModel &model, const AdamW &optimizer);

/// transformers' trainer_state.json.
Json trainerState(const Json &history, int64_t step, int64_t totalSteps, double epoch,
                  const wire::TrainingSpec &training);

/// Sizes and xxh3-128 hashes of files as an array of {name, bytes, xxh3_128}; a folder stands for the files
/// in it.
Result<Json> fileHashes(const std::vector<std::filesystem::path> &paths);

} // namespace rentune::trainer
