// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/gguf.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/hf/gguf_file.h"
#include "core/hf/gguf_tokenizer.h"
#include "core/hf/gguf_weights.h"

#include <cstdlib>
#include <fmt/core.h>

namespace rentune::hf {
namespace {

/// The decimal that was meant: GGUF keeps 1e-05 as a float32, which is 9.999999747378752e-06.
double shortestDecimal(double value)
{
    return std::strtod(fmt::format("{}", static_cast<float>(value)).c_str(), nullptr);
}

/// Keys of one GGUF as the fields of config.json. The first problem sticks.
class ConfigBuilder
{
public:
    explicit ConfigBuilder(const GgufFile &gguf)
        : m_gguf(gguf), m_architecture(gguf.text("general.architecture").value_or("none"))
    {
    }

    Result<Json> build(const GgufSpecialTokens &special);

private:
    std::string key(std::string_view name) const { return fmt::format("{}.{}", m_architecture, name); }
    void copyInteger(const char *field, std::string_view name);
    void copyNumber(const char *field, std::string_view name);
    void addArchitecture();
    void addShape();
    void addBiases();
    void addTokens(const GgufSpecialTokens &special);
    void refuseVariants();
    void unsupported(std::string detail);

    const GgufFile &m_gguf;
    std::string m_architecture;
    Json m_json = Json::object();
    std::optional<Error> m_error;
};

void ConfigBuilder::unsupported(std::string detail)
{
    if (!m_error)
        m_error = Error{ErrorCode::GgufUnsupported, std::move(detail), m_gguf.path()};
}

void ConfigBuilder::copyInteger(const char *field, std::string_view name)
{
    if (const auto value = m_gguf.integer(key(name)))
        m_json[field] = *value;
    else if (m_gguf.has(key(name)))
        unsupported(fmt::format("{} differs from layer to layer", key(name)));
}

void ConfigBuilder::copyNumber(const char *field, std::string_view name)
{
    if (const auto value = m_gguf.number(key(name)))
        m_json[field] = shortestDecimal(*value);
}

void ConfigBuilder::addArchitecture()
{
    const std::map<std::string, const char *> known{
        {"llama", "LlamaForCausalLM"}, {"qwen2", "Qwen2ForCausalLM"}, {"qwen3", "Qwen3ForCausalLM"}};
    const auto it = known.find(m_architecture);
    if (it == known.end())
        return unsupported(
            fmt::format("architecture {} is not supported; llama, qwen2 and qwen3 are", m_architecture));
    m_json["architectures"] = Json::array({it->second});
    m_json["model_type"] = m_architecture;
}

void ConfigBuilder::addShape()
{
    m_json["hidden_act"] = "silu";
    copyInteger("hidden_size", "embedding_length");
    copyInteger("intermediate_size", "feed_forward_length");
    copyInteger("num_hidden_layers", "block_count");
    copyInteger("num_attention_heads", "attention.head_count");
    m_json["num_key_value_heads"] = nullptr; // as many as heads, unless the file says otherwise
    copyInteger("num_key_value_heads", "attention.head_count_kv");
    copyInteger("head_dim", "attention.key_length");
    copyInteger("max_position_embeddings", "context_length");
    copyNumber("rms_norm_eps", "attention.layer_norm_rms_epsilon");
    copyNumber("rope_theta", "rope.freq_base");
    if (const GgufTensor *embedding = m_gguf.find("token_embd.weight"))
        m_json["vocab_size"] = embedding->shape.front();
    m_json["tie_word_embeddings"] = m_gguf.find("output.weight") == nullptr;
    m_json["torch_dtype"] = "bfloat16";
}

void ConfigBuilder::addBiases()
{
    if (m_architecture != "llama")
        return;
    m_json["attention_bias"] = m_gguf.find("blk.0.attn_q.bias") != nullptr;
    m_json["mlp_bias"] = m_gguf.find("blk.0.ffn_gate.bias") != nullptr;
}

void ConfigBuilder::addTokens(const GgufSpecialTokens &special)
{
    const auto idOrNull = [](std::optional<int64_t> id) { return id ? Json(*id) : Json(nullptr); };
    m_json["bos_token_id"] = idOrNull(special.bos);
    m_json["pad_token_id"] = idOrNull(special.pad);
    m_json["eos_token_id"] = idOrNull(special.eos);
    if (special.eos && special.eot && *special.eos != *special.eot)
        m_json["eos_token_id"] = {*special.eos, *special.eot};
}

/// What these families may carry and this product would compute without.
void ConfigBuilder::refuseVariants()
{
    const std::string_view scaling = m_gguf.text(key("rope.scaling.type")).value_or("none");
    if (scaling != "none")
        unsupported(fmt::format("rope scaling {} is not supported", scaling));
    if (m_gguf.find("rope_freqs.weight"))
        unsupported("rope scaling by factors (rope_freqs.weight) is not supported");
    for (const char *name : {"expert_count", "attention.sliding_window"}) {
        if (m_gguf.integer(key(name)).value_or(0) != 0)
            unsupported(fmt::format("{} is not supported", key(name)));
    }
}

Result<Json> ConfigBuilder::build(const GgufSpecialTokens &special)
{
    addArchitecture();
    refuseVariants();
    addShape();
    addBiases();
    addTokens(special);
    if (m_error)
        return *m_error;
    return m_json;
}

Error asGgufError(Error error, const GgufFile &gguf)
{
    const bool unsupported = error.code == ErrorCode::ModelUnsupported;
    return Error{unsupported ? ErrorCode::GgufUnsupported : ErrorCode::GgufFormat,
                 "its metadata make no model: " + error.detail, gguf.path()};
}

Result<void> checkConsistency(const GgufFile &gguf, const ModelConfig &config)
{
    const auto rotary = gguf.integer(config.modelType + ".rope.dimension_count");
    if (rotary && *rotary != config.headDim)
        return Error{ErrorCode::GgufUnsupported,
                     fmt::format("rotary embeddings over {} of {} dimensions are not supported", *rotary,
                                 config.headDim),
                     gguf.path()};
    const auto tokens = static_cast<int64_t>(gguf.texts("tokenizer.ggml.tokens").size());
    if (tokens > config.vocabSize)
        return Error{ErrorCode::GgufFormat,
                     fmt::format("has {} tokens but an embedding of {} rows", tokens, config.vocabSize),
                     gguf.path()};
    const std::string_view chat = gguf.text("tokenizer.chat_template").value_or("");
    if (firstInvalidUtf8(chat) != std::string_view::npos)
        return Error{ErrorCode::GgufFormat, "the chat template is not UTF-8", gguf.path()};
    return {};
}

Json generationJson(const Json &config)
{
    Json json = Json::object();
    for (const char *key : {"bos_token_id", "eos_token_id", "pad_token_id"}) {
        if (!config.at(key).is_null())
            json[key] = config.at(key);
    }
    return json;
}

Result<void> writeJson(FileOps &ops, const std::filesystem::path &path, const Json &json)
{
    return atomicReplace(ops, path, json.dump(2) + "\n");
}

} // namespace

Result<void> importGguf(FileOps &ops, const std::filesystem::path &path, const std::filesystem::path &folder)
{
    RENTUNE_TRY(const GgufFile gguf, GgufFile::open(path));
    RENTUNE_TRY(const GgufSpecialTokens special, readSpecialTokens(gguf));
    RENTUNE_TRY(const Json configJson, ConfigBuilder(gguf).build(special));
    auto config = parseModelConfig(configJson, gguf.path());
    if (!config)
        return asGgufError(config.error(), gguf);
    RENTUNE_CHECK(checkConsistency(gguf, *config));
    RENTUNE_TRY(const Json tokenizer, tokenizerJson(gguf));

    RENTUNE_CHECK(ops.createFolders(folder));
    RENTUNE_CHECK(writeGgufWeights(ops, gguf, *config, folder / "model.safetensors"));
    RENTUNE_CHECK(writeJson(ops, folder / "tokenizer.json", tokenizer));
    RENTUNE_CHECK(writeJson(ops, folder / "tokenizer_config.json", tokenizerConfigJson(gguf, special)));
    RENTUNE_CHECK(writeJson(ops, folder / "generation_config.json", generationJson(configJson)));
    // Last, for a folder without it is no model: an import that was cut off is not taken for a whole one.
    return writeJson(ops, folder / "config.json", configJson);
}

} // namespace rentune::hf
