// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/api/element.h"

namespace rentune::kernels {

/// Cross-entropy of rows of logits [*, vocab] with the labels (one a row, each in [0, vocab)):
/// loss[r] = log Σ e^logits[r] − logits[r][label[r]], maximum subtracted first.
void cross_entropy(const float *logits, const int64_t *label, Rows rows, int64_t vocab, float *loss);

/// The same, and replaces the logits by their gradient: scale · (softmax − one-hot of the label).
void cross_entropy_backward(float *logits, const int64_t *label, float scale, Rows rows, int64_t vocab,
                            float *loss);

} // namespace rentune::kernels
