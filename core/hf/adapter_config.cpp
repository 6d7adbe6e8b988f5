// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/adapter_config.h"

#include "core/hf/json_fields.h"

#include <algorithm>
#include <fmt/core.h>
#include <optional>
#include <set>
#include <utility>

namespace rentune::hf {
namespace {

constexpr IntegerRange ranks{1, 1 << 20};
constexpr IntegerRange layerIndices{0, 1 << 20};
constexpr IntegerRange virtualTokenCounts{1, 1 << 20};

/// Keys that parseLoraConfig reads, and those that only describe: where it came from, how it was started.
const std::set<std::string> understoodKeys{
    "peft_type",
    "task_type",
    "base_model_name_or_path",
    "revision",
    "inference_mode",
    "auto_mapping",
    "peft_version",
    "r",
    "lora_alpha",
    "lora_dropout",
    "target_modules",
    "exclude_modules",
    "rank_pattern",
    "alpha_pattern",
    "use_rslora",
    "use_dora",
    "bias",
    "modules_to_save",
    "fan_in_fan_out",
    "layers_to_transform",
    "layers_pattern",
    "init_lora_weights",
};

const std::set<std::string> understoodIa3Keys{
    "peft_type",       "task_type",      "base_model_name_or_path", "revision",        "auto_mapping",
    "inference_mode",  "peft_version",   "target_modules",          "exclude_modules", "feedforward_modules",
    "modules_to_save", "fan_in_fan_out", "init_ia3_weights",
};

constexpr std::pair<VirtualTokenKind, const char *> virtualTokenTypes[] = {
    {VirtualTokenKind::Prompt, "PROMPT_TUNING"},
    {VirtualTokenKind::Ptuning, "P_TUNING"},
    {VirtualTokenKind::Prefix, "PREFIX_TUNING"}};

const std::set<std::string> understoodVirtualTokenKeys{
    "peft_type",
    "task_type",
    "base_model_name_or_path",
    "revision",
    "auto_mapping",
    "inference_mode",
    "peft_version",
    "modules_to_save",
    "num_virtual_tokens",
    "token_dim",
    "num_transformer_submodules",
    "num_attention_heads",
    "num_layers",
    "prefix_projection",
    "encoder_hidden_size",
    "init_weights",
    "prompt_tuning_init",
    "prompt_tuning_init_text",
    "tokenizer_name_or_path",
    "tokenizer_kwargs",
    "encoder_reparameterization_type",
    "encoder_num_layers",
    "encoder_dropout",
};

/// Keys of PEFT that, when set, make the adapter more than W + scale·B·A: taking it for plain LoRA would
/// compute something else.
constexpr const char *meaningChangingKeys[] = {
    "use_qalora",        "lora_bias",         "trainable_token_indices",
    "target_parameters", "layer_replication", "arrow_config",
    "kasa_config",       "velora_config",     "monteclora_config",
    "use_bdlora",        "megatron_config",   "alora_invocation_tokens",
};

/// Starting points that also change the base weights (the adapter belongs to other weights than the model's).
constexpr const char *baseChangingStarts[] = {"pissa", "olora", "corda", "loftq", "lora_ga"};

bool isNeutral(const Json &value)
{
    return value.is_null() || value == false || ((value.is_array() || value.is_object()) && value.empty());
}

template <typename T>
Pattern<T> readPattern(JsonFields &fields, std::string_view key, bool whole)
{
    const Json *object = fields.find(key);
    if (!object)
        return {};
    if (!object->is_object()) {
        fields.fail(fmt::format("\"{}\" must be an object of numbers", key));
        return {};
    }
    Pattern<T> pattern;
    for (const auto &[name, value] : object->items()) {
        const bool good =
            value.is_number() && (!whole || value.is_number_integer()) && value > 0 && value <= ranks.high;
        if (good)
            pattern.emplace_back(name, value.template get<T>());
        else
            fields.fail(fmt::format("\"{}\": \"{}\" must be a {} above 0", key, name,
                                    whole ? "whole number" : "number"));
    }
    return pattern;
}

void readTargets(JsonFields &fields, TargetSelection &config)
{
    const Json *targets = fields.find("target_modules");
    if (!targets)
        fields.fail("\"target_modules\" is missing: name the modules, or \"all-linear\"");
    else if (targets->is_string())
        config.targetPattern = targets->get<std::string>();
    else
        config.targets = fields.texts("target_modules");

    const Json *excluded = fields.find("exclude_modules");
    if (excluded && excluded->is_string())
        config.excludedPattern = excluded->get<std::string>();
    else
        config.excluded = fields.texts("exclude_modules");
    config.modulesToSave = fields.texts("modules_to_save");
    config.layers = fields.integers("layers_to_transform", layerIndices);
    config.layersPattern = fields.texts("layers_pattern");
    if (!config.targetPattern.empty() &&
        (fields.find("layers_to_transform") || fields.find("layers_pattern")))
        fields.fail("\"layers_to_transform\" and \"layers_pattern\" need \"target_modules\" to be a list");
}

void refuseOtherMethods(JsonFields &fields)
{
    for (const char *key : meaningChangingKeys) {
        const Json *value = fields.find(key);
        if (value && !isNeutral(*value))
            fields.fail(fmt::format("\"{}\" is set, which this version does not support", key));
    }
    const Json *start = fields.find("init_lora_weights");
    for (const char *name : baseChangingStarts) {
        if (start && start->is_string() && start->get<std::string>().starts_with(name))
            fields.fail(
                fmt::format("\"init_lora_weights\" is \"{}\", which changes the base weights and is not "
                            "supported; convert the adapter to plain LoRA",
                            start->get<std::string>()));
    }
}

Json patternJson(const auto &pattern)
{
    Json object = Json::object();
    for (const auto &[key, value] : pattern)
        object[key] = value;
    return object;
}

Json listOrNull(const auto &list)
{
    return list.empty() ? Json(nullptr) : Json(list);
}

/// PEFT declares lora_alpha as an integer; a whole alpha is written as one.
Json wholeIfPossible(double value)
{
    const auto whole = static_cast<int64_t>(value);
    return static_cast<double>(whole) == value ? Json(whole) : Json(value);
}

void noteIgnored(const Json &json, const std::set<std::string> &understood, AdapterOrigin &origin)
{
    for (const auto &[key, value] : json.items()) {
        if (!understood.contains(key))
            origin.ignoredKeys.push_back(key);
    }
}

Result<Ia3Config> parseIa3Config(const Json &json, const std::string &file)
{
    JsonFields fields(json, file, ErrorCode::AdapterConfig);
    Ia3Config config;
    readTargets(fields, config);
    const Json *feedforward = fields.find("feedforward_modules");
    if (!feedforward)
        fields.fail("\"feedforward_modules\" is missing: name the targets that scale their input, or []");
    else if (feedforward->is_string())
        config.feedforwardPattern = feedforward->get<std::string>();
    else
        config.feedforward = fields.texts("feedforward_modules");
    config.baseModel = fields.text("base_model_name_or_path", "");
    RENTUNE_CHECK(fields.result());
    noteIgnored(json, understoodIa3Keys, config);
    return config;
}

std::optional<VirtualTokenKind> kindOf(const std::string &type)
{
    for (const auto &[kind, name] : virtualTokenTypes)
        if (type == name)
            return kind;
    return std::nullopt;
}

Result<VirtualTokenConfig> parseVirtualTokens(const Json &json, const std::string &file,
                                              VirtualTokenKind kind)
{
    JsonFields fields(json, file, ErrorCode::AdapterConfig);
    VirtualTokenConfig config;
    config.kind = kind;
    config.count = fields.integer("num_virtual_tokens", virtualTokenCounts);
    if (kind == VirtualTokenKind::Ptuning) {
        config.encoderHidden = fields.integer("encoder_hidden_size", virtualTokenCounts);
        if (const std::string type = fields.text("encoder_reparameterization_type", "MLP"); type != "MLP")
            fields.fail(
                fmt::format("\"encoder_reparameterization_type\" is {}; only MLP is supported", type));
    }
    config.baseModel = fields.text("base_model_name_or_path", "");
    RENTUNE_CHECK(fields.result());
    noteIgnored(json, understoodVirtualTokenKeys, config);
    return config;
}

Json originJson(const char *type, const AdapterOrigin &origin)
{
    return {{"peft_type", type},
            {"task_type", "CAUSAL_LM"},
            {"base_model_name_or_path", origin.baseModel.empty() ? Json(nullptr) : Json(origin.baseModel)},
            {"inference_mode", true}};
}

void addTargets(Json &json, const TargetSelection &config)
{
    json["target_modules"] = config.targetPattern.empty() ? Json(config.targets) : Json(config.targetPattern);
    json["exclude_modules"] =
        config.excludedPattern.empty() ? listOrNull(config.excluded) : Json(config.excludedPattern);
    json["modules_to_save"] = listOrNull(config.modulesToSave);
    json["fan_in_fan_out"] = false;
}

Json ia3Json(const Ia3Config &config)
{
    Json json = originJson("IA3", config);
    addTargets(json, config);
    json["feedforward_modules"] =
        config.feedforwardPattern.empty() ? Json(config.feedforward) : Json(config.feedforwardPattern);
    json["init_ia3_weights"] = true;
    return json;
}

/// PEFT keeps the dimensions of what it stores in the file. A prefix is made of keys and values: its heads
/// are those of the keys.
Json virtualTokensJson(const VirtualTokenConfig &config, const ModelConfig &model)
{
    const bool prefix = config.kind == VirtualTokenKind::Prefix;
    const auto name =
        std::ranges::find(virtualTokenTypes, config.kind, &std::pair<VirtualTokenKind, const char *>::first);
    Json json = originJson(name->second, config);
    json["num_virtual_tokens"] = config.count;
    json["num_transformer_submodules"] = 1;
    json["num_layers"] = model.layers;
    json["num_attention_heads"] = prefix ? model.kvHeads : model.heads;
    json["token_dim"] = prefix ? model.kvHeads * model.headDim : model.hiddenSize;
    json["modules_to_save"] = nullptr;
    if (prefix) {
        json["prefix_projection"] = false;
        json["encoder_hidden_size"] = model.kvHeads * model.headDim;
    } else if (config.kind == VirtualTokenKind::Prompt) {
        json["prompt_tuning_init"] = "RANDOM";
    } else {
        json["encoder_reparameterization_type"] = "MLP";
        json["encoder_hidden_size"] = config.encoderHidden;
        json["encoder_num_layers"] = 2;
        json["encoder_dropout"] = 0.0;
    }
    return json;
}

Json loraJson(const LoraConfig &config)
{
    Json json = originJson("LORA", config);
    addTargets(json, config);
    json["r"] = config.rank;
    json["lora_alpha"] = wholeIfPossible(config.alpha);
    json["lora_dropout"] = config.dropout;
    json["rank_pattern"] = patternJson(config.rankPattern);
    json["alpha_pattern"] = patternJson(config.alphaPattern);
    json["use_rslora"] = config.rslora;
    json["use_dora"] = config.dora;
    json["bias"] = config.bias;
    json["layers_to_transform"] = listOrNull(config.layers);
    json["layers_pattern"] = listOrNull(config.layersPattern);
    json["init_lora_weights"] = true;
    return json;
}

} // namespace

Result<LoraConfig> parseLoraConfig(const Json &json, const std::string &file)
{
    JsonFields fields(json, file, ErrorCode::AdapterConfig);
    LoraConfig config;
    const std::string type = fields.text("peft_type", "");
    if (type != "LORA")
        fields.fail(type.empty() ? "\"peft_type\" is missing: not an adapter configuration of PEFT"
                                 : fmt::format("adapter type {} is not supported; LORA, IA3, PROMPT_TUNING, "
                                               "P_TUNING and PREFIX_TUNING are",
                                               type));
    config.rank = fields.integer("r", ranks, config.rank);
    config.alpha = fields.positiveNumber("lora_alpha", config.alpha);
    config.dropout = fields.number("lora_dropout", 0);
    if (config.dropout < 0 || config.dropout >= 1)
        fields.fail(fmt::format("\"lora_dropout\" must be from 0 to below 1, is {}", config.dropout));
    readTargets(fields, config);
    config.rankPattern = readPattern<int64_t>(fields, "rank_pattern", true);
    config.alphaPattern = readPattern<double>(fields, "alpha_pattern", false);
    config.rslora = fields.flag("use_rslora", false);
    config.dora = fields.flag("use_dora", false);
    config.bias = fields.text("bias", "none");
    if (config.bias != "none" && config.bias != "all" && config.bias != "lora_only")
        fields.fail(fmt::format("\"bias\" must be none, all or lora_only, is {}", config.bias));
    config.baseModel = fields.text("base_model_name_or_path", "");
    refuseOtherMethods(fields);
    RENTUNE_CHECK(fields.result());
    noteIgnored(json, understoodKeys, config);
    return config;
}

Result<AdapterConfig> parseAdapterConfig(const Json &json, const std::string &file)
{
    const std::string type = JsonFields(json, file, ErrorCode::AdapterConfig).text("peft_type", "");
    if (type == "IA3") {
        RENTUNE_TRY(Ia3Config config, parseIa3Config(json, file));
        return AdapterConfig(std::move(config));
    }
    if (const auto kind = kindOf(type)) {
        RENTUNE_TRY(VirtualTokenConfig config, parseVirtualTokens(json, file, *kind));
        return AdapterConfig(std::move(config));
    }
    RENTUNE_TRY(LoraConfig config, parseLoraConfig(json, file));
    return AdapterConfig(std::move(config));
}

Result<AdapterConfig> readAdapterConfig(const std::filesystem::path &folder)
{
    const std::filesystem::path path = folder / "adapter_config.json";
    RENTUNE_TRY(const Json json, readJson(path, 16 * MiB));
    return parseAdapterConfig(json, path.string());
}

AdapterOrigin &originOf(AdapterConfig &config)
{
    return std::visit([](auto &held) -> AdapterOrigin & { return held; }, config);
}

Json adapterConfigJson(const AdapterConfig &config, const ModelConfig &model)
{
    if (const auto *lora = std::get_if<LoraConfig>(&config))
        return loraJson(*lora);
    if (const auto *ia3 = std::get_if<Ia3Config>(&config))
        return ia3Json(*ia3);
    return virtualTokensJson(std::get<VirtualTokenConfig>(config), model);
}

} // namespace rentune::hf
