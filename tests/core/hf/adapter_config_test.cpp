// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/adapter_config.h"
#include "tests/support/env.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rentune::hf {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json caseJson(const std::string &name)
{
    return *readJson(test::dataFolder() / "cases/adapter" / (name + ".json"));
}

ModelConfig baseModel()
{
    return *parseModelConfig(caseJson("base_config"), "config.json");
}

LoraConfig parsed(const Json &json)
{
    auto config = parseLoraConfig(json, "adapter_config.json");
    EXPECT_TRUE(config.ok()) << config.error().toString();
    return config.ok() ? *config : LoraConfig{};
}

LoraTargets resolved(const Json &json)
{
    auto targets = resolveLoraTargets(parsed(json), baseModel());
    EXPECT_TRUE(targets.ok()) << targets.error().toString();
    return targets.ok() ? *targets : LoraTargets{};
}

std::vector<std::string> modules(const LoraTargets &targets)
{
    std::vector<std::string> names;
    for (const LoraTarget &target : targets.modules)
        names.push_back(target.module);
    return names;
}

LoraTarget targetOf(const LoraTargets &targets, const std::string &suffix)
{
    const auto it = std::find_if(targets.modules.begin(), targets.modules.end(),
                                 [&](const auto &target) { return target.module.ends_with(suffix); });
    return it == targets.modules.end() ? LoraTarget{} : *it;
}

int64_t parameters(const LoraTargets &targets)
{
    return loraParameterCount(targets, baseModel());
}

/// r = 8 and alpha = 16 on q_proj, changed.
Json loraWith(const Json &changes)
{
    Json json = {{"peft_type", "LORA"}, {"r", 8}, {"lora_alpha", 16}, {"target_modules", {"q_proj"}}};
    json.update(changes);
    return json;
}

TEST(AdapterConfig, AllLinearIsTheSevenProjectionsOfEachBlock)
{
    const LoraTargets targets = resolved(caseJson("all_linear"));
    EXPECT_EQ(modules(targets), linearModules(baseModel()));
    EXPECT_EQ(targets.modules.size(), 14u);
    EXPECT_EQ(parameters(targets), 18688);
    EXPECT_EQ(targets.modules[0].scale, 2.0);
}

TEST(AdapterConfig, ListEntriesMatchBySuffix)
{
    const LoraTargets targets = resolved(caseJson("suffix_list"));
    EXPECT_THAT(modules(targets),
                ElementsAre("model.layers.0.self_attn.o_proj", "model.layers.1.self_attn.o_proj",
                            "model.layers.1.mlp.down_proj"));
    EXPECT_EQ(parameters(targets), 3968);
    EXPECT_THAT(targets.unmatched, ElementsAre("proj"));
}

TEST(AdapterConfig, AStringIsAnExpressionOverTheWholePath)
{
    const LoraTargets targets = resolved(caseJson("regex_target"));
    EXPECT_THAT(modules(targets),
                ElementsAre("model.layers.1.self_attn.q_proj", "model.layers.1.self_attn.v_proj"));
    EXPECT_EQ(parameters(targets), 1792);
}

TEST(AdapterConfig, PatternsSetRankAndAlpha)
{
    const LoraTargets targets = resolved(caseJson("rank_alpha_patterns"));
    EXPECT_EQ(targetOf(targets, "layers.0.self_attn.q_proj").rank, 16);
    EXPECT_EQ(targetOf(targets, "layers.1.self_attn.q_proj").rank, 16);
    EXPECT_EQ(targetOf(targets, "layers.1.mlp.down_proj").rank, 4);
    EXPECT_EQ(targetOf(targets, "layers.0.mlp.down_proj").rank, 8);
    EXPECT_EQ(targetOf(targets, "q_proj").scale, 2.0);
    EXPECT_EQ(targetOf(targets, "layers.0.self_attn.k_proj").scale, 0.5);
    EXPECT_EQ(targetOf(targets, "layers.1.self_attn.k_proj").scale, 2.0);
    EXPECT_EQ(targetOf(targets, "layers.1.mlp.down_proj").scale, 4.0);
    EXPECT_EQ(targetOf(targets, "v_proj").rank, 8);
    EXPECT_EQ(parameters(targets), 19776);
    EXPECT_THAT(targets.unmatched, ElementsAre("^v_proj", "qproj"));
}

