// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/estimate.h"
#include "tests/core/memory/models.h"

#include <gtest/gtest.h>

namespace rentune::memory {
namespace {

/// Runs that foundation-model-stack/fms-acceleration published: Mistral-7B in transformers on one A100-80G,
/// bf16 without master weights, gradient checkpointing, rows packed to 4096 tokens, LoRA r=16 on q, k, v, o.
struct PublishedRun
{
    const char *id;
    enum
    {
        Full,
        Lora,
        Qlora
    } method;
    int64_t sequences;
    double allocatedGiB;
};

memory::Setup setupOf(const PublishedRun &run)
{
    hf::ModelConfig mistral = test::llama8b();
    mistral.vocabSize = 32000;
    memory::Setup setup = run.method == PublishedRun::Full
                              ? test::fullTuning(mistral)
                              : test::loraTuning(mistral, 16, {"q_proj", "k_proj", "v_proj", "o_proj"});
    setup.stack = Stack::HuggingFace;
    setup.masterWeights = false;
    setup.checkpointing = true;
    setup.dropout = 0.1;
    setup.sequences = run.sequences;
    setup.tokens = 4096;
    if (run.method == PublishedRun::Qlora)
        setup.quantization.type = wire::QuantizationType::Nf4;
    return setup;
}

TEST(PublishedRuns, PeakOfTorchsAllocatorWithinTenPercent)
{
    const PublishedRun runs[] = {
        {"m0467", PublishedRun::Full, 4, 67.46},  {"m0469", PublishedRun::Full, 8, 67.46},
        {"m0491", PublishedRun::Lora, 4, 24.87},  {"m0493", PublishedRun::Lora, 8, 36.08},
        {"m0515", PublishedRun::Qlora, 4, 19.25}, {"m0517", PublishedRun::Qlora, 8, 34.46},
    };
    for (const PublishedRun &run : runs) {
        const Estimate result = estimate(setupOf(run));
        double allocated = 0;
        for (const MemoryTerms &phase : result.phases) {
            const Bytes live = phase.total() - phase[Term::Reserve] - phase[Term::Context];
            allocated = std::max(allocated, static_cast<double>(live) / static_cast<double>(GiB));
        }
        EXPECT_NEAR(allocated, run.allocatedGiB, 0.1 * run.allocatedGiB) << run.id;
    }
}

} // namespace
} // namespace rentune::memory
