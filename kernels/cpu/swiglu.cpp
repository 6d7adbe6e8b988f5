// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/api/swiglu.h"

#include "kernels/cpu/vector_math.h"

namespace rentune::kernels {
namespace {

template <typename T>
RENTUNE_INLINE void forward(const T *gate, const T *up, Rows rows, int64_t width, T *y)
{
#pragma omp simd
    for (int64_t i = rows.begin * width; i < rows.end * width; ++i) {
        const float g = load(gate[i]);
        store(y[i], g * sigmoid(g) * load(up[i]));
    }
}

template <typename T>
RENTUNE_INLINE void backward(const T *gate, const T *up, const T *dy, Rows rows, int64_t width, T *dgate,
                             T *dup)
{
#pragma omp simd
    for (int64_t i = rows.begin * width; i < rows.end * width; ++i) {
        const float g = load(gate[i]);
        const float s = sigmoid(g);
        const float grad = load(dy[i]);
        const float u = load(up[i]);
        store(dgate[i], grad * u * s * (1.0f + g * (1.0f - s)));
        store(dup[i], grad * g * s);
    }
}

} // namespace

RENTUNE_MULTIVERSION
void swiglu(const float *gate, const float *up, Rows rows, int64_t width, float *y)
{
    forward(gate, up, rows, width, y);
}

RENTUNE_MULTIVERSION
void swiglu(const Bf16 *gate, const Bf16 *up, Rows rows, int64_t width, Bf16 *y)
{
    forward(gate, up, rows, width, y);
}

RENTUNE_MULTIVERSION
void swiglu_backward(const float *gate, const float *up, const float *dy, Rows rows, int64_t width,
                     float *dgate, float *dup)
{
    backward(gate, up, dy, rows, width, dgate, dup);
}

RENTUNE_MULTIVERSION
void swiglu_backward(const Bf16 *gate, const Bf16 *up, const Bf16 *dy, Rows rows, int64_t width, Bf16 *dgate,
                     Bf16 *dup)
{
    backward(gate, up, dy, rows, width, dgate, dup);
}

} // namespace rentune::kernels
