// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/api/element.h"

namespace rentune::kernels {

/// y = silu(gate) · up over the elements of rows [begin, end) of matrices [*, width]; silu(g) = g / (1 +
/// e^−g). Computed in fp32. y may be the same memory as gate or up.
void swiglu(const float *gate, const float *up, Rows rows, int64_t width, float *y);
void swiglu(const Bf16 *gate, const Bf16 *up, Rows rows, int64_t width, Bf16 *y);

/// dgate = dy · up · σ(gate) · (1 + gate · (1 − σ(gate))), dup = dy · silu(gate).
void swiglu_backward(const float *gate, const float *up, const float *dy, Rows rows, int64_t width,
                     float *dgate, float *dup);
void swiglu_backward(const Bf16 *gate, const Bf16 *up, const Bf16 *dy, Rows rows, int64_t width, Bf16 *dgate,
                     Bf16 *dup);

} // namespace rentune::kernels
