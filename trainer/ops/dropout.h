// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/torch/torch.h"

#include <cstdint>

namespace rentune::trainer {

/// Drops a share of the elements and scales the others up; the same seed drops the same ones, so that a
/// backward pass draws the mask again instead of keeping it.
struct Dropout
{
    double share = 0;
    uint64_t seed = 0;

    at::Tensor apply(const at::Tensor &x) const
    {
        if (share <= 0)
            return x;
        at::Tensor mask = at::empty_like(x);
        mask.bernoulli_(1 - share, at::detail::createCPUGenerator(seed));
        return mask.mul_(1 / (1 - share)).mul_(x);
    }
};

} // namespace rentune::trainer
