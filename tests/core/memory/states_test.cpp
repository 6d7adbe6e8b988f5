// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/states.h"
#include "tests/core/memory/models.h"

#include <gtest/gtest.h>

namespace rentune::memory {
namespace {

using wire::Offload;
using wire::Strategy;

Bytes states(const memory::Setup &setup)
{
    return weightBytes(setup) + quantizationBytes(setup) + adapterBytes(setup) + gradientBytes(setup) +
           optimizerBytes(setup) + masterBytes(setup);
}

/// Full fine-tuning of 7,615,616,512 parameters on 8 GPUs, bf16 with fp32 master and moments.
Setup sevenB(Strategy strategy)
{
    memory::Setup setup = test::fullTuning(test::qwen7b());
    setup.strategy = strategy;
    setup.ranks = 8;
    return setup;
}

TEST(States, SixteenBytesAParameterAndItsShares)
{
    EXPECT_EQ(sevenB(Strategy::Ddp).shape.parameters, 7615616512);
    EXPECT_EQ(states(sevenB(Strategy::Ddp)), 121849864192);
    EXPECT_EQ(states(sevenB(Strategy::Zero1)), 41885890816);
    EXPECT_EQ(states(sevenB(Strategy::Zero2)), 28558561920);
    EXPECT_EQ(states(sevenB(Strategy::Zero3)), 15231233024);
    EXPECT_EQ(states(sevenB(Strategy::Fsdp)), 15231233024);
}

TEST(States, OffloadMovesMomentsAndMasterToTheHost)
{
    memory::Setup setup = sevenB(Strategy::Zero3);
    setup.offload = Offload::Optimizer;
    EXPECT_EQ(states(setup), 3807808256);
    EXPECT_EQ(offloadedBytes(setup), 12 * setup.shape.parameters / 8);
}

/// Figures that published sources state for a round 7·10⁹, in 10⁹ bytes.
TEST(States, SourcesFiguresFor7B)
{
    const auto gigabytes = [](Strategy strategy, int64_t ranks) {
        memory::Setup setup;
        setup.shape.parameters = setup.trainedBase = 7'000'000'000;
        setup.strategy = strategy;
        setup.ranks = ranks;
        return static_cast<double>(states(setup)) / 1e9;
    };
    EXPECT_DOUBLE_EQ(gigabytes(Strategy::None, 1), 112);
    EXPECT_DOUBLE_EQ(gigabytes(Strategy::Zero1, 2), 70);
    EXPECT_DOUBLE_EQ(gigabytes(Strategy::Zero1, 4), 49);
    EXPECT_DOUBLE_EQ(gigabytes(Strategy::Zero2, 2), 63);
    EXPECT_DOUBLE_EQ(gigabytes(Strategy::Zero2, 4), 38.5);
    EXPECT_DOUBLE_EQ(gigabytes(Strategy::Zero3, 2), 56);
    EXPECT_DOUBLE_EQ(gigabytes(Strategy::Zero3, 4), 28);
}

TEST(States, PureBf16And32BitsAndEightBitMoments)
{
    memory::Setup setup = test::fullTuning(test::qwen7b());
    const Bytes parameters = setup.shape.parameters;
    setup.masterWeights = false;
    EXPECT_EQ(states(setup), 8 * parameters);
    setup.precision = wire::Precision::Fp32;
    EXPECT_EQ(states(setup), 16 * parameters);
    EXPECT_EQ(masterBytes(setup), 0);
    setup.optimizer = Optimizer::Sgd;
    EXPECT_EQ(states(setup), 8 * parameters);
    setup.optimizer = Optimizer::AdamW8bit;
    EXPECT_NEAR(static_cast<double>(states(setup)) / static_cast<double>(parameters), 10, 0.05);
}

TEST(States, FrozenBaseHasNoGradientAndLoraCostsSixteenBytesAParameter)
{
    const memory::Setup setup = test::loraTuning(test::llama8b(), 16);
    EXPECT_EQ(setup.shape.parameters, 8030261248);
    EXPECT_EQ(setup.adapter.parameters, 41943040);
    EXPECT_EQ(weightBytes(setup), 16060522496);
    EXPECT_EQ(states(setup) - weightBytes(setup), 16 * setup.adapter.parameters);
    EXPECT_EQ(masterBytes(setup), 0);
}

TEST(States, Nf4WithDoubleQuantizationKeepsEmbeddingAndHead)
{
    memory::Setup setup = test::loraTuning(test::llama8b(), 16);
    setup.quantization.type = wire::QuantizationType::Nf4;
    EXPECT_EQ(setup.shape.blockLinear, 6979321856);
    const Bytes bytes = weightBytes(setup) + quantizationBytes(setup);
    EXPECT_NEAR(static_cast<double>(bytes) / static_cast<double>(GiB), 5.31, 0.01 * 5.31);
    const double bits =
        8.0 * static_cast<double>(quantizationBytes(setup)) / static_cast<double>(setup.shape.blockLinear);
    EXPECT_NEAR(bits, 0.127, 0.001);
    memory::Setup single = setup;
    single.quantization.doubleQuant = false;
    const double saved = 8.0 * static_cast<double>(quantizationBytes(single) - quantizationBytes(setup)) /
                         static_cast<double>(setup.shape.blockLinear);
    EXPECT_NEAR(saved, 0.373, 0.001) << "double quantization saves about 0.37 bit a parameter";
}

TEST(States, SharesAddUpToNoLessThanTheWhole)
{
    for (int64_t ranks = 1; ranks <= 17; ++ranks) {
        memory::Setup setup = sevenB(Strategy::Zero3);
        setup.ranks = ranks;
        EXPECT_GE(states(setup) * ranks, 16 * setup.shape.parameters) << ranks;
        EXPECT_LT(states(setup) * ranks, 16 * setup.shape.parameters + 4 * ranks * ranks) << ranks;
    }
}

} // namespace
} // namespace rentune::memory
