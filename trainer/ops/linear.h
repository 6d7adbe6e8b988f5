// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/ops/weight.h"

#include <cstdint>
#include <optional>
#include <string>

namespace rentune::trainer {

/// LoRA beside a linear module: adds scale · (dropout(x) Aᵀ) Bᵀ, computed in fp32 whatever the base's dtype,
/// as PEFT.
struct LoraAdapter
{
    WeightPtr a;         ///< [rank, in], fp32
    WeightPtr b;         ///< [out, rank], fp32
    WeightPtr magnitude; ///< [out], fp32: set for DoRA (see dora.h), null for LoRA
    double scale = 1;
    double dropout = 0; ///< share of the elements of x that is dropped in training
};

/// IA³ on a linear module: its output, or of a feedforward module its input, times a vector (fp32).
struct Ia3Scale
{
    WeightPtr vector; ///< [out, 1], or [1, in] of a feedforward module
    bool onInput = false;
};

struct Linear
{
    std::string module; ///< "model.layers.0.self_attn.q_proj"
    WeightPtr weight;   ///< [out, in]
    WeightPtr bias;     ///< [out], null if the module has none
    std::optional<LoraAdapter> adapter;
    std::optional<Ia3Scale> scale;
};

/// y = x Wᵀ + bias + adapter, scaled by IA³ if set, x [rows, in] → [rows, out]. Saves x only if a weight
/// gradient needs it. `dropoutSeed` decides the adapter's dropout mask, which is drawn again in the backward
/// pass instead of being kept; without a value nothing is dropped. `linear` must outlive the graph.
at::Tensor linear(const at::Tensor &x, const Linear &linear,
                  std::optional<uint64_t> dropoutSeed = std::nullopt);

} // namespace rentune::trainer
