// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/model_config.h"
#include "tests/support/env.h"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace rentune::hf {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Json caseJson(const std::string &name)
{
    return *readJson(test::dataFolder() / "cases" / name);
}

Json smallLlama()
{
    return caseJson("adapter/base_config.json");
}

ModelConfig parsed(const Json &json)
{
    auto config = parseModelConfig(json, "config.json");
    EXPECT_TRUE(config.ok()) << config.error().toString();
    return std::move(config).value();
}

Error refusal(const Json &json)
{
    const auto config = parseModelConfig(json, "config.json");
    EXPECT_FALSE(config.ok());
    return config.ok() ? Error{} : config.error();
}

std::vector<int64_t> shapeOf(const ModelConfig &config, const std::string &name)
{
    const std::vector<TensorSpec> list = tensorList(config);
    const auto it =
        std::find_if(list.begin(), list.end(), [&](const auto &spec) { return spec.name == name; });
    return it == list.end() ? std::vector<int64_t>{-1} : it->shape;
}

TEST(ModelConfig, CountsParametersOfPublishedModels)
{
    std::ifstream table(test::dataFolder() / "hf/parameter_counts.csv");
    std::string line;
    std::getline(table, line);
    int rows = 0;
    while (std::getline(table, line)) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream fields(line);
        std::string id, architecture, tied;
        int64_t hidden, layers, heads, kvHeads, headDim, intermediate, vocab, parameters;
        fields >> id >> architecture >> hidden >> layers >> heads >> kvHeads >> headDim >> intermediate >>
            vocab >> tied >> parameters;
        ASSERT_TRUE(fields) << line;
        const Json json = {{"architectures", {architecture}},      {"hidden_size", hidden},
                           {"num_hidden_layers", layers},          {"num_attention_heads", heads},
                           {"num_key_value_heads", kvHeads},       {"head_dim", headDim},
                           {"intermediate_size", intermediate},    {"vocab_size", vocab},
                           {"tie_word_embeddings", tied == "true"}};
        EXPECT_EQ(parameterCount(parsed(json)), parameters) << id;
        ++rows;
    }
    EXPECT_GE(rows, 50);
}