TEST(AdapterConfig, RankStabilisedScale)
{
    const LoraTargets targets = resolved(caseJson("rslora"));
    EXPECT_EQ(targets.modules[0].scale, 2.0);
    EXPECT_EQ(targets.modules[0].rank, 64);
}

TEST(AdapterConfig, OldConfigurationsTakeTheDefaults)
{
    const LoraConfig config = parsed(caseJson("legacy_keys"));
    EXPECT_FALSE(config.rslora);
    EXPECT_EQ(config.dropout, 0.05);
    EXPECT_THAT(config.ignoredKeys, ElementsAre("enable_lora", "merge_weights"));
    EXPECT_EQ(resolved(caseJson("legacy_keys")).modules[0].scale, 2.0);
}

TEST(AdapterConfig, KeysOfNewerToolsAreIgnoredAndListed)
{
    const LoraConfig config = parsed(caseJson("future_keys"));
    EXPECT_EQ(config.rank, 8);
    EXPECT_THAT(config.ignoredKeys, AllOf(Contains("corda_config"), Contains("brand_new_null"),
                                          Contains("qalora_group_size"), Contains("lora_bias")));
    EXPECT_EQ(resolved(caseJson("future_keys")).modules.size(), 4u);
}

TEST(AdapterConfig, DoraAndSavedModulesAreRead)
{
    EXPECT_TRUE(parsed(caseJson("dora")).dora);
    EXPECT_THAT(parsed(caseJson("modules_to_save")).modulesToSave, ElementsAre("embed_tokens", "lm_head"));
}

/// What PEFT 0.21.2 makes of odd requests on the same base: modules, trained parameters, one rank and scale.
TEST(AdapterConfig, OddTargetsResolveAsInPeft)
{
    const struct
    {
        Json changes;
        size_t modules;
        int64_t parameters;
        const char *module;
        int64_t rank;
        double scale;
    } cases[] = {
        {{{"target_modules", {"model.layers.0.self_attn.q_proj", "v_proj"}}, {"layers_to_transform", {1}}},
         2,
         1792,
         "layers.0.self_attn.q_proj",
         8,
         2},
        {{{"target_modules", {"v_proj", "o_proj"}}, {"layers_to_transform", 1}, {"layers_pattern", "layers"}},
         2,
         1792,
         "layers.1.self_attn.o_proj",
         8,
         2},
        {{{"target_modules", "ALL-Linear"}, {"exclude_modules", {"mlp.up_proj", "o_proj"}}},
         10,
         12800,
         "layers.1.mlp.down_proj",
         8,
         2},
        {{{"target_modules", "all-linear"}, {"exclude_modules", ".*\\.1\\..*"}},
         7,
         9344,
         "layers.0.mlp.down_proj",
         8,
         2},
        {{{"target_modules", "all-linear"}, {"modules_to_save", {"q_proj"}}},
         12,
         16640,
         "layers.0.self_attn.k_proj",
         8,
         2},
        {{{"target_modules", ".*_proj"},
          {"rank_pattern", {{"q_proj", 16}, {"layers\\.0\\.self_attn\\.q_proj", 4}, {"(k|v)_proj", 2}}},
          {"alpha_pattern", {{"model\\.layers\\.0\\..*", 4}, {"down_proj", 32}}}},
         14,
         18432,
         "layers.0.self_attn.q_proj",
         16,
         0.25},
        {{{"rank_pattern", {{"^model\\.layers\\.1\\.self_attn\\.q_proj", 3}}}},
         2,
         1408,
         "layers.1.self_attn.q_proj",
         3,
         16.0 / 3},
        {{{"target_modules", {"q_proj", "_proj", "attn.k_proj", "self_attn.k_proj"}}},
         4,
         3584,
         "layers.1.self_attn.k_proj",
         8,
         2},
        {{{"target_modules", "(?i).*Q_PROJ"}}, 2, 2048, "layers.1.self_attn.q_proj", 8, 2},
        {{{"target_modules", "q_proj|model.layers.1.self_attn.k_proj"}},
         1,
         768,
         "layers.1.self_attn.k_proj",
         8,
         2},
        {{{"rank_pattern", {{"q_proj|k_proj", 5}}}, {"use_rslora", true}},
         2,
         1280,
         "layers.0.self_attn.q_proj",
         5,
         16 / std::sqrt(5.0)},
        {{{"rank_pattern", {{"0.self_attn.q_proj", 5}, {"layers.0", 7}}}},
         2,
         1664,
         "layers.0.self_attn.q_proj",
         5,
         3.2},
    };
    for (const auto &[changes, count, total, module, rank, scale] : cases) {
        const LoraTargets targets = resolved(loraWith(changes));
        EXPECT_EQ(targets.modules.size(), count) << changes;
        EXPECT_EQ(parameters(targets), total) << changes;
        EXPECT_EQ(targetOf(targets, module).rank, rank) << changes;
        EXPECT_DOUBLE_EQ(targetOf(targets, module).scale, scale) << changes;
    }
}

