// SPDX-License-Identifier: GPL-3.0-or-later
// Every kernel against a plain loop in double precision, and every gradient against finite differences of
// that loop.
#include "kernels/api/attention_softmax.h"
#include "kernels/api/cross_entropy.h"
#include "kernels/api/eight_bit.h"
#include "kernels/api/four_bit.h"
#include "kernels/api/rms_norm.h"
#include "kernels/api/rope.h"
#include "kernels/api/swiglu.h"
#include "kernels/cpu/vector_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace rentune::kernels {
namespace {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;

Floats randomFloats(size_t count, unsigned seed, float spread = 1.5f)
{
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal(0, spread);
    Floats values(count);
    for (float &value : values)
        value = normal(engine);
    return values;
}

Doubles widened(const Floats &values)
{
    return {values.begin(), values.end()};
}

void expectNear(const Floats &got, const Doubles &want, double tolerance)
{
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], want[i], tolerance * std::max(1.0, std::abs(want[i]))) << "element " << i;
}

/// Gradient of Σ weight · f(x) by x, by central differences in double precision.
Doubles finiteDifferences(const std::function<Doubles(const Doubles &)> &f, Doubles x, const Floats &weight)
{
    constexpr double step = 1e-5;
    Doubles gradient(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
        double difference = 0;
        for (const double sign : {1.0, -1.0}) {
            const double kept = x[i];
            x[i] += sign * step;
            const Doubles y = f(x);
            x[i] = kept;
            for (size_t j = 0; j < y.size(); ++j)
                difference += sign * weight[j] * y[j];
        }
        gradient[i] = difference / (2 * step);
    }
    return gradient;
}

TEST(FastExp, IsExactToTwoUnits)
{
    for (float x = -86.0f; x < 87.0f; x += 0.0173f) {
        const double exact = std::exp(static_cast<double>(x));
        EXPECT_NEAR(fastExp(x) / exact, 1, 2.4e-7) << x;
    }
    EXPECT_GT(fastExp(-1000.0f), 0.0f);
    EXPECT_TRUE(std::isfinite(fastExp(1000.0f)));
}

TEST(Bf16, RoundsToNearestEven)
{
    Bf16 place{};
    store(place, 1.00390625f); // half way between 1 and the next bf16: the even one is 1
    EXPECT_EQ(load(place), 1.0f);
    store(place, 1.01171875f); // half way, the even one is above
    EXPECT_EQ(load(place), 1.015625f);
    store(place, std::nanf(""));
    EXPECT_TRUE(std::isnan(load(place)));
}

constexpr int64_t normRows = 3;
constexpr int64_t normWidth = 37;
constexpr float normEps = 1e-5f;

Doubles plainRmsNorm(const Doubles &x, const Doubles &weight)
{
    Doubles y(x.size());
    for (int64_t r = 0; r < normRows; ++r) {
        double squares = 0;
        for (int64_t c = 0; c < normWidth; ++c)
            squares += x[r * normWidth + c] * x[r * normWidth + c];
        for (int64_t c = 0; c < normWidth; ++c)
            y[r * normWidth + c] =
                weight[c] * x[r * normWidth + c] / std::sqrt(squares / normWidth + normEps);
    }
    return y;
}

TEST(RmsNorm, ForwardAndBothGradients)
{
    const Floats x = randomFloats(normRows * normWidth, 1);
    const Floats weight = randomFloats(normWidth, 2);
    const Floats dy = randomFloats(x.size(), 3);
    Floats y(x.size());
    Floats rstd(normRows);
    Floats dx(x.size());
    Floats dweight(normWidth, 0.0f);
    const Rows rows{0, normRows};
    rms_norm(x.data(), weight.data(), normEps, rows, normWidth, y.data(), rstd.data());
    rms_norm_backward(x.data(), weight.data(), rstd.data(), dy.data(), rows, normWidth, dx.data());
    rms_norm_weight_backward(x.data(), rstd.data(), dy.data(), rows, normWidth, dweight.data());

    expectNear(y, plainRmsNorm(widened(x), widened(weight)), 1e-6);
    expectNear(
        dx,
        finiteDifferences([&](const Doubles &v) { return plainRmsNorm(v, widened(weight)); }, widened(x), dy),
        2e-6);
    expectNear(
        dweight,
        finiteDifferences([&](const Doubles &v) { return plainRmsNorm(widened(x), v); }, widened(weight), dy),
        2e-6);
}

