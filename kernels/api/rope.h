// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/api/element.h"

namespace rentune::kernels {

/// Cosine and sine of every row's angles, each [rows, dim / 2].
struct RopeAngles
{
    const float *cosine;
    const float *sine;
};

enum class Rotation
{
    Forward,
    Backward
};

/// Rotates x [rows, heads, dim] (halves layout of transformers: element j pairs with j + dim / 2) into y of
/// the same shape; Backward rotates by the negative angle, which is the gradient. y may be the same memory as
/// x.
void rope(const float *x, const RopeAngles &angles, Rotation rotation, Rows rows, int64_t heads, int64_t dim,
          float *y);
void rope(const Bf16 *x, const RopeAngles &angles, Rotation rotation, Rows rows, int64_t heads, int64_t dim,
          Bf16 *y);

} // namespace rentune::kernels