TEST(AdapterConfig, RefusesTargetsThatHitNothingOrNoLinearModule)
{
    const Json cases[] = {
        {{"target_modules", "q_proj"}},
        {{"target_modules", Json::array()}},
        {{"target_modules", {"v_proj"}}, {"layers_to_transform", {0}}, {"layers_pattern", "blocks"}},
        {{"target_modules", ".*attn.*"}},
        {{"target_modules", {"mlp"}}},
        {{"target_modules", {"q_proj", "lm_head"}}},
        {{"target_modules", ".*(q_proj"}},
        {{"rank_pattern", {{"q_proj)", 4}}}},
    };
    for (const Json &changes : cases) {
        const auto targets = resolveLoraTargets(parsed(loraWith(changes)), baseModel());
        ASSERT_FALSE(targets.ok()) << changes;
        EXPECT_EQ(targets.error().code, ErrorCode::AdapterConfig);
    }
}

TEST(AdapterConfig, AHostileExpressionEndsSoon)
{
    const auto targets =
        resolveLoraTargets(parsed(loraWith({{"target_modules", "(([a-z_.0-9])+)+!"}})), baseModel());
    EXPECT_FALSE(targets.ok());
}

TEST(AdapterConfig, RefusesWhatIsNotPlainLora)
{
    const std::pair<const char *, Json> cases[] = {{"peft_type", "PREFIX_TUNING"},
                                                   {"peft_type", nullptr},
                                                   {"r", 0},
                                                   {"r", 8.5},
                                                   {"lora_alpha", "16"},
                                                   {"lora_dropout", 1},
                                                   {"target_modules", nullptr},
                                                   {"target_modules", {1}},
                                                   {"rank_pattern", {{"q_proj", 0}}},
                                                   {"rank_pattern", {{"q_proj", 1.5}}},
                                                   {"alpha_pattern", 4},
                                                   {"bias", "some"},
                                                   {"use_qalora", true},
                                                   {"lora_bias", true},
                                                   {"target_parameters", {"experts.w"}},
                                                   {"init_lora_weights", "pissa_niter_16"}};
    for (const auto &[key, value] : cases) {
        const auto config = parseLoraConfig(loraWith({{key, value}}), "adapter_config.json");
        ASSERT_FALSE(config.ok()) << key << " " << value;
        EXPECT_EQ(config.error().code, ErrorCode::AdapterConfig);
    }
    EXPECT_FALSE(
        parseLoraConfig(loraWith({{"target_modules", "q_proj"}, {"layers_to_transform", {0}}}), "f").ok());
    EXPECT_FALSE(parseLoraConfig(Json(3), "f").ok());
}

TEST(AdapterConfig, WhatIsWrittenReadsBackTheSame)
{
    for (const char *name : {"all_linear", "suffix_list", "regex_target", "rank_alpha_patterns", "rslora",
                             "dora", "modules_to_save", "legacy_keys"}) {
        const LoraConfig config = parsed(caseJson(name));
        const Json json = adapterConfigJson(config, baseModel());
        EXPECT_TRUE(json.at("lora_alpha").is_number_integer());
        const LoraConfig again = parsed(json);
        EXPECT_EQ(adapterConfigJson(again, baseModel()), json);
        EXPECT_THAT(again.ignoredKeys, IsEmpty());
        EXPECT_EQ(again.rankPattern, config.rankPattern);
        EXPECT_EQ(modules(resolved(json)), modules(resolved(caseJson(name))));
    }
}