TEST(RmsNorm, Bf16RoundsTheFp32Result)
{
    const Floats x = randomFloats(normRows * normWidth, 4);
    const Floats weight = randomFloats(normWidth, 5);
    std::vector<Bf16> xLow(x.size());
    std::vector<Bf16> weightLow(weight.size());
    std::vector<Bf16> yLow(x.size());
    Floats rstd(normRows);
    Floats xBack(x.size());
    Floats weightBack(weight.size());
    for (size_t i = 0; i < x.size(); ++i) {
        store(xLow[i], x[i]);
        xBack[i] = load(xLow[i]);
    }
    for (size_t i = 0; i < weight.size(); ++i) {
        store(weightLow[i], weight[i]);
        weightBack[i] = load(weightLow[i]);
    }
    rms_norm(xLow.data(), weightLow.data(), normEps, Rows{0, normRows}, normWidth, yLow.data(), rstd.data());
    const Doubles want = plainRmsNorm(widened(xBack), widened(weightBack));
    for (size_t i = 0; i < want.size(); ++i)
        EXPECT_NEAR(load(yLow[i]), want[i], std::abs(want[i]) / 256 + 1e-6);
}

TEST(RmsNorm, RowsDoNotDependOnTheSplit)
{
    const Floats x = randomFloats(normRows * normWidth, 6);
    const Floats weight = randomFloats(normWidth, 7);
    Floats whole(x.size());
    Floats parts(x.size());
    Floats rstd(normRows);
    rms_norm(x.data(), weight.data(), normEps, Rows{0, normRows}, normWidth, whole.data(), rstd.data());
    for (int64_t r = normRows - 1; r >= 0; --r)
        rms_norm(x.data(), weight.data(), normEps, Rows{r, r + 1}, normWidth, parts.data(), rstd.data());
    EXPECT_EQ(whole, parts);
}

Doubles plainSwiglu(const Doubles &gate, const Doubles &up)
{
    Doubles y(gate.size());
    for (size_t i = 0; i < y.size(); ++i)
        y[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
    return y;
}

TEST(Swiglu, ForwardAndBothGradients)
{
    const int64_t width = 29;
    const Floats gate = randomFloats(4 * width, 8, 4);
    const Floats up = randomFloats(gate.size(), 9);
    const Floats dy = randomFloats(gate.size(), 10);
    Floats y(gate.size());
    Floats dgate(gate.size());
    Floats dup(gate.size());
    const Rows rows{0, 4};
    swiglu(gate.data(), up.data(), rows, width, y.data());
    swiglu_backward(gate.data(), up.data(), dy.data(), rows, width, dgate.data(), dup.data());
    expectNear(y, plainSwiglu(widened(gate), widened(up)), 1e-6);
    expectNear(
        dgate,
        finiteDifferences([&](const Doubles &v) { return plainSwiglu(v, widened(up)); }, widened(gate), dy),
        2e-6);
    expectNear(
        dup,
        finiteDifferences([&](const Doubles &v) { return plainSwiglu(widened(gate), v); }, widened(up), dy),
        2e-6);
}

TEST(Rope, RotatesPairsAndTurnsBack)
{
    constexpr int64_t rows = 3;
    constexpr int64_t heads = 2;
    constexpr int64_t dim = 10;
    const Floats x = randomFloats(rows * heads * dim, 11);
    Floats cosine(rows * dim / 2);
    Floats sine(rows * dim / 2);
    for (size_t i = 0; i < cosine.size(); ++i) {
        cosine[i] = std::cos(0.3f * static_cast<float>(i));
        sine[i] = std::sin(0.3f * static_cast<float>(i));
    }
    Doubles want(x.size());
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t h = 0; h < heads; ++h)
            for (int64_t j = 0; j < dim / 2; ++j) {
                const size_t low = static_cast<size_t>((r * heads + h) * dim + j);
                const size_t angle = static_cast<size_t>(r * dim / 2 + j);
                want[low] = x[low] * cosine[angle] - x[low + dim / 2] * sine[angle];
                want[low + dim / 2] = x[low + dim / 2] * cosine[angle] + x[low] * sine[angle];
            }
    Floats y(x.size());
    const RopeAngles angles{cosine.data(), sine.data()};
    rope(x.data(), angles, Rotation::Forward, Rows{0, rows}, heads, dim, y.data());
    expectNear(y, want, 1e-6);
    rope(y.data(), angles, Rotation::Backward, Rows{0, rows}, heads, dim, y.data());
    expectNear(y, widened(x), 1e-6);
}

