// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file_ops.h"
#include "core/hf/model_config.h"
#include "tests/support/env.h"

#include <cmath>
#include <gmock/gmock.h>
#include <map>

namespace rentune::hf {
namespace {

ModelConfig caseConfig(const std::string &file)
{
    const auto json = readJson(test::dataFolder() / "cases/cfg" / file, MiB);
    EXPECT_TRUE(json.ok());
    auto config = parseModelConfig(*json, file);
    EXPECT_TRUE(config.ok()) << config.error().toString();
    return std::move(config).value();
}

Json llamaWith(const Json &scaling)
{
    return {{"model_type", "llama"},         {"hidden_size", 64},      {"num_hidden_layers", 2},
            {"num_attention_heads", 4},      {"vocab_size", 512},      {"intermediate_size", 176},
            {"max_position_embeddings", 64}, {"rope_scaling", scaling}};
}

Error refusal(const Json &json)
{
    const auto config = parseModelConfig(json, "config.json");
    EXPECT_FALSE(config.ok()) << json;
    return config.ok() ? Error{} : config.error();
}

void expectFrequencies(const ModelConfig &config, const std::map<size_t, double> &expected)
{
    const RopeFrequencies frequencies = ropeFrequencies(config.rope, config.headDim, 1);
    ASSERT_EQ(frequencies.inverse.size(), static_cast<size_t>(config.headDim / 2));
    for (const auto &[index, value] : expected)
        EXPECT_NEAR(frequencies.inverse[index], value, 1e-6 * value) << index;
}

TEST(Rope, Llama3InBothSpellings)
{
    for (const char *file : {"llama3_rope.json", "v5_rope_parameters.json"}) {
        const ModelConfig config = caseConfig(file);
        EXPECT_EQ(config.rope.theta, 500000);
        EXPECT_EQ(parameterCount(config), 1235814400);
        expectFrequencies(
            config,
            {{0, 1}, {10, 0.0165604401}, {16, 0.000429556797}, {20, 8.57025549e-06}, {31, 9.41830673e-08}});
    }
}

TEST(Rope, YarnUnderItsOldKey)
{
    const ModelConfig config = caseConfig("qwen2_yarn_no_tie_key.json");
    EXPECT_EQ(parameterCount(config), 7615616512);
    expectFrequencies(config, {{0, 1}, {30, 0.00106436098}, {40, 4.44569853e-05}, {63, 3.1023444e-07}});
    EXPECT_NEAR(ropeFrequencies(config.rope, 128, 1).attentionFactor, 1.13862944, 1e-8);
}

TEST(Rope, DynamicGrowsBeyondTheModelsPositionsOnly)
{
    const auto config = parseModelConfig(llamaWith({{"type", "dynamic"}, {"factor", 2.0}}), "config.json");
    ASSERT_TRUE(config.ok()) << config.error().toString();
    const auto within = ropeFrequencies(config->rope, 16, 64).inverse;
    EXPECT_EQ(within, ropeFrequencies(config->rope, 16, 3).inverse);
    // theta · (2 · 128 / 64 − 1)^(16 / 14), frequency 1 = theta^(−2 / 16)
    const double theta = 10000 * std::pow(3.0, 16.0 / 14.0);
    EXPECT_NEAR(ropeFrequencies(config->rope, 16, 128).inverse[1], std::pow(theta, -0.125), 1e-6);
}

TEST(Rope, RefusesWhatNoModelCanMean)
{
    for (const Json &scaling : std::vector<Json>{
             {{"type", "linear"}},
             {{"type", "linear"}, {"factor", 0}},
             {{"type", "llama3"}, {"factor", 8}, {"low_freq_factor", 4}, {"high_freq_factor", 4}},
             {{"type", "yarn"}, {"factor", 4}, {"original_max_position_embeddings", 0}},
             {{"type", "yarn"}, {"factor", "four"}},
             {{"type", "longrope"}, {"short_factor", {1, 2}}, {"long_factor", {1, 2}}},
             {{"type", "longrope"}, {"original_max_position_embeddings", 1}},
             {{"type", "longrope"}}})
        EXPECT_EQ(refusal(llamaWith(scaling)).code, ErrorCode::ModelConfig) << scaling;
    EXPECT_EQ(refusal(llamaWith({{"type", "spiral"}, {"factor", 3}})).code, ErrorCode::ModelUnsupported);
}

} // namespace
} // namespace rentune::hf
