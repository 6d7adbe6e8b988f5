// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/ops/weight.h"

namespace rentune::trainer {

/// Label of a token that is not trained.
inline constexpr int64_t ignoredLabel = -100;

/// labels [batch, tokens] → [batch · tokens]: each place holds the label of its next token, the last of a
/// sequence none.
at::Tensor shiftedLabels(const at::Tensor &labels);

/// Bytes of fp32 logits that headLoss holds at once.
inline constexpr int64_t logitsChunkBytes = int64_t{64} << 20;

struct HeadLoss
{
    double sum = 0;     ///< Σ cross-entropy over the trained places
    int64_t tokens = 0; ///< trained places
    at::Tensor dhidden; ///< gradient of sum / divisor by hidden; undefined if not asked for
};

enum class LossPass
{
    Value,
    ValueAndGradient
};

/// Cross-entropy of hidden [rows, width] against shifted labels [rows] (−100 ignored), logits = hidden ·
/// headᵀ with head [vocab, width]. Works through the trained rows by chunks of logitsChunkBytes: neither
/// logits nor their gradient exist for the whole batch. A trainable head gets its gradient added. Labels must
/// be below vocab.
HeadLoss headLoss(const at::Tensor &hidden, Weight &head, const at::Tensor &shifted, double divisor,
                  LossPass pass);

} // namespace rentune::trainer
