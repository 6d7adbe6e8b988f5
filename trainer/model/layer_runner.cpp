// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/model/layer_runner.h"

#include "trainer/ops/allocator.h"

#include <algorithm>

namespace rentune::trainer {
namespace {

/// Labels with the prompt's rows, which are not trained; the last of them predicts the first token.
at::Tensor withPromptRows(const at::Tensor &labels, const LayerContext &context)
{
    return at::constant_pad_nd(labels, {context.promptRows, 0}, ignoredLabel);
}

} // namespace

LayerRunner::LayerRunner(const Decoder &decoder, ParameterSource &source, Options options)
    : m_decoder(decoder), m_source(source), m_options(options)
{
}

at::Tensor LayerRunner::embed(const at::Tensor &ids, const LayerContext &context)
{
    const UnitLease lease(m_source, Decoder::embeddingUnit, Pass::Forward);
    return m_decoder.embed(ids, context);
}

/// Of every row, virtual tokens included.
at::Tensor LayerRunner::states(const TokenBatch &batch, const LayerContext &context)
{
    const at::NoGradGuard noGrad;
    const TermScope term(MemoryTerm::Activations);
    at::Tensor x = embed(batch.ids, context);
    for (int i = 0; i < m_decoder.layers(); ++i) {
        const UnitLease lease(m_source, m_decoder.layerUnit(i), Pass::Forward);
        x = m_decoder.layer(i, x, context);
    }
    const UnitLease lease(m_source, m_decoder.headUnit(), Pass::Forward);
    return m_decoder.finalNorm(x);
}

at::Tensor LayerRunner::hidden(const TokenBatch &batch, KvCache *cache)
{
    const LayerContext context = m_decoder.context(batch, cache);
    const at::Tensor x = states(batch, context);
    if (cache)
        cache->length += context.promptRows + context.prefixRows + batch.ids.size(1);
    if (context.promptRows == 0)
        return x;
    return x.view({batch.ids.size(0), -1, x.size(1)}).slice(1, context.promptRows).reshape({-1, x.size(1)});
}

at::Tensor LayerRunner::logits(const at::Tensor &hiddenRows)
{
    const at::NoGradGuard noGrad;
    const UnitLease lease(m_source, m_decoder.headUnit(), Pass::Forward);
    return at::mm(hiddenRows, m_decoder.head().tensor.t()).to(at::kFloat);
}

HeadLoss LayerRunner::evaluate(const TokenBatch &batch, const at::Tensor &labels)
{
    const LayerContext context = m_decoder.context(batch);
    const at::Tensor hiddenRows = states(batch, context);
    const UnitLease lease(m_source, m_decoder.headUnit(), Pass::Forward);
    return headLoss(hiddenRows, m_decoder.head(), shiftedLabels(withPromptRows(labels, context)), 1,
                    LossPass::Value);
}

HeadLoss LayerRunner::train(const TokenBatch &batch, const at::Tensor &labels, double divisor,
                            std::optional<DropoutKey> dropout)
{
    const at::AutoGradMode gradients(true);
    const TermScope term(MemoryTerm::Activations);
    LayerContext context = m_decoder.context(batch);
    context.dropout = dropout;
    at::Tensor x = embed(batch.ids, context);
    std::vector<Trace> traces;
    for (int i = 0; i < m_decoder.layers(); ++i)
        traces.push_back(forward(i, x, context, x));

    HeadLoss loss = trainHead(x, withPromptRows(labels, context), divisor);
    x.reset();
    at::Tensor gradient = std::move(loss.dhidden);
    for (int i = m_decoder.layers() - 1; i >= 0; --i) {
        gradient = backward(i, std::move(traces.back()), gradient, context);
        traces.pop_back();
    }
    if (std::ranges::any_of(m_decoder.unitWeights(Decoder::embeddingUnit),
                            [](const WeightPtr &weight) { return weight->trainable; })) {
        const UnitLease lease(m_source, Decoder::embeddingUnit, Pass::Backward);
        m_decoder.embedBackward(batch.ids, gradient, context);
    }
    return loss;
}

LayerRunner::Trace LayerRunner::forward(int layer, const at::Tensor &x, const LayerContext &context,
                                        at::Tensor &output)
{
    const UnitLease lease(m_source, m_decoder.layerUnit(layer), Pass::Forward);
    Trace trace{x.detach().requires_grad_(), {}};
    const at::AutoGradMode gradients(!m_options.checkpointing);
    const at::Tensor y = m_decoder.layer(layer, trace.input, context);
    if (!m_options.checkpointing)
        trace.output = y;
    output = y.detach();
    return trace;
}

at::Tensor LayerRunner::backward(int layer, Trace trace, const at::Tensor &gradient,
                                 const LayerContext &context)
{
    const UnitLease lease(m_source, m_decoder.layerUnit(layer), Pass::Backward);
    if (!trace.output.defined())
        trace.output = m_decoder.layer(layer, trace.input, context);
    return torch::autograd::grad({trace.output}, {trace.input}, {gradient})[0];
}

HeadLoss LayerRunner::trainHead(const at::Tensor &x, const at::Tensor &labels, double divisor)
{
    const UnitLease lease(m_source, m_decoder.headUnit(), Pass::Backward);
    const at::Tensor input = x.detach().requires_grad_();
    const at::Tensor normed = m_decoder.finalNorm(input);
    HeadLoss loss = headLoss(normed.detach(), m_decoder.head(), shiftedLabels(labels), divisor,
                             LossPass::ValueAndGradient);
    loss.dhidden = torch::autograd::grad({normed}, {input}, {loss.dhidden})[0];
    return loss;
}

} // namespace rentune::trainer