Doubles plainCrossEntropy(const Doubles &logits, const std::vector<int64_t> &label, int64_t vocab)
{
    Doubles loss(label.size());
    for (size_t r = 0; r < label.size(); ++r) {
        double sum = 0;
        for (int64_t i = 0; i < vocab; ++i)
            sum += std::exp(logits[r * vocab + i]);
        loss[r] = std::log(sum) - logits[r * vocab + label[r]];
    }
    return loss;
}

TEST(CrossEntropy, LossAndGradient)
{
    constexpr int64_t vocab = 43;
    const std::vector<int64_t> label{0, 42, 17};
    const Floats logits = randomFloats(label.size() * vocab, 12, 5);
    const Rows rows{0, 3};
    Floats loss(label.size());
    cross_entropy(logits.data(), label.data(), rows, vocab, loss.data());
    expectNear(loss, plainCrossEntropy(widened(logits), label, vocab), 1e-6);

    Floats gradient = logits;
    cross_entropy_backward(gradient.data(), label.data(), 0.25f, rows, vocab, loss.data());
    expectNear(loss, plainCrossEntropy(widened(logits), label, vocab), 1e-6);
    const Floats quarter(label.size(), 0.25f);
    expectNear(gradient,
               finiteDifferences([&](const Doubles &v) { return plainCrossEntropy(v, label, vocab); },
                                 widened(logits), quarter),
               1e-6);
}

TEST(CrossEntropy, SurvivesLargeLogits)
{
    const Floats logits{3000.0f, -3000.0f, 2999.0f};
    const std::vector<int64_t> label{2};
    float loss = 0;
    cross_entropy(logits.data(), label.data(), Rows{0, 1}, 3, &loss);
    EXPECT_NEAR(loss, 1 + std::log1p(std::exp(-1.0)), 1e-6);
}

/// Two query heads of three queries each over five keys; the queries are the last three positions.
ScoreBlock sampleBlock(const uint8_t *visible)
{
    return {.keys = 5, .queries = 3, .firstQuery = 2, .window = 0, .scale = 0.5f, .visible = visible, .visibleStride = 5};
}

Doubles plainSoftmax(const Doubles &scores, const ScoreBlock &block)
{
    Doubles p(scores.size(), 0.0);
    for (size_t r = 0; r < scores.size() / block.keys; ++r) {
        const int64_t query = static_cast<int64_t>(r) % block.queries;
        const auto sees = [&](int64_t k) {
            return k <= block.firstQuery + query &&
                   (!block.visible || block.visible[query * block.visibleStride + k]);
        };
        double sum = 0;
        for (int64_t k = 0; k < block.keys; ++k)
            sum += sees(k) ? std::exp(block.scale * scores[r * block.keys + k]) : 0;
        for (int64_t k = 0; k < block.keys && sum > 0; ++k)
            p[r * block.keys + k] = sees(k) ? std::exp(block.scale * scores[r * block.keys + k]) / sum : 0;
    }
    return p;
}

TEST(AttentionSoftmax, ForwardAgainAndGradient)
{
    // the second query sees nothing at all
    const std::vector<uint8_t> mask{1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1};
    for (const uint8_t *visible : {static_cast<const uint8_t *>(nullptr), mask.data()}) {
        const ScoreBlock block = sampleBlock(visible);
        const Rows rows{0, 6};
        const Floats scores = randomFloats(6 * 5, 13, 3);
        Floats p = scores;
        Floats logSum(6);
        attention_softmax(p.data(), block, rows, logSum.data());
        expectNear(p, plainSoftmax(widened(scores), block), 1e-6);

        Floats again = scores;
        attention_softmax_again(again.data(), block, rows, logSum.data());
        expectNear(again, widened(p), 1e-6);

        const Floats dp = randomFloats(p.size(), 14);
        Floats delta(6, 0.0f);
        for (size_t i = 0; i < p.size(); ++i)
            delta[i / 5] += p[i] * dp[i];
        Floats dscores = dp;
        attention_softmax_backward(p.data(), dscores.data(), block, rows, delta.data());
        expectNear(
            dscores,
            finiteDifferences([&](const Doubles &v) { return plainSoftmax(v, block); }, widened(scores), dp),
            2e-6);
    }
}

