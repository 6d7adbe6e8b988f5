// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/config/train_config.h"

#include "tests/support/env.h"
#include "trainer/config/seeds.h"

#include "core/wire/job_file.h"

#include <gmock/gmock.h>

#include <fstream>
#include <set>

namespace rentune::trainer {
namespace {
namespace fs = std::filesystem;

const std::string head = "version: 1\nname: t\nmodel: {path: m}\ndata: {train: [d.jsonl]}\n";

Result<TrainConfig> configOf(const fs::path &folder, const std::string &rest)
{
    auto job = wire::parseJob(head + rest, folder / "job.yaml");
    EXPECT_TRUE(job.ok()) << job.error().toString();
    return makeTrainConfig(std::move(job).value());
}

struct Refusal
{
    const char *rest;
    const char *key;
};

class RefusedTest : public testing::TestWithParam<Refusal>
{
};

TEST_P(RefusedTest, NamesTheKeyAndAnAlternative)
{
    const auto config = configOf("/nowhere", GetParam().rest);
    ASSERT_FALSE(config.ok());
    EXPECT_EQ(config.error().code, ErrorCode::JobUnsupported);
    EXPECT_THAT(config.error().detail, testing::StartsWith(GetParam().key));
    EXPECT_THAT(config.error().detail, testing::HasSubstr("; "));
}

INSTANTIATE_TEST_SUITE_P(
    Keys, RefusedTest,
    testing::Values(Refusal{"engine: swift", "engine"}, Refusal{"method: {type: adapter}", "method.type"},
                    Refusal{"method: {type: lora, quantization: {type: int8}}", "method.quantization.type"},
                    Refusal{"method: {type: dora, quantization: {type: nf4}}", "method.quantization.type"},
                    Refusal{"method: {type: full, quantization: {type: nf4}}", "method.quantization.type"},
                    Refusal{"method: {type: lora, quantization: {type: nf4, block: 33}}",
                            "method.quantization.block"},
                    Refusal{"method: {type: lora, quantization: {type: nf4, compute: bf16}}",
                            "method.quantization.compute"},
                    Refusal{"training: {optimizer: adafactor}", "training.optimizer"},
                    Refusal{"training: {precision: fp16}", "training.precision"},
                    Refusal{"parallel: {strategy: zero3}", "parallel.strategy"},
                    Refusal{"hardware: {device: cuda}", "hardware.device"}));

TEST(TrainConfig, ResolvesALoraJob)
{
    const auto config = configOf("/jobs", "method: {type: lora, rank: 4, alpha: 16, dropout: 0.1, targets: "
                                          "[q_proj, v_proj]}\ntraining: {threads: 3}");
    ASSERT_TRUE(config.ok()) << config.error().toString();
    ASSERT_TRUE(config->adapter);
    const auto &lora = std::get<hf::LoraConfig>(*config->adapter);
    EXPECT_EQ(lora.rank, 4);
    EXPECT_EQ(lora.alpha, 16);
    EXPECT_EQ(lora.dropout, 0.1);
    EXPECT_EQ(lora.targets, (std::vector<std::string>{"q_proj", "v_proj"}));
    EXPECT_EQ(config->model, "/jobs/m");
    EXPECT_EQ(config->threads, 3);
}

class InitFromTest : public testing::Test
{
protected:
    void SetUp() override
    {
        fs::create_directories(m_temporary.path() / "m");
        fs::create_directories(m_temporary.path() / "a");
        std::ofstream(m_temporary.path() / "m" / "config.json")
            << R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":64,"intermediate_size":128,
                   "num_hidden_layers":2,"num_attention_heads":4,"num_key_value_heads":2,"vocab_size":256,
                   "max_position_embeddings":128,"rms_norm_eps":1e-6,"rope_theta":10000.0,"tie_word_embeddings":true})";
        std::ofstream(m_temporary.path() / "a" / "adapter_config.json")
            << R"({"peft_type":"LORA","r":4,"lora_alpha":8,"lora_dropout":0.05,
                   "target_modules":["q_proj","k_proj","v_proj","o_proj","gate_proj","up_proj","down_proj"]})";
    }
    Result<TrainConfig> config(const std::string &method)
    {
        return configOf(m_temporary.path(), "method: {type: lora, init_from: a" + method + "}");
    }
    test::TemporaryFolder m_temporary;
};

TEST_F(InitFromTest, TheFolderDecides)
{
    const auto made = config("");
    ASSERT_TRUE(made.ok()) << made.error().toString();
    const auto &lora = std::get<hf::LoraConfig>(*made->adapter);
    EXPECT_EQ(lora.rank, 4);
    EXPECT_EQ(lora.dropout, 0.05);
    EXPECT_EQ(std::get<hf::LoraConfig>(*config(", dropout: 0.0").value().adapter).dropout, 0);
}

TEST_F(InitFromTest, SayingTheSameIsNoContradiction)
{
    EXPECT_TRUE(config(", rank: 4, alpha: 8, targets: all-linear").ok());
}

TEST_F(InitFromTest, AContradictionIsNamed)
{
    for (const char *stated : {"rank: 8", "alpha: 16", "targets: [q_proj]", "rslora: true"}) {
        const auto made = config(std::string(", ") + stated);
        ASSERT_FALSE(made.ok()) << stated;
        EXPECT_EQ(made.error().code, ErrorCode::JobConflict);
        const std::string key = std::string(stated).substr(0, std::string(stated).find(':'));
        EXPECT_THAT(made.error().detail, testing::StartsWith("method." + key));
    }
}

TEST(Seeds, StreamsAreIndependent)
{
    std::set<uint64_t> seen;
    size_t count = 0;
    for (uint64_t seed : {0u, 1u, 42u})
        for (RandomPurpose purpose : {RandomPurpose::Shuffle, RandomPurpose::Dropout})
            for (uint64_t step = 0; step < 50; ++step)
                for (uint64_t module = 0; module < 20; ++module, ++count)
                    seen.insert(deriveSeed(seed, purpose, {step, module}));
    EXPECT_EQ(seen.size(), count);
    EXPECT_NE(deriveSeed(1, RandomPurpose::Dropout, {1, 2}), deriveSeed(1, RandomPurpose::Dropout, {2, 1}));
    EXPECT_NE(deriveSeed(1, RandomPurpose::Dropout, {1}), deriveSeed(1, RandomPurpose::Dropout, {1, 0}));
}

TEST(Seeds, SplitMixRepeatsThePublishedNumbers)
{
    SplitMix64 random(1234567);
    EXPECT_EQ(random.next(), 6457827717110365317ull);
    EXPECT_EQ(random.next(), 3203168211198807973ull);
}

TEST(Seeds, BelowIsEven)
{
    SplitMix64 random(1);
    std::vector<int> counts(7);
    for (int i = 0; i < 70000; ++i)
        ++counts[random.below(7)];
    for (const int count : counts)
        EXPECT_NEAR(count, 10000, 400); // four standard deviations of 93
}

} // namespace
} // namespace rentune::trainer
