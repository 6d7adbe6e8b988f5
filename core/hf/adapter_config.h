// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/hf/model_config.h"

#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rentune::hf {

/// Key and value in the file's order: of several keys that match a module, the first counts.
template <typename T>
using Pattern = std::vector<std::pair<std::string, T>>;

/// What every adapter_config.json says of where it came from. Keys this version does not know are ignored and
/// listed.
struct AdapterOrigin
{
    std::string baseModel; ///< base_model_name_or_path
    std::vector<std::string> ignoredKeys;
};

/// Which modules get an adapter: what PEFT's methods on modules have in common.
struct TargetSelection : AdapterOrigin
{
    std::vector<std::string> targets;       ///< target_modules as a list
    std::string targetPattern;              ///< target_modules as a string: "all-linear" or a regex
    std::vector<std::string> modulesToSave; ///< never get an adapter
    std::vector<std::string> excluded;      ///< exclude_modules as a list
    std::string excludedPattern;            ///< exclude_modules as a string: a regex
    std::vector<int64_t> layers;            ///< layers_to_transform; empty: all
    std::vector<std::string> layersPattern; ///< names of the list the indices count in, "layers"
};

/// peft_type LORA, PEFT's names and defaults.
struct LoraConfig : TargetSelection
{
    int64_t rank = 8;   ///< r
    double alpha = 8;   ///< lora_alpha
    double dropout = 0; ///< lora_dropout
    Pattern<int64_t> rankPattern;
    Pattern<double> alphaPattern;
    bool rslora = false;
    bool dora = false;
    std::string bias = "none";
};

/// peft_type IA3.
struct Ia3Config : TargetSelection
{
    std::vector<std::string> feedforward; ///< feedforward_modules as a list: these scale their input
    std::string feedforwardPattern;       ///< feedforward_modules as a string: a regex over the whole path
};

/// PEFT's methods that put trained rows before every sequence.
enum class VirtualTokenKind
{
    Prompt,  ///< PROMPT_TUNING: rows before the embeddings
    Ptuning, ///< P_TUNING: the same, made by a perceptron while training
    Prefix   ///< PREFIX_TUNING: keys and values of every layer
};

/// peft_type PROMPT_TUNING, P_TUNING or PREFIX_TUNING.
struct VirtualTokenConfig : AdapterOrigin
{
    VirtualTokenKind kind = VirtualTokenKind::Prompt;
    int64_t count = 20;          ///< num_virtual_tokens
    int64_t encoderHidden = 128; ///< encoder_hidden_size; P-tuning only
};

using AdapterConfig = std::variant<LoraConfig, Ia3Config, VirtualTokenConfig>;

/// Errors: adapter.config (wrong types, a peft_type or a setting this version does not know).
Result<AdapterConfig> parseAdapterConfig(const Json &json, const std::string &file);
Result<AdapterConfig> readAdapterConfig(const std::filesystem::path &folder); ///< DIR/adapter_config.json
/// What the real PEFT loads. The model gives the dimensions that PEFT's virtual tokens are stored with.
Json adapterConfigJson(const AdapterConfig &config, const ModelConfig &model);
AdapterOrigin &originOf(AdapterConfig &config);

/// The part of parseAdapterConfig for peft_type LORA.
Result<LoraConfig> parseLoraConfig(const Json &json, const std::string &file);

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

/// A linear module that IA³ scales: its output, or as a feedforward module its input.
struct Ia3Target
{
    std::string module;
    bool feedforward = false;
};

struct Ia3Targets
{
    std::vector<Ia3Target> modules; ///< in the model's order
    std::vector<std::string> unmatched;
};

/// The matching of resolveLoraTargets; a feedforward list matches by the end of the path, as PEFT's.
Result<Ia3Targets> resolveIa3Targets(const Ia3Config &config, const ModelConfig &model);

/// What PEFT's IA³ trains where nothing is said: two attention projections and down_proj, the last as
/// feedforward module.
Ia3Config defaultIa3(const ModelConfig &model);

/// Σ rank·(in + out) over the targets.
int64_t loraParameterCount(const LoraTargets &targets, const ModelConfig &model);

/// All that an adapter trains on the model, as PEFT counts it: DoRA's magnitude vectors and whole copies of
/// modules_to_save (matched by equality or ".name" suffix) included. Errors: those of resolving its targets.
Result<int64_t> adapterParameterCount(const AdapterConfig &config, const ModelConfig &model);

} // namespace rentune::hf
