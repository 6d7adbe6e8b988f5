// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/api/element.h"

namespace rentune::kernels {

/// A block of attention scores [rows, keys] of one sequence and one key head. The rows are `queries`
/// consecutive query positions, repeated for each query head that shares the key head.
struct ScoreBlock
{
    int64_t keys;           ///< row length
    int64_t queries;        ///< row r holds the query at firstQuery + r % queries
    int64_t firstQuery;     ///< in key positions; a query sees the keys up to its own position
    int64_t window;         ///< and no more than this many of them, its own included; 0: all
    float scale;            ///< multiplies the scores before the softmax
    const uint8_t *visible; ///< [queries, visibleStride], 0 hides a key from a query; nullptr: causal order
                            ///< alone decides
    int64_t visibleStride;
};

/// Scores become probabilities in place, hidden keys 0; logSum[r] = log Σ e^(scale · score) over the visible
/// keys. A row that sees no key becomes all zeros with logSum +∞, so that its gradient is zero too.
void attention_softmax(float *scores, const ScoreBlock &block, Rows rows, float *logSum);

/// Scores become the probabilities that `logSum` of the forward pass belongs to.
void attention_softmax_again(float *scores, const ScoreBlock &block, Rows rows, const float *logSum);

/// dprobabilities become dscores in place: scale · p · (dp − delta[r]), where delta[r] = Σ_keys p · dp.
void attention_softmax_backward(const float *probabilities, float *dprobabilities, const ScoreBlock &block,
                                Rows rows, const float *delta);

} // namespace rentune::kernels
