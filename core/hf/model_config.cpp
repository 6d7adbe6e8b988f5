// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/model_config.h"

#include "core/base/text.h"
#include "core/hf/json_fields.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <fmt/ranges.h>

namespace rentune::hf {
namespace {

/// Where a family says which layers look back over a window only.
enum class Windows
{
    None,
    Always,  ///< sliding_window holds in every layer
    ByLayer, ///< use_sliding_window turns it on from layer max_window_layers on, or where layer_types says
};

/// What a family's configuration class of transformers 5 assumes for keys that config.json leaves out.
struct Family
{
    std::string_view architecture;
    std::string_view modelType;
    int64_t maxPositions;
    std::optional<int64_t> kvHeads; ///< nullopt: as many as heads
    std::optional<int64_t> headDim; ///< nullopt: hiddenSize / heads
    std::optional<int64_t> eosToken;
    Windows windows;
    bool qkNorm;
};

constexpr std::array families{
    Family{"LlamaForCausalLM", "llama", 2048, {}, {}, 2, Windows::None, false},
    Family{"Qwen2ForCausalLM", "qwen2", 32768, 32, {}, {}, Windows::ByLayer, false},
    Family{"Qwen3ForCausalLM", "qwen3", 32768, 32, 128, {}, Windows::ByLayer, true},
    Family{"MistralForCausalLM", "mistral", 131072, 8, {}, 2, Windows::Always, false},
};

// Limits far above any real model; with them no parameter count overflows 64 bits:
// layers · 7 · width² < 2^14 · 2^3 · 2^44.
constexpr IntegerRange widths{1, int64_t{1} << 22};
constexpr IntegerRange counts{1, 1 << 14};
constexpr IntegerRange headDims{1, 1 << 16};
constexpr IntegerRange vocabularies{1, int64_t{1} << 28};
constexpr IntegerRange positions{1, int64_t{1} << 40};
constexpr IntegerRange tokenIds{0, vocabularies.high};

std::vector<std::string> supported(std::string_view Family::*name)
{
    std::vector<std::string> names;
    for (const Family &family : families)
        names.emplace_back(family.*name);
    return names;
}

void failUnsupported(JsonFields &fields, std::string_view what, const std::string &name,
                     const std::vector<std::string> &names)
{
    const auto near = nearest(name, names);
    fields.fail(ErrorCode::ModelUnsupported,
                fmt::format("{} {} is not supported{}; supported are {}", what, name,
                            near ? ", the nearest is " + *near : "", fmt::join(names, ", ")));
}

/// The family that architectures and model_type agree on; nullptr after a failure.
const Family *findFamily(JsonFields &fields)
{
    const std::vector<std::string> architectures = fields.texts("architectures");
    const std::string modelType = fields.text("model_type", "");
    if (!fields.result())
        return nullptr;
    if (architectures.empty() && modelType.empty()) {
        fields.fail("names no architecture: \"architectures\" and \"model_type\" are missing");
        return nullptr;
    }
    const auto byArchitecture = [&](const Family &f) { return f.architecture == architectures.front(); };
    const auto byType = [&](const Family &f) { return f.modelType == modelType; };
    const auto family = architectures.empty()
                            ? std::find_if(families.begin(), families.end(), byType)
                            : std::find_if(families.begin(), families.end(), byArchitecture);
    if (family == families.end()) {
        if (architectures.empty())
            failUnsupported(fields, "model type", modelType, supported(&Family::modelType));
        else
            failUnsupported(fields, "architecture", architectures.front(), supported(&Family::architecture));
        return nullptr;
    }
    if (!modelType.empty() && !byType(*family)) {
        failUnsupported(fields, std::string(family->architecture) + " with model type", modelType,
                        {std::string(family->modelType)});
        return nullptr;
    }
    return &*family;
}

void readShape(JsonFields &fields, const Family &family, ModelConfig &config)
{
    config.hiddenSize = fields.integer("hidden_size", widths);
    config.intermediateSize = fields.integer("intermediate_size", widths);
    config.layers = fields.integer("num_hidden_layers", counts);
    config.heads = fields.integer("num_attention_heads", counts);
    config.vocabSize = fields.integer("vocab_size", vocabularies);
    config.kvHeads = fields.integer("num_key_value_heads", counts, family.kvHeads.value_or(config.heads));
    config.maxPositions = fields.integer("max_position_embeddings", positions, family.maxPositions);
    config.rmsNormEps = fields.positiveNumber("rms_norm_eps", 1e-6);
    // An explicit null means one key head per query head, unlike an absent key.
    if (fields.isNull("num_key_value_heads"))
        config.kvHeads = config.heads;
    if (config.heads % config.kvHeads != 0)
        fields.fail(fmt::format("{} attention heads are not a multiple of {} key and value heads",
                                config.heads, config.kvHeads));

    config.headDim = fields.integer("head_dim", headDims, family.headDim.value_or(0));
    if (config.headDim == 0) {
        if (config.hiddenSize % config.heads != 0)
            fields.fail(fmt::format("hidden size {} is not a multiple of {} attention heads",
                                    config.hiddenSize, config.heads));
        config.headDim = std::max<int64_t>(1, config.hiddenSize / config.heads);
    }
    if (config.headDim % 2 != 0)
        fields.fail(fmt::format("head dimension {} is odd; rotary embeddings need pairs", config.headDim));
    if (config.heads * config.headDim > widths.high)
        fields.fail(fmt::format("{} heads of dimension {} are wider than {}", config.heads, config.headDim,
                                widths.high));
}

void readBiases(JsonFields &fields, const Family &family, ModelConfig &config)
{
    const bool attentionBias = family.modelType != "mistral" && fields.flag("attention_bias", false);
    const bool mlpBias = fields.flag("mlp_bias", false);
    const bool qwen2 = family.modelType == "qwen2"; // q, k and v always, whatever the key says
    config.qkvBias = qwen2 || attentionBias;
    config.attentionOutBias = !qwen2 && attentionBias;
    config.mlpBias = family.modelType == "llama" && mlpBias;
    config.qkNorm = family.qkNorm;
    config.tieWordEmbeddings = fields.flag("tie_word_embeddings", false);
}

/// The layers of layer_types that have a window; without the list, those from max_window_layers on.
std::vector<bool> windowedLayers(JsonFields &fields, const ModelConfig &config)
{
    const int64_t first = fields.integer("max_window_layers", {0, positions.high}, 28);
    const std::vector<std::string> kinds = fields.texts("layer_types");
    if (!kinds.empty() && static_cast<int64_t>(kinds.size()) != config.layers)
        fields.fail(fmt::format("layer_types names {} layers of {}", kinds.size(), config.layers));
    std::vector<bool> windowed;
    for (int64_t i = 0; i < config.layers && fields.result(); ++i) {
        const std::string kind = kinds.empty() ? (i < first ? "full_attention" : "sliding_attention")
                                               : kinds[static_cast<size_t>(i)];
        if (kind != "full_attention" && kind != "sliding_attention")
            failUnsupported(fields, "layer type", kind, {"full_attention", "sliding_attention"});
        windowed.push_back(kind == "sliding_attention");
    }
    return windowed;
}

void readWindows(JsonFields &fields, const Family &family, ModelConfig &config)
{
    if (family.windows == Windows::None || fields.isNull("sliding_window"))
        return;
    if (family.windows == Windows::ByLayer && !fields.flag("use_sliding_window", false))
        return;
    const int64_t window = fields.integer("sliding_window", positions, 4096);
    const std::vector<bool> windowed = family.windows == Windows::Always
                                           ? std::vector<bool>(static_cast<size_t>(config.layers), true)
                                           : windowedLayers(fields, config);
    if (std::find(windowed.begin(), windowed.end(), true) == windowed.end())
        return;
    for (const bool on : windowed)
        config.windows.push_back(on ? window : 0);
}

void refuseQuantized(JsonFields &fields)
{
    const Json *quantization = fields.find("quantization_config");
    if (!quantization)
        return;
    std::string method = "unknown method";
    if (quantization->is_object() && quantization->contains("quant_method") &&
        quantization->at("quant_method").is_string())
        method = quantization->at("quant_method").get<std::string>();
    fields.fail(ErrorCode::ModelUnsupported,
                fmt::format("the weights are already quantised ({}); use the 16-bit base model", method));
}

void readDtype(JsonFields &fields, ModelConfig &config)
{
    std::string dtype = fields.text("dtype", fields.text("torch_dtype", ""));
    if (dtype.starts_with("torch."))
        dtype.erase(0, std::string_view("torch.").size());
    const std::vector<std::string> known{"float32", "bfloat16", "float16"};
    if (!dtype.empty() && dtype != "auto" && std::find(known.begin(), known.end(), dtype) == known.end())
        failUnsupported(fields, "dtype", dtype, known);
    config.dtype = dtype == "auto" ? "" : dtype;
}

void readEosTokens(JsonFields &fields, const Family &family, ModelConfig &config)
{
    config.eosTokenIds = fields.integers("eos_token_id", tokenIds);
    if (family.eosToken && !fields.find("eos_token_id") && !fields.isNull("eos_token_id"))
        config.eosTokenIds = {*family.eosToken};
}

} // namespace

Result<ModelConfig> parseModelConfig(const Json &json, const std::string &file)
{
    JsonFields fields(json, file, ErrorCode::ModelConfig);
    ModelConfig config;
    const Family *family = findFamily(fields);
    if (!family)
        return fields.result().error();
    config.architecture = family->architecture;
    config.modelType = family->modelType;
    refuseQuantized(fields);
    readShape(fields, *family, config);
    readBiases(fields, *family, config);
    config.rope = readRope(fields, file, config.headDim, config.maxPositions);
    readWindows(fields, *family, config);
    readDtype(fields, config);
    readEosTokens(fields, *family, config);
    const std::string activation = fields.text("hidden_act", "silu");
    if (activation != "silu")
        failUnsupported(fields, "activation", activation, {"silu"});
    RENTUNE_CHECK(fields.result());
    config.raw = json;
    return config;
}

Result<ModelConfig> readModelConfig(const std::filesystem::path &folder)
{
    const std::filesystem::path path = folder / "config.json";
    RENTUNE_TRY(const Json json, readJson(path, 16 * MiB));
    return parseModelConfig(json, path.string());
}

} // namespace rentune::hf
