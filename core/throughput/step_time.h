// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/catalog.h"
#include "core/memory/setup.h"
#include "core/throughput/host.h"

#include <optional>

namespace rentune::throughput {

/// Floating-point operations of one micro batch, a multiply-add counted as 2.
struct Work
{
    Flops layers = 0; ///< products with the blocks' weights
    Flops head = 0;
    Flops attention = 0;           ///< scores and weighted sums, the causal half
    Flops recomputed = 0;          ///< products that checkpointing runs again
    Flops recomputedAttention = 0; ///< the same of attention
    Flops useful() const { return layers + head + attention; }
};

/// A pass over P weights costs 2P a token forward, 2P for the gradient by the input, 2P more where weights
/// train; attention 2 · tokens · width a layer and token (causal half of 4), backward 2.5 times that as
/// blocked attention recomputes the scores. The head is never run again by checkpointing. (Kaplan et al.,
/// arXiv 2001.08361, 2.1; Korthikanti et al., arXiv 2205.05198, appendix A; Dao, arXiv 2307.08691 for
/// the 2.5.)
Work workOf(const memory::Setup &setup);

/// Seconds of one step on a rank, by what they are spent on.
struct StepTime
{
    Seconds products = 0; ///< matrix products, dequantization included
    Seconds attention = 0;
    Seconds memoryBound = 0;   ///< norms, rotations, activations, loss, adapters: bytes over bandwidth
    Seconds launch = 0;        ///< kernels that the host can't issue fast enough
    Seconds communication = 0; ///< the part not hidden behind computation
    Seconds optimizer = 0;
    Seconds total() const { return products + attention + memoryBound + launch + communication + optimizer; }
};

/// On a GPU: published-run fit (median error 7 % over 432 runs of 11 sources, 10 % on sources left out):
/// share of the dense rate per architecture (Ampere 0.86, Hopper 0.74, Ada 0.80; Blackwell, Turing and Volta
/// are guesses), elementwise passes at 0.75 of the bandwidth. nullopt where the card has no rate for the
/// precision.
std::optional<StepTime> stepTime(const memory::Setup &setup, const catalog::Gpu &gpu, int64_t gpusPerNode);

/// On this computer: all operations at half of the vector units' peak, or at `measuredFlops` (useful FLOP/s).
StepTime stepTime(const memory::Setup &setup, const Host &host, std::optional<double> measuredFlops);

/// The card's dense rate for products in this precision (tf32 counts for fp32); absent if it has no such
/// unit.
std::optional<double> denseRate(const catalog::Gpu &gpu, wire::Precision precision);

} // namespace rentune::throughput
