// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/hf/model_config.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace rentune::hf {

/// Key and value in the file's order: of several keys that match a module, the first counts.
template <typename T>
using Pattern = std::vector<std::pair<std::string, T>>;

/// adapter_config.json of a LoRA adapter, PEFT's names and defaults. Keys this version does not know are
/// ignored and listed in `ignoredKeys`.
struct LoraConfig
{
    int64_t rank = 8;                 ///< r
    double alpha = 8;                 ///< lora_alpha
    double dropout = 0;               ///< lora_dropout
    std::vector<std::string> targets; ///< target_modules as a list
    std::string targetPattern;        ///< target_modules as a string: "all-linear" or a regex
    Pattern<int64_t> rankPattern;
    Pattern<double> alphaPattern;
    bool rslora = false;
    bool dora = false;
    std::string bias = "none";
    std::vector<std::string> modulesToSave; ///< never get an adapter
    std::vector<std::string> excluded;      ///< exclude_modules as a list
    std::string excludedPattern;            ///< exclude_modules as a string: a regex
    std::vector<int64_t> layers;            ///< layers_to_transform; empty: all
    std::vector<std::string> layersPattern; ///< names of the list the indices count in, "layers"
    std::string baseModel;                  ///< base_model_name_or_path
    std::vector<std::string> ignoredKeys;
};

/// Errors: adapter.config (wrong types, peft_type other than LORA for this reader).
Result<LoraConfig> parseLoraConfig(const Json &json, const std::string &file);
Result<LoraConfig> readLoraConfig(const std::filesystem::path &folder); ///< DIR/adapter_config.json
Json loraConfigJson(const LoraConfig &config);                          ///< what the real PEFT loads

/// A linear module that gets an adapter.
struct LoraTarget
{
    std::string module; ///< "model.layers.0.self_attn.q_proj"
    int64_t rank = 0;
    double alpha = 0;
    double scale = 0; ///< alpha / rank, or alpha / √rank with rslora
};

struct LoraTargets
{
    std::vector<LoraTarget> modules;    ///< in the model's order
    std::vector<std::string> unmatched; ///< target or pattern keys that hit nothing: worth a warning
};

/// PEFT's matching: list entries by equality or ".name" suffix; a string as a regular expression over the
/// whole path; "all-linear" = linearModules(); patterns as `(.*\.)?KEY$`. Errors: adapter.config if no module
/// is hit.
Result<LoraTargets> resolveLoraTargets(const LoraConfig &config, const ModelConfig &model);

/// Σ rank·(in + out) over the targets.
int64_t loraParameterCount(const LoraTargets &targets, const ModelConfig &model);

/// All that an adapter trains: loraParameterCount, DoRA's magnitude vectors (one figure an output) and whole
/// copies of modules_to_save (matched by equality or ".name" suffix, as PEFT does).
int64_t adapterParameterCount(const LoraConfig &config, const LoraTargets &targets, const ModelConfig &model);

} // namespace rentune::hf
