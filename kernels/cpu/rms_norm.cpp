// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/api/rms_norm.h"

#include "kernels/cpu/vector_math.h"

#include <cmath>

namespace rentune::kernels {
namespace {

template <typename T>
RENTUNE_INLINE void forward(const T *x, const T *weight, float eps, Rows rows, int64_t width, T *y,
                            float *rstd)
{
    for (int64_t r = rows.begin; r < rows.end; ++r) {
        const T *in = x + r * width;
        T *out = y + r * width;
        float squares = 0;
#pragma omp simd reduction(+ : squares)
        for (int64_t c = 0; c < width; ++c)
            squares += load(in[c]) * load(in[c]);
        const float scale = 1.0f / std::sqrt(squares / static_cast<float>(width) + eps);
        rstd[r] = scale;
#pragma omp simd
        for (int64_t c = 0; c < width; ++c)
            store(out[c], load(weight[c]) * (load(in[c]) * scale));
    }
}

template <typename T>
RENTUNE_INLINE void backward(const T *x, const T *weight, const float *rstd, const T *dy, Rows rows,
                             int64_t width, T *dx)
{
    for (int64_t r = rows.begin; r < rows.end; ++r) {
        const T *in = x + r * width;
        const T *grad = dy + r * width;
        T *out = dx + r * width;
        float dot = 0;
#pragma omp simd reduction(+ : dot)
        for (int64_t c = 0; c < width; ++c)
            dot += load(grad[c]) * load(weight[c]) * load(in[c]);
        const float scale = rstd[r];
        const float share = dot / static_cast<float>(width) * scale * scale;
#pragma omp simd
        for (int64_t c = 0; c < width; ++c)
            store(out[c], scale * (load(grad[c]) * load(weight[c]) - load(in[c]) * share));
    }
}

template <typename T>
RENTUNE_INLINE void weightBackward(const T *x, const float *rstd, const T *dy, Rows rows, int64_t width,
                                   float *dweight)
{
    for (int64_t r = rows.begin; r < rows.end; ++r) {
        const T *in = x + r * width;
        const T *grad = dy + r * width;
        const float scale = rstd[r];
#pragma omp simd
        for (int64_t c = 0; c < width; ++c)
            dweight[c] += load(grad[c]) * load(in[c]) * scale;
    }
}

} // namespace

RENTUNE_MULTIVERSION
void rms_norm(const float *x, const float *weight, float eps, Rows rows, int64_t width, float *y, float *rstd)
{
    forward(x, weight, eps, rows, width, y, rstd);
}

RENTUNE_MULTIVERSION
void rms_norm(const Bf16 *x, const Bf16 *weight, float eps, Rows rows, int64_t width, Bf16 *y, float *rstd)
{
    forward(x, weight, eps, rows, width, y, rstd);
}

RENTUNE_MULTIVERSION
void rms_norm_backward(const float *x, const float *weight, const float *rstd, const float *dy, Rows rows,
                       int64_t width, float *dx)
{
    backward(x, weight, rstd, dy, rows, width, dx);
}

RENTUNE_MULTIVERSION
void rms_norm_backward(const Bf16 *x, const Bf16 *weight, const float *rstd, const Bf16 *dy, Rows rows,
                       int64_t width, Bf16 *dx)
{
    backward(x, weight, rstd, dy, rows, width, dx);
}

RENTUNE_MULTIVERSION
void rms_norm_weight_backward(const float *x, const float *rstd, const float *dy, Rows rows, int64_t width,
                              float *dweight)
{
    weightBackward(x, rstd, dy, rows, width, dweight);
}

RENTUNE_MULTIVERSION
void rms_norm_weight_backward(const Bf16 *x, const float *rstd, const Bf16 *dy, Rows rows, int64_t width,
                              float *dweight)
{
    weightBackward(x, rstd, dy, rows, width, dweight);
}

} // namespace rentune::kernels