TEST(ModelConfig, ReadsBothSpellingsOfTransformers)
{
    Json old = smallLlama();
    old["rope_theta"] = 500000.0;
    old["rope_scaling"] = nullptr;
    old["torch_dtype"] = "bfloat16";
    Json current = smallLlama();
    current.erase("rope_theta");
    current.erase("torch_dtype");
    current["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 500000.0}};
    current["dtype"] = "bfloat16";
    for (const Json &json : {old, current}) {
        const ModelConfig config = parsed(json);
        EXPECT_EQ(config.rope.theta, 500000);
        EXPECT_EQ(config.dtype, "bfloat16");
        EXPECT_EQ(config.raw, json);
    }
    current["rope_parameters"] = {{"type", "default"}};
    EXPECT_EQ(parsed(current).rope.theta, 10000);
}

TEST(ModelConfig, DefaultsAreThoseOfTheFamily)
{
    Json json = {{"model_type", "llama"},    {"hidden_size", 64}, {"num_hidden_layers", 2},
                 {"num_attention_heads", 4}, {"vocab_size", 512}, {"intermediate_size", 176}};
    const ModelConfig llama = parsed(json);
    EXPECT_EQ(llama.architecture, "LlamaForCausalLM");
    EXPECT_EQ(llama.kvHeads, 4);
    EXPECT_EQ(llama.headDim, 16);
    EXPECT_EQ(llama.maxPositions, 2048);
    EXPECT_EQ(llama.rope.theta, 10000);
    EXPECT_EQ(llama.rmsNormEps, 1e-6);
    EXPECT_FALSE(llama.tieWordEmbeddings);
    EXPECT_THAT(llama.eosTokenIds, ElementsAre(2));

    json["model_type"] = "qwen3";
    json["num_attention_heads"] = 32;
    const ModelConfig qwen3 = parsed(json);
    EXPECT_EQ(qwen3.kvHeads, 32);
    EXPECT_EQ(qwen3.headDim, 128);
    EXPECT_EQ(qwen3.maxPositions, 32768);
    EXPECT_FALSE(qwen3.tieWordEmbeddings);
    EXPECT_TRUE(qwen3.eosTokenIds.empty());
    json["num_attention_heads"] = 64;
    json["num_key_value_heads"] = nullptr;
    EXPECT_EQ(parsed(json).kvHeads, 64);
}

TEST(ModelConfig, EndTokensAreOneOrMany)
{
    Json json = smallLlama();
    json["eos_token_id"] = 7;
    EXPECT_THAT(parsed(json).eosTokenIds, ElementsAre(7));
    json["eos_token_id"] = {7, 9};
    EXPECT_THAT(parsed(json).eosTokenIds, ElementsAre(7, 9));
    json["eos_token_id"] = nullptr;
    EXPECT_TRUE(parsed(json).eosTokenIds.empty());
    json["eos_token_id"] = "7";
    EXPECT_EQ(refusal(json).code, ErrorCode::ModelConfig);
}

TEST(ModelConfig, BiasesFollowTheFamily)
{
    const ModelConfig llama = parsed(caseJson("cfg/llama_biases.json"));
    EXPECT_EQ(parameterCount(llama), 1236191232);
    EXPECT_EQ(shapeOf(llama, "model.layers.0.self_attn.o_proj.bias"), (std::vector<int64_t>{2048}));
    EXPECT_EQ(shapeOf(llama, "model.layers.0.mlp.gate_proj.bias"), (std::vector<int64_t>{8192}));

    Json qwen2 = caseJson("cfg/qwen2_yarn_no_tie_key.json");
    qwen2.erase("rope_scaling");
    const ModelConfig config = parsed(qwen2);
    EXPECT_EQ(parameterCount(config), 7615616512);
    EXPECT_FALSE(config.tieWordEmbeddings);
    EXPECT_EQ(config.headDim, 128);
    EXPECT_EQ(shapeOf(config, "model.layers.27.self_attn.k_proj.bias"), (std::vector<int64_t>{512}));
    EXPECT_EQ(shapeOf(config, "model.layers.27.self_attn.o_proj.bias"), (std::vector<int64_t>{-1}));
}

TEST(ModelConfig, ExplicitHeadDimensionCounts)
{
    const ModelConfig config = parsed(caseJson("cfg/qwen3_head_dim.json"));
    EXPECT_EQ(parameterCount(config), 4022468096);
    EXPECT_EQ(shapeOf(config, "model.layers.0.self_attn.q_proj.weight"), (std::vector<int64_t>{4096, 2560}));
    EXPECT_EQ(shapeOf(config, "model.layers.0.self_attn.k_proj.weight"), (std::vector<int64_t>{1024, 2560}));
    EXPECT_EQ(shapeOf(config, "model.layers.0.self_attn.o_proj.weight"), (std::vector<int64_t>{2560, 4096}));
    EXPECT_EQ(shapeOf(config, "model.layers.35.self_attn.q_norm.weight"), (std::vector<int64_t>{128}));
}

TEST(ModelConfig, ListsTensorsInTheOrderOfTheLayers)
{
    Json json = smallLlama();
    json["num_hidden_layers"] = 1;
    std::vector<std::string> names;
    for (const TensorSpec &spec : tensorList(parsed(json)))
        names.push_back(spec.name);
    EXPECT_THAT(
        names,
        ElementsAre("model.embed_tokens.weight", "model.layers.0.self_attn.q_proj.weight",
                    "model.layers.0.self_attn.k_proj.weight", "model.layers.0.self_attn.v_proj.weight",
                    "model.layers.0.self_attn.o_proj.weight", "model.layers.0.mlp.gate_proj.weight",
                    "model.layers.0.mlp.up_proj.weight", "model.layers.0.mlp.down_proj.weight",
                    "model.layers.0.input_layernorm.weight", "model.layers.0.post_attention_layernorm.weight",
                    "model.norm.weight", "lm_head.weight"));
    EXPECT_EQ(linearModules(parsed(smallLlama())).size(), 14u);
    EXPECT_EQ(parameterCount(parsed(smallLlama())), 158016);
}

TEST(ModelConfig, RefusesUnsupportedArchitecturesByName)
{
    const Error moe = refusal(caseJson("cfg/not_supported_moe.json"));
    EXPECT_EQ(moe.code, ErrorCode::ModelUnsupported);
    EXPECT_THAT(moe.detail, AllOf(HasSubstr("GroveMixForCausalLM"), HasSubstr("Qwen3ForCausalLM")));
    Json json = smallLlama();
    json["architectures"] = {"Qwen3MoeForCausalLM"};
    EXPECT_THAT(refusal(json).detail, HasSubstr("nearest is Qwen3ForCausalLM"));
    json = smallLlama();
    json["model_type"] = "gemma";
    EXPECT_EQ(refusal(json).code, ErrorCode::ModelUnsupported);
    EXPECT_EQ(refusal(Json::object()).code, ErrorCode::ModelConfig);
    EXPECT_EQ(refusal(Json::array()).code, ErrorCode::ModelConfig);
}

TEST(ModelConfig, RefusesWhatWouldBeComputedOtherwise)
{
    const struct
    {
        const char *file;
        const char *names;
    } cases[] = {
        {"cfg/unknown_rope.json", "spiral"}, {"cfg/gptq_base.json", "gptq"}, {"cfg/awq_29568.json", "awq"}};
    for (const auto &[file, names] : cases) {
        const Error error = refusal(caseJson(file));
        EXPECT_EQ(error.code, ErrorCode::ModelUnsupported) << file;
        EXPECT_THAT(error.detail, HasSubstr(names));
    }
    for (const auto &[key, value] : std::map<std::string, Json>{
             {"hidden_act", "gelu"}, {"partial_rotary_factor", 0.5}, {"torch_dtype", "float8_e4m3fn"}}) {
        Json json = smallLlama();
        json[key] = value;
        EXPECT_EQ(refusal(json).code, ErrorCode::ModelUnsupported) << key;
    }
}

TEST(ModelConfig, WindowsAreByLayer)
{
    Json json = caseJson("cfg/sliding_window_on.json");
    const ModelConfig config = parsed(json);
    ASSERT_EQ(config.windows.size(), 28u);
    for (size_t i = 0; i < 28; ++i)
        EXPECT_EQ(config.windows[i], i < 20 ? 0 : 4096) << i;
    json["max_window_layers"] = 28;
    EXPECT_TRUE(parsed(json).windows.empty());
    json["layer_types"] = Json::array();
    for (int i = 0; i < 28; ++i)
        json["layer_types"].push_back(i < 27 ? "full_attention" : "sliding_attention");
    EXPECT_EQ(parsed(json).windows[26], 0);
    EXPECT_EQ(parsed(json).windows[27], 4096);
    json["layer_types"][3] = "linear_attention";
    EXPECT_EQ(refusal(json).code, ErrorCode::ModelUnsupported);
    json["layer_types"].erase(3);
    EXPECT_THAT(refusal(json).detail, HasSubstr("27 layers of 28"));
    json["use_sliding_window"] = false;
    EXPECT_TRUE(parsed(json).windows.empty());
    EXPECT_TRUE(parsed(caseJson("cfg/qwen2_yarn_no_tie_key.json")).windows.empty());
}

TEST(ModelConfig, MistralLooksBackOverAWindowUnlessItIsNull)
{
    Json json = smallLlama();
    json["architectures"] = {"MistralForCausalLM"};
    json["model_type"] = "mistral";
    EXPECT_THAT(parsed(json).windows, ElementsAre(4096, 4096));
    json["sliding_window"] = 7;
    EXPECT_THAT(parsed(json).windows, ElementsAre(7, 7));
    json["sliding_window"] = nullptr;
    EXPECT_TRUE(parsed(json).windows.empty());
    json["sliding_window"] = 0;
    EXPECT_EQ(refusal(json).code, ErrorCode::ModelConfig);
}

TEST(ModelConfig, RefusesImpossibleValues)
{
    const std::pair<const char *, Json> changes[] = {{"hidden_size", 0},
                                                     {"hidden_size", -64},
                                                     {"hidden_size", 64.5},
                                                     {"hidden_size", "64"},
                                                     {"hidden_size", nullptr},
                                                     {"hidden_size", 18446744073709551615u},
                                                     {"hidden_size", 1 << 30},
                                                     {"num_hidden_layers", 0},
                                                     {"num_hidden_layers", 1000000000},
                                                     {"vocab_size", int64_t{1} << 40},
                                                     {"num_key_value_heads", 3},
                                                     {"num_attention_heads", 0},
                                                     {"head_dim", 15},
                                                     {"head_dim", 1 << 24},
                                                     {"rope_theta", -1},
                                                     {"rms_norm_eps", 0},
                                                     {"rms_norm_eps", "small"},
                                                     {"tie_word_embeddings", 1},
                                                     {"rope_scaling", 3},
                                                     {"architectures", 5},
                                                     {"eos_token_id", -1}};
    for (const auto &[key, value] : changes) {
        Json json = smallLlama();
        json[key] = value;
        const Error error = refusal(json);
        EXPECT_EQ(error.code, ErrorCode::ModelConfig) << key << " = " << value;
        EXPECT_EQ(error.file, "config.json");
    }
    Json json = smallLlama();
    json.erase("head_dim");
    json["num_attention_heads"] = 6;
    EXPECT_THAT(refusal(json).detail, HasSubstr("hidden size 64 is not a multiple of 6"));
    json.erase("vocab_size");
    EXPECT_THAT(refusal(json).detail, HasSubstr("\"vocab_size\" is missing"));
}

} // namespace
} // namespace rentune::hf
