// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/model/parameter_source.h"
#include "trainer/ops/head_loss.h"

#include <optional>

namespace rentune::trainer {

/// Steps through a decoder's units, asking the source for each unit's weights just for its pass. Each layer
/// is an autograd graph of its own, so that the runner decides what lives between a layer's two passes. Not
/// thread-safe.
class LayerRunner
{
public:
    struct Options
    {
        bool checkpointing =
            false; ///< keep a layer's input only and compute the layer again for its backward pass
    };

    /// Both must outlive the runner.
    LayerRunner(const Decoder &decoder, ParameterSource &source, Options options);
    LayerRunner(const Decoder &decoder, ParameterSource &source) : LayerRunner(decoder, source, Options{}) {}

    /// Final hidden states [batch · tokens, hidden] of the batch's own tokens, compute dtype; with a cache,
    /// of the tokens that follow it.
    at::Tensor hidden(const TokenBatch &batch, KvCache *cache = nullptr);

    /// fp32 logits of hidden rows, [rows, vocab].
    at::Tensor logits(const at::Tensor &hiddenRows);

    /// Σ loss of the batch; `labels` [batch, tokens], unshifted, −100 where not trained.
    HeadLoss evaluate(const TokenBatch &batch, const at::Tensor &labels);

    /// Forward and backward pass of a micro batch: the source's gradients grow by those of (Σ loss) /
    /// divisor.
    HeadLoss train(const TokenBatch &batch, const at::Tensor &labels, double divisor,
                   std::optional<DropoutKey> dropout = std::nullopt);

private:
    /// What a layer leaves for its backward pass.
    struct Trace
    {
        at::Tensor input;
        at::Tensor output; ///< undefined under checkpointing
    };

    const Decoder &m_decoder;
    ParameterSource &m_source;
    Options m_options;

    at::Tensor embed(const at::Tensor &ids, const LayerContext &context);
    at::Tensor states(const TokenBatch &batch, const LayerContext &context);
    Trace forward(int layer, const at::Tensor &x, const LayerContext &context, at::Tensor &output);
    at::Tensor backward(int layer, Trace trace, const at::Tensor &gradient, const LayerContext &context);
    HeadLoss trainHead(const at::Tensor &x, const at::Tensor &labels, double divisor);
};

} // namespace rentune::trainer