struct Packed
{
    std::vector<uint8_t> bytes;
    Floats absmax;
};

Packed pack(const Floats &x, const FourBitMatrix &matrix)
{
    Packed packed{std::vector<uint8_t>(matrix.packedBytes()), Floats(matrix.blocks())};
    quantize_4bit(x.data(), matrix, {0, matrix.blocks()}, packed.bytes.data(), packed.absmax.data());
    return packed;
}

Floats unpack(const Packed &packed, const FourBitMatrix &matrix, ScaleOrder order)
{
    Floats y(matrix.count());
    dequantize_4bit(packed.bytes.data(), packed.absmax.data(), matrix, order, {0, matrix.rows}, y.data());
    return y;
}

TEST(FourBit, EveryElementIsTheNearestCodeOfItsBlock)
{
    for (const FourBit type : {FourBit::Nf4, FourBit::Fp4}) {
        const FourBitMatrix matrix{type, 5, 33, 32};
        const Floats x = randomFloats(matrix.count(), 21);
        const Packed packed = pack(x, matrix);
        const Floats y = unpack(packed, matrix, ScaleOrder::Blocks);
        // A matrix of every code, one block with the scale 1, gives the format's values.
        const FourBitMatrix all{type, 1, 16, 32};
        Packed every{{}, {1}};
        for (int i = 0; i < 8; ++i)
            every.bytes.push_back(static_cast<uint8_t>(2 * i << 4 | (2 * i + 1)));
        const Floats codes = unpack(every, all, ScaleOrder::Blocks);
        for (int64_t i = 0; i < matrix.count(); ++i) {
            double largest = 0;
            for (int64_t j = i / 32 * 32; j < std::min<int64_t>(matrix.count(), i / 32 * 32 + 32); ++j)
                largest = std::max<double>(largest, std::abs(x[j]));
            double best = 1e9;
            for (const float code : codes)
                best = std::min(best, std::abs(code * largest - x[i]));
            EXPECT_NEAR(std::abs(y[i] - x[i]), best, 1e-6) << i;
        }
    }
}

TEST(FourBit, ZerosStayZeros)
{
    const FourBitMatrix matrix{FourBit::Nf4, 2, 33, 64};
    const Packed packed = pack(Floats(matrix.count()), matrix);
    EXPECT_EQ(packed.absmax[0], 0);
    for (const float value : unpack(packed, matrix, ScaleOrder::Blocks))
        EXPECT_EQ(value, 0);
}

TEST(FourBit, TheReferencesOrderDiffersOnlyWhereRowsAreNotWholeBlocks)
{
    for (const int64_t columns : {64, 128, 40, 33}) {
        const FourBitMatrix matrix{FourBit::Nf4, 6, columns, 64};
        const Packed packed = pack(randomFloats(matrix.count(), 22), matrix);
        EXPECT_EQ(unpack(packed, matrix, ScaleOrder::Blocks), unpack(packed, matrix, ScaleOrder::Reference));
    }
    const FourBitMatrix matrix{FourBit::Nf4, 2, 96, 64};
    Packed ones{std::vector<uint8_t>(matrix.packedBytes(), 0xFF), {1, 2, 3}};
    const Floats y = unpack(ones, matrix, ScaleOrder::Reference);
    EXPECT_EQ((Floats{y[0], y[64], y[96], y[96 + 63], y[96 + 64]}), (Floats{1, 2, 2, 2, 3}));
}

TEST(EightBit, CodesAreOrderedAndNearestWithinTheTable)
{
    const float *codes = dynamic_code();
    EXPECT_TRUE(std::is_sorted(codes, codes + eightBitCodes));
    const Floats x = randomFloats(600, 23);
    std::vector<uint8_t> packed(x.size());
    Floats absmax(3);
    quantize_8bit(x.data(), 600, 256, {0, 3}, packed.data(), absmax.data());
    Floats y(x.size());
    dequantize_8bit(packed.data(), absmax.data(), 600, 256, {0, 3}, y.data());
    for (size_t i = 0; i < x.size(); ++i) {
        const double scale = absmax[i / 256];
        double best = 1e9;
        for (int c = 0; c < eightBitCodes; ++c)
            best = std::min(best, std::abs(codes[c] * scale - x[i]));
        EXPECT_LE(std::abs(y[i] - x[i]), best + scale / 32768) << i;
    }
}

} // namespace
} // namespace rentune::kernels
