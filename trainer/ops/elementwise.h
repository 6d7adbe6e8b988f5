// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/ops/weight.h"

#include <vector>

namespace rentune::trainer {

/// weight · x / √(mean(x²) + eps) over rows of the weight's length: x [rows, k · width] counts as [rows · k,
/// width], so that the same call normalises whole rows and single heads. Computed in fp32. Saves x and one
/// float a row.
at::Tensor rmsNorm(const at::Tensor &x, const WeightPtr &weight, double eps);

/// Cosine and sine of the rotary angles of each row: [rows, headDim / 2], fp32.
struct RotaryTable
{
    at::Tensor cosine;
    at::Tensor sine;

    /// Angles position · inverse[j] in fp32; `scale` multiplies cosine and sine.
    static RotaryTable make(const at::Tensor &positions, const std::vector<float> &inverse, double scale);
};

/// Rotates the heads of x [rows, heads · headDim] by their row's angles.
at::Tensor rotate(const at::Tensor &x, const RotaryTable &table);

/// silu(gate) · up.
at::Tensor swiglu(const at::Tensor &gate, const at::Tensor &up);

} // namespace rentune::trainer
