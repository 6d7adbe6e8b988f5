// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file_ops.h"
#include "core/catalog/resources.h"
#include "core/hf/safetensors.h"
#include "core/plan/planner.h"
#include "core/wire/job_file.h"
#include "tests/support/env.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace rentune {
namespace {

namespace fs = std::filesystem;

/// A model of SmolLM2's proportions, a few layers of it, so that each memory term is seen within a second's
/// run.
Json smallConfig()
{
    return {{"architectures", {"LlamaForCausalLM"}},
            {"model_type", "llama"},
            {"hidden_size", 192},
            {"intermediate_size", 512},
            {"num_hidden_layers", 6},
            {"num_attention_heads", 6},
            {"num_key_value_heads", 2},
            {"vocab_size", 8192},
            {"max_position_embeddings", 2048},
            {"tie_word_embeddings", true},
            {"hidden_act", "silu"},
            {"torch_dtype", "float32"}};
}

void writeModel(const fs::path &folder)
{
    fs::create_directories(folder);
    std::ofstream(folder / "config.json") << smallConfig().dump();
    const hf::ModelConfig config = hf::readModelConfig(folder).value();
    std::vector<std::vector<float>> values;
    std::vector<hf::TensorView> views;
    for (const hf::TensorSpec &spec : hf::tensorList(config)) {
        int64_t count = 1;
        for (const int64_t dimension : spec.shape)
            count *= dimension;
        std::vector<float> &value = values.emplace_back(static_cast<size_t>(count));
        for (size_t i = 0; i < value.size(); ++i)
            value[i] =
                spec.shape.size() == 1 ? 1.0F : 0.02F * static_cast<float>(std::sin(static_cast<double>(i)));
        views.push_back({spec.name, hf::Dtype::F32, spec.shape, std::as_bytes(std::span(value))});
    }
    ASSERT_TRUE(hf::writeSafetensors(systemFileOps(), folder / "model.safetensors", views).ok());
}

void writeTokens(const fs::path &file, int rows, int length)
{
    std::ofstream out(file);
    for (int r = 0; r < rows; ++r) {
        std::vector<int> ids(static_cast<size_t>(length));
        for (int i = 0; i < length; ++i)
            ids[static_cast<size_t>(i)] = (r * 31 + i * 7) % 8192;
        out << Json{{"input_ids", ids}}.dump() << "\n";
    }
}

/// One training run and its plan.
class PlannedMemory : public testing::TestWithParam<const char *>
{
protected:
    test::TemporaryFolder m_folder;

    fs::path writeJob(const std::string &settings, int length)
    {
        writeModel(m_folder.path() / "model");
        writeTokens(m_folder.path() / "rows.jsonl", 8, length);
        const fs::path file = m_folder.path() / "job.yaml";
        std::ofstream(file) << "version: 1\nname: memory\nmodel: {path: model}\n"
                            << "data: {train: [rows.jsonl], format: tokens, max_length: " << length
                            << ", shuffle: false}\n"
                            << settings;
        return file;
    }

    /// Largest `peak` of the run's memory events.
    double measuredPeak(const fs::path &job)
    {
        const fs::path run = m_folder.path() / "run";
        const auto result = test::runProcess({(test::binFolder() / "rentune-trainer").string(), "train",
                                              job.string(), "--run-dir", run.string()});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        std::ifstream events(run / "events.jsonl");
        double peak = 0;
        for (std::string line; std::getline(events, line);) {
            const Json event = Json::parse(line);
            if (event.at("type") == "memory")
                peak = std::max(peak, event.at("peak").get<double>());
        }
        return peak;
    }
};

/// The goal is 20 %; the terms follow the trainer's own operations and hold 5 %.
TEST_P(PlannedMemory, IsWithinFivePercentOfTheRuns)
{
    std::istringstream parameter(GetParam());
    std::string method;
    std::string batch;
    int length = 0;
    std::string precision;
    std::string checkpointing;
    std::string dropout;
    std::string accumulation;
    std::string packing = "none";
    parameter >> method >> batch >> length >> precision >> checkpointing >> dropout >> accumulation >>
        packing;
    const std::string settings = "method: {type: " + method + ", rank: 8, dropout: " + dropout +
                                 ", quantization: {type: " + packing +
                                 "}}\ntraining: {max_steps: 1, threads: 1, micro_batch: " + batch +
                                 ", grad_accumulation: " + accumulation + ", precision: " + precision +
                                 ", gradient_checkpointing: " + checkpointing + "}\n";
    const fs::path file = writeJob(settings, length);
    const auto catalog = catalog::loadCatalog(*catalog::resourceFolder() / "catalog");
    const auto job = wire::readJob(file);
    ASSERT_TRUE(job.ok()) << job.error().toString();
    const auto facts = plan::gatherFacts(*job, *catalog, systemClock());
    ASSERT_TRUE(facts.ok()) << facts.error().toString();
    const auto planned = plan::makePlan(*job, *facts);
    ASSERT_TRUE(planned.ok()) << planned.error().toString();
    const double peak = measuredPeak(file);
    ASSERT_GT(peak, 0);
    const double expected = static_cast<double>(planned->perGpuBytes.expected);
    RecordProperty("planned_over_measured", std::to_string(expected / peak));
    EXPECT_NEAR(expected, peak, 0.05 * peak);
}

// method, micro batch, tokens, precision, checkpointing, dropout, accumulation, packing of the base
INSTANTIATE_TEST_SUITE_P(Runs, PlannedMemory,
                         testing::Values("lora 1 128 fp32 false 0 1", "lora 4 512 fp32 false 0 1",
                                         "lora 4 512 fp32 true 0 1", "lora 4 512 bf16 false 0.1 2",
                                         "full 1 128 fp32 false 0 1", "full 4 512 fp32 false 0 1",
                                         "full 2 512 fp32 true 0 2", "full 1 128 bf16 false 0 1",
                                         "full 4 512 bf16 false 0 1", "full 1 128 bf16 false 0 2",
                                         "lora 1 128 fp32 false 0 1 nf4", "lora 4 512 bf16 false 0 1 nf4",
                                         "lora 4 512 bf16 true 0 1 fp4"));

} // namespace
} // namespace rentune
