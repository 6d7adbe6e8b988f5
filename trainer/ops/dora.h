// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/ops/dropout.h"
#include "trainer/ops/linear.h"

namespace rentune::trainer {

/// Norms of the rows of W + scale · B A, [out], fp32: DoRA's magnitudes before training.
at::Tensor adaptedRowNorms(const at::Tensor &weight, const at::Tensor &a, const at::Tensor &b, double scale);

/// A linear module with a weight-decomposed adapter (Liu et al. 2024, as PEFT computes it):
/// y = x Wᵀ + bias + (g − 1) d(x) Wᵀ + g scale (d(x) Aᵀ) Bᵀ, d the dropout and g = magnitude / row norms of
/// W + scale · B A, the norms held constant in the gradient (section 4.3). Precondition: `linear` has an
/// adapter with a magnitude.
at::Tensor doraLinear(const at::Tensor &x, const Linear &linear, const Dropout &dropout);

} // namespace rentune::trainer
