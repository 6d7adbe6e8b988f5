// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/activations.h"
#include "core/memory/estimate.h"
#include "core/memory/states.h"
#include "tests/core/memory/models.h"

#include <functional>
#include <gtest/gtest.h>

namespace rentune::memory {
namespace {

using wire::Precision;
using wire::Strategy;

Bytes peak(const memory::Setup &setup)
{
    return estimate(setup).bytes.expected;
}

double gib(Bytes bytes)
{
    return static_cast<double>(bytes) / static_cast<double>(GiB);
}

/// Setups of all kinds, to state properties on.
std::vector<memory::Setup> variety()
{
    std::vector<memory::Setup> list;
    for (const Stack stack : {Stack::Rentune, Stack::HuggingFace}) {
        for (const bool cuda : {true, false}) {
            for (memory::Setup setup :
                 {test::fullTuning(test::qwen7b()), test::loraTuning(test::llama8b(), 16)}) {
                setup.stack = stack;
                setup.cuda = cuda;
                list.push_back(setup);
                setup.checkpointing = true;
                list.push_back(setup);
                setup.precision = Precision::Fp32;
                list.push_back(setup);
            }
        }
    }
    return list;
}

TEST(Estimate, TermsOfThePeakAddUpAndTheRangeIsOrdered)
{
    for (const memory::Setup &setup : variety()) {
        const Estimate result = estimate(setup);
        EXPECT_EQ(result.terms.total(), result.bytes.expected);
        EXPECT_LE(result.bytes.low, result.bytes.expected);
        EXPECT_LE(result.bytes.expected, result.bytes.high);
        for (const MemoryTerms &phase : result.phases)
            EXPECT_LE(phase.total(), result.bytes.expected);
        for (const Bytes bytes : result.terms)
            EXPECT_GE(bytes, 0);
    }
}

struct Change
{
    const char *name;
    std::function<void(memory::Setup &)> alter;
};

TEST(Estimate, MoreWorkNeverTakesLess)
{
    const Change changes[] = {
        {"longer", [](memory::Setup &s) { s.tokens *= 2; }},
        {"one token more", [](memory::Setup &s) { s.tokens += 1; }},
        {"larger micro batch", [](memory::Setup &s) { s.sequences += 1; }},
        {"accumulation", [](memory::Setup &s) { s.accumulation = 4; }},
        {"dropout", [](memory::Setup &s) { s.dropout = 0.1; }},
    };
    for (const Change &change : changes) {
        for (const memory::Setup &setup : variety()) {
            memory::Setup more = setup;
            change.alter(more);
            EXPECT_GE(peak(more), peak(setup)) << change.name;
        }
    }
}

TEST(Estimate, WiderNumbersNeverTakeLess)
{
    for (memory::Setup setup : variety()) {
        setup.masterWeights = false;
        setup.precision = Precision::Bf16;
        memory::Setup wide = setup;
        wide.precision = Precision::Fp32;
        EXPECT_GE(peak(wide), peak(setup));
    }
}

TEST(Estimate, SavingsSave)
{
    for (const memory::Setup &setup : variety()) {
        memory::Setup checkpointed = setup;
        checkpointed.checkpointing = true;
        checkpointed.sequences = 8;
        memory::Setup plain = checkpointed;
        plain.checkpointing = false;
        EXPECT_LE(activationsOf(checkpointed).saved, activationsOf(plain).saved);
        if (!setup.peft())
            continue;
        memory::Setup packed = setup;
        packed.quantization.type = wire::QuantizationType::Nf4;
        EXPECT_LT(peak(packed), peak(setup));
    }
}

TEST(Estimate, MoreRanksNeverTakeMoreUnderZero)
{
    for (const Strategy strategy : {Strategy::Zero1, Strategy::Zero2, Strategy::Zero3, Strategy::Fsdp}) {
        Bytes before = 0;
        for (int64_t ranks = 2; ranks <= 64; ranks *= 2) {
            memory::Setup setup = test::fullTuning(test::qwen7b());
            setup.strategy = strategy;
            setup.ranks = ranks;
            if (before > 0) {
                EXPECT_LE(peak(setup), before) << ranks;
            }
            before = peak(setup);
        }
    }
}

TEST(Estimate, HigherStagesNeverTakeMoreStates)
{
    Bytes before = 0;
    for (const Strategy strategy : {Strategy::Ddp, Strategy::Zero1, Strategy::Zero2, Strategy::Zero3}) {
        memory::Setup setup = test::fullTuning(test::qwen7b());
        setup.strategy = strategy;
        setup.ranks = 4;
        const Bytes states =
            weightBytes(setup) + gradientBytes(setup) + optimizerBytes(setup) + masterBytes(setup);
        if (before > 0) {
            EXPECT_LT(states, before);
        }
        before = states;
    }
}

TEST(Estimate, RiskGrowsAsRoomShrinks)
{
    memory::Setup setup = test::loraTuning(test::llama8b(), 16);
    setup.capacity = peak(setup) * 2;
    EXPECT_LT(estimate(setup).pOutOfMemory, 0.01);
    double before = 0;
    for (int percent = 130; percent >= 80; percent -= 10) {
        memory::Setup tight = setup;
        tight.capacity = setup.capacity / 200 * percent;
        const double risk = estimate(tight).pOutOfMemory;
        EXPECT_GE(risk, before);
        before = risk;
    }
    EXPECT_GT(before, 0.9);
}

TEST(Estimate, CpuHasNoContextAndNoReserve)
{
    memory::Setup setup = test::loraTuning(test::llama8b(), 8);
    setup.cuda = false;
    const Estimate result = estimate(setup);
    EXPECT_EQ(result.terms[Term::Context], 0);
    EXPECT_EQ(result.terms[Term::Reserve], 0);
}

TEST(Estimate, TransformersHoldsTheWholeBatchsLogitsAndWeDoNot)
{
    memory::Setup setup = test::loraTuning(test::llama8b(), 8);
    setup.sequences = 4;
    setup.tokens = 4096;
    EXPECT_LT(gib(lossMemory(setup).logits), 0.1);
    setup.stack = Stack::HuggingFace;
    EXPECT_NEAR(gib(lossMemory(setup).logits), 12.0 * 16384 * 128256 / (1 << 30), 1e-6);
}

} // namespace
} // namespace rentune::memory