/// Any PEFT adapter's file read, written and read again; what it trains on the small model.
int64_t countThroughFile(const Json &json)
{
    const auto config = parseAdapterConfig(json, "adapter_config.json");
    EXPECT_TRUE(config.ok()) << config.error().toString();
    const Json written = adapterConfigJson(*config, baseModel());
    const auto again = parseAdapterConfig(written, "adapter_config.json");
    EXPECT_TRUE(again.ok()) << again.error().toString();
    EXPECT_EQ(adapterConfigJson(*again, baseModel()), written);
    return adapterParameterCount(*again, baseModel()).value();
}

TEST(AdapterConfig, CountsWhatEachMethodTrains)
{
    EXPECT_EQ(countThroughFile(caseJson("dora")), 19904);
    EXPECT_EQ(countThroughFile(caseJson("modules_to_save")), 69120);
    const Json ia3 = {{"peft_type", "IA3"},
                      {"target_modules", {"k_proj", "v_proj", "down_proj"}},
                      {"feedforward_modules", {"down_proj"}}};
    EXPECT_EQ(countThroughFile(ia3), 2 * (32 + 32 + 176));
    Json tokens = {{"peft_type", "PROMPT_TUNING"}, {"num_virtual_tokens", 20}};
    EXPECT_EQ(countThroughFile(tokens), 20 * 64);
    tokens["peft_type"] = "PREFIX_TUNING";
    EXPECT_EQ(countThroughFile(tokens), 2560); // of the two key heads, not the four query heads
    tokens["peft_type"] = "P_TUNING";
    tokens["encoder_hidden_size"] = 32;
    EXPECT_EQ(countThroughFile(tokens), 20 * 64 + (64 * 32 + 32) + (32 * 32 + 32) + (32 * 64 + 64));
}

TEST(AdapterConfig, Ia3KnowsItsFeedforwardModules)
{
    const Json json = {{"peft_type", "IA3"},
                       {"target_modules", {"v_proj", "layers.1.mlp.down_proj", "nowhere"}},
                       {"feedforward_modules", {"down_proj"}}};
    const auto config = parseAdapterConfig(json, "f");
    const auto targets = resolveIa3Targets(std::get<Ia3Config>(config.value()), baseModel());
    ASSERT_TRUE(targets.ok()) << targets.error().toString();
    ASSERT_EQ(targets->modules.size(), 3u);
    EXPECT_FALSE(targets->modules[0].feedforward);
    EXPECT_EQ(targets->modules[2].module, "model.layers.1.mlp.down_proj");
    EXPECT_TRUE(targets->modules[2].feedforward);
    EXPECT_THAT(targets->unmatched, ElementsAre("nowhere"));
    EXPECT_FALSE(parseAdapterConfig({{"peft_type", "IA3"}, {"target_modules", {"v_proj"}}}, "f").ok());
    EXPECT_FALSE(parseAdapterConfig({{"peft_type", "PROMPT_TUNING"}, {"num_virtual_tokens", 0}}, "f").ok());
    EXPECT_FALSE(parseAdapterConfig({{"peft_type", 3}}, "f").ok());
}

TEST(AdapterConfig, ReadsTheFileOfAFolder)
{
    const test::TemporaryFolder folder;
    EXPECT_EQ(readAdapterConfig(folder.path()).error().code, ErrorCode::FileMissing);
    std::ofstream(folder.path() / "adapter_config.json") << loraWith({{"r", -1}});
    const auto config = readAdapterConfig(folder.path());
    EXPECT_EQ(config.error().file, (folder.path() / "adapter_config.json").string());
    EXPECT_THAT(config.error().detail, HasSubstr("\"r\" must be a whole number"));
}

} // namespace
} // namespace rentune::hf
