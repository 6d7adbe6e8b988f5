// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/ops/weight.h"

namespace rentune::trainer {

/// Puts `count` trained rows before each sequence of x [batch · tokens, width] → [batch · (count + tokens),
/// width]: columns [first, first + width) of `rows` [count, ≥ first + width] (fp32), in x's dtype, the same
/// for every sequence.
at::Tensor withRowsBefore(const at::Tensor &x, const WeightPtr &rows, int64_t first, int64_t batch);

/// The weights of P-tuning's encoder: virtual tokens [count, width] through a perceptron of three layers.
struct PromptEncoder
{
    WeightPtr embedding;            ///< [count, width]
    std::vector<WeightPtr> weights; ///< [inner, width], [inner, inner], [width, inner]
    std::vector<WeightPtr> biases;

    std::vector<WeightPtr> all() const;
    at::Tensor rows() const;                      ///< [count, width], fp32
    void backward(const at::Tensor &drows) const; ///< adds the weights' gradients
};

} // namespace rentune::trainer
