// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/resources.h"
#include "core/throughput/step_time.h"
#include "tests/core/memory/models.h"

#include <gtest/gtest.h>

namespace rentune::throughput {
namespace {

catalog::Gpu card(std::string_view id)
{
    static const catalog::Catalog catalog =
        catalog::loadCatalog(*catalog::resourceFolder() / "catalog").value();
    return *catalog.findGpu(id);
}

/// Mistral-7B as foundation-model-stack/fms-acceleration ran it on one A100-80G: transformers, bf16, gradient
/// checkpointing, rows packed to 4096 tokens.
memory::Setup mistral(bool lora, int64_t sequences)
{
    hf::ModelConfig config = memory::test::llama8b();
    config.vocabSize = 32000;
    memory::Setup setup = lora
                              ? memory::test::loraTuning(config, 16, {"q_proj", "k_proj", "v_proj", "o_proj"})
                              : memory::test::fullTuning(config);
    setup.stack = memory::Stack::HuggingFace;
    setup.masterWeights = false;
    setup.checkpointing = true;
    setup.dropout = 0.1;
    setup.sequences = sequences;
    setup.tokens = 4096;
    return setup;
}

TEST(StepTime, PublishedRunsWithin15Percent)
{
    struct Run
    {
        const char *id;
        bool lora;
        int64_t sequences;
        double tokensPerSecond;
    };
    const Run runs[] = {{"t0325", false, 4, 3062.7},
                        {"t0327", false, 8, 3143.1},
                        {"t0333", true, 4, 3324.2},
                        {"t0335", true, 8, 3353.8}};
    for (const Run &run : runs) {
        const memory::Setup setup = mistral(run.lora, run.sequences);
        const Seconds seconds = stepTime(setup, card("a100-sxm4-80"), 1)->total();
        EXPECT_NEAR(static_cast<double>(setup.rows()) / seconds, run.tokensPerSecond,
                    0.15 * run.tokensPerSecond)
            << run.id;
    }
}

TEST(StepTime, WorkIsSixFlopsAParameterInFullAndFourWithAdapters)
{
    const memory::Setup full = memory::test::fullTuning(memory::test::qwen7b());
    const double perToken = workOf(full).layers / static_cast<double>(full.rows());
    EXPECT_DOUBLE_EQ(perToken, 6.0 * static_cast<double>(full.shape.blockLinear));
    const memory::Setup lora = memory::test::loraTuning(memory::test::qwen7b(), 8);
    const double adapters = 6.0 * static_cast<double>(lora.adapter.parameters);
    EXPECT_DOUBLE_EQ(workOf(lora).layers / static_cast<double>(lora.rows()),
                     4.0 * static_cast<double>(lora.shape.blockLinear) + adapters);
}

TEST(StepTime, MoreWorkNeverTakesLess)
{
    const catalog::Gpu gpu = card("a100-sxm4-80");
    const memory::Setup setup = memory::test::loraTuning(memory::test::qwen7b(), 8);
    const Seconds before = stepTime(setup, gpu, 1)->total();
    for (void (*alter)(memory::Setup &) :
         {+[](memory::Setup &s) { s.tokens *= 2; }, +[](memory::Setup &s) { s.sequences *= 2; },
          +[](memory::Setup &s) { s.accumulation = 4; }, +[](memory::Setup &s) { s.checkpointing = true; },
          +[](memory::Setup &s) { s.precision = wire::Precision::Fp32; }}) {
        memory::Setup more = setup;
        alter(more);
        EXPECT_GT(stepTime(more, gpu, 1)->total(), before);
    }
}

TEST(StepTime, ShardingOverSlowerLinksTakesLonger)
{
    memory::Setup setup = memory::test::fullTuning(memory::test::qwen7b());
    setup.strategy = wire::Strategy::Zero3;
    setup.ranks = 8;
    catalog::Gpu gpu = card("a100-sxm4-80");
    const Seconds fast = stepTime(setup, gpu, 8)->communication;
    gpu.nvlink.reset();
    EXPECT_GT(stepTime(setup, gpu, 8)->communication, fast);
}

TEST(StepTime, ACardWithoutTheUnitHasNoTime)
{
    const memory::Setup setup = memory::test::loraTuning(memory::test::qwen7b(), 8);
    EXPECT_FALSE(stepTime(setup, card("t4"), 1).has_value());
}

TEST(StepTime, AMeasuredRateDecidesOnThisComputer)
{
    const memory::Setup setup = memory::test::loraTuning(memory::test::qwen7b(), 8);
    const StepTime time = stepTime(setup, Host{}, 1e12);
    EXPECT_DOUBLE_EQ(time.total(), workOf(setup).useful() / 1e12);
}

} // namespace
} // namespace rentune::throughput
