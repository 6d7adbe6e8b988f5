// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/api/rope.h"

#include "kernels/cpu/vector_math.h"

namespace rentune::kernels {
namespace {

template <typename T>
RENTUNE_INLINE void rotate(const T *x, const RopeAngles &angles, Rotation rotation, Rows rows, int64_t heads,
                           int64_t dim, T *y)
{
    const int64_t half = dim / 2;
    const float sign = rotation == Rotation::Forward ? 1.0f : -1.0f;
    for (int64_t r = rows.begin; r < rows.end; ++r) {
        const float *cosine = angles.cosine + r * half;
        const float *sine = angles.sine + r * half;
        for (int64_t h = 0; h < heads; ++h) {
            const T *in = x + (r * heads + h) * dim;
            T *out = y + (r * heads + h) * dim;
#pragma omp simd
            for (int64_t j = 0; j < half; ++j) {
                const float low = load(in[j]);
                const float high = load(in[j + half]);
                const float s = sign * sine[j];
                store(out[j], low * cosine[j] - high * s);
                store(out[j + half], high * cosine[j] + low * s);
            }
        }
    }
}

} // namespace

RENTUNE_MULTIVERSION
void rope(const float *x, const RopeAngles &angles, Rotation rotation, Rows rows, int64_t heads, int64_t dim,
          float *y)
{
    rotate(x, angles, rotation, rows, heads, dim, y);
}

RENTUNE_MULTIVERSION
void rope(const Bf16 *x, const RopeAngles &angles, Rotation rotation, Rows rows, int64_t heads, int64_t dim,
          Bf16 *y)
{
    rotate(x, angles, rotation, rows, heads, dim, y);
}

} // namespace rentune::kernels
