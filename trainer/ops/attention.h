// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/torch/torch.h"

namespace rentune::trainer {

struct AttentionShape
{
    int64_t batch = 0;
    int64_t queries = 0; ///< tokens of each sequence in this call
    int64_t keys = 0;    ///< queries + tokens already in the cache; the queries are the last ones
    int64_t heads = 0;
    int64_t kvHeads = 0; ///< divides heads; head h reads key head h / (heads / kvHeads)
    int64_t headDim = 0;
    int64_t window = 0; ///< a query sees this many keys up to its own; 0: all of them
    at::Tensor visible; ///< bool [batch, queries, keys]: keys a query may see besides the causal rule;
                        ///< undefined: all
};

/// softmax(q kᵀ / √headDim) v with the causal rule. q [batch · queries, heads · headDim], k and v
/// [batch · keys, kvHeads · headDim] → [batch · queries, heads · headDim]. Computed in fp32, by blocks of
/// queries, so that no more than a block of scores is held; saves q, k, v, the result and one float a head
/// and row. A query that sees nothing gives zeros.
at::Tensor attention(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v,
                     const AttentionShape &shape);

} // namespace rentune::trainer
