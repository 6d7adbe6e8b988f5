// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/api/attention_softmax.h"

#include "kernels/cpu/vector_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rentune::kernels {
namespace {

RENTUNE_INLINE int64_t visibleEnd(const ScoreBlock &block, int64_t row)
{
    return std::min(block.keys, block.firstQuery + row % block.queries + 1);
}

RENTUNE_INLINE int64_t visibleBegin(const ScoreBlock &block, int64_t row)
{
    const int64_t outside = block.firstQuery + row % block.queries + 1 - block.window;
    return block.window > 0 ? std::clamp<int64_t>(outside, 0, block.keys) : 0;
}

/// Scales the row's visible scores and puts −∞ at hidden ones.
RENTUNE_INLINE void maskRow(float *row, const ScoreBlock &block, int64_t r, int64_t begin, int64_t end)
{
    constexpr float hidden = -std::numeric_limits<float>::infinity();
    if (!block.visible) {
#pragma omp simd
        for (int64_t k = begin; k < end; ++k)
            row[k] *= block.scale;
        return;
    }
    const uint8_t *visible = block.visible + (r % block.queries) * block.visibleStride;
#pragma omp simd
    for (int64_t k = begin; k < end; ++k)
        row[k] = visible[k] ? row[k] * block.scale : hidden;
}

/// e^(score − shift) for visible scores, 0 for hidden ones; returns the sum.
RENTUNE_INLINE float exponentials(float *row, int64_t begin, int64_t end, float shift)
{
    constexpr float hidden = -std::numeric_limits<float>::infinity();
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t k = begin; k < end; ++k) {
        const float value = row[k] == hidden ? 0.0f : fastExp(row[k] - shift);
        row[k] = value;
        sum += value;
    }
    return sum;
}

} // namespace

RENTUNE_MULTIVERSION
void attention_softmax(float *scores, const ScoreBlock &block, Rows rows, float *logSum)
{
    for (int64_t r = rows.begin; r < rows.end; ++r) {
        float *row = scores + r * block.keys;
        const int64_t begin = visibleBegin(block, r);
        const int64_t end = visibleEnd(block, r);
        maskRow(row, block, r, begin, end);
        float largest = -std::numeric_limits<float>::infinity();
#pragma omp simd reduction(max : largest)
        for (int64_t k = begin; k < end; ++k)
            largest = row[k] > largest ? row[k] : largest;
        if (largest == -std::numeric_limits<float>::infinity()) {
            std::fill(row, row + block.keys, 0.0f);
            logSum[r] = std::numeric_limits<float>::infinity();
            continue;
        }
        const float sum = exponentials(row, begin, end, largest);
        const float factor = 1.0f / sum;
#pragma omp simd
        for (int64_t k = begin; k < end; ++k)
            row[k] *= factor;
        std::fill(row, row + begin, 0.0f);
        std::fill(row + end, row + block.keys, 0.0f);
        logSum[r] = largest + std::log(sum);
    }
}

RENTUNE_MULTIVERSION
void attention_softmax_again(float *scores, const ScoreBlock &block, Rows rows, const float *logSum)
{
    for (int64_t r = rows.begin; r < rows.end; ++r) {
        float *row = scores + r * block.keys;
        if (std::isinf(logSum[r])) {
            std::fill(row, row + block.keys, 0.0f);
            continue;
        }
        const int64_t begin = visibleBegin(block, r);
        const int64_t end = visibleEnd(block, r);
        maskRow(row, block, r, begin, end);
        exponentials(row, begin, end, logSum[r]);
        std::fill(row, row + begin, 0.0f);
        std::fill(row + end, row + block.keys, 0.0f);
    }
}

RENTUNE_MULTIVERSION
void attention_softmax_backward(const float *probabilities, float *dprobabilities, const ScoreBlock &block,
                                Rows rows, const float *delta)
{
    for (int64_t r = rows.begin; r < rows.end; ++r) {
        const float *p = probabilities + r * block.keys;
        float *dp = dprobabilities + r * block.keys;
        const float shift = delta[r];
#pragma omp simd
        for (int64_t k = 0; k < block.keys; ++k)
            dp[k] = block.scale * p[k] * (dp[k] - shift);
    }
}

} // namespace rentune::kernels
