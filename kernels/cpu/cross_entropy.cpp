// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/api/cross_entropy.h"

#include "kernels/cpu/vector_math.h"

#include <cmath>

namespace rentune::kernels {
namespace {

RENTUNE_INLINE float maximum(const float *values, int64_t count)
{
    float largest = values[0];
#pragma omp simd reduction(max : largest)
    for (int64_t i = 0; i < count; ++i)
        largest = values[i] > largest ? values[i] : largest;
    return largest;
}

} // namespace

RENTUNE_MULTIVERSION
void cross_entropy(const float *logits, const int64_t *label, Rows rows, int64_t vocab, float *loss)
{
    for (int64_t r = rows.begin; r < rows.end; ++r) {
        const float *row = logits + r * vocab;
        const float largest = maximum(row, vocab);
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < vocab; ++i)
            sum += fastExp(row[i] - largest);
        loss[r] = std::log(sum) + (largest - row[label[r]]);
    }
}

RENTUNE_MULTIVERSION
void cross_entropy_backward(float *logits, const int64_t *label, float scale, Rows rows, int64_t vocab,
                            float *loss)
{
    for (int64_t r = rows.begin; r < rows.end; ++r) {
        float *row = logits + r * vocab;
        const float largest = maximum(row, vocab);
        const float own = row[label[r]];
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < vocab; ++i) {
            row[i] = fastExp(row[i] - largest);
            sum += row[i];
        }
        loss[r] = std::log(sum) + (largest - own);
        const float factor = scale / sum;
#pragma omp simd
        for (int64_t i = 0; i < vocab; ++i)
            row[i] *= factor;
        row[label[r]] -= scale;
    }
}

} // namespace rentune::kernels
