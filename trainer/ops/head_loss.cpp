// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/ops/head_loss.h"

#include "kernels/api/cross_entropy.h"
#include "trainer/ops/allocator.h"
#include "trainer/ops/dispatch.h"

namespace rentune::trainer {
namespace {

/// Losses of one chunk; with a gradient wanted, `logits` become d(sum · scale) by the logits.
double chunkLoss(const at::Tensor &logits, const at::Tensor &labels, LossPass pass, double scale)
{
    const int64_t vocab = logits.size(1);
    at::Tensor losses = at::empty({logits.size(0)}, at::kFloat);
    parallelRows(logits.size(0), vocab, [&](kernels::Rows rows) {
        if (pass == LossPass::Value)
            kernels::cross_entropy(elements<float>(logits), elements<int64_t>(labels), rows, vocab,
                                   elements<float>(losses));
        else
            kernels::cross_entropy_backward(elements<float>(logits), elements<int64_t>(labels),
                                            static_cast<float>(scale), rows, vocab, elements<float>(losses));
    });
    return losses.sum(at::kDouble).item<double>();
}

void addHeadGradient(Weight &head, const at::Tensor &dlogits, const at::Tensor &hidden)
{
    if (head.gradient.defined())
        head.gradient.addmm_(dlogits.t(), hidden);
    else
        head.gradient = at::mm(dlogits.t(), hidden);
}

} // namespace

at::Tensor shiftedLabels(const at::Tensor &labels)
{
    at::Tensor shifted = at::full_like(labels, ignoredLabel);
    const int64_t tokens = labels.size(1);
    shifted.slice(1, 0, tokens - 1).copy_(labels.slice(1, 1, tokens));
    return shifted.reshape({-1});
}

HeadLoss headLoss(const at::Tensor &hidden, Weight &head, const at::Tensor &shifted, double divisor,
                  LossPass pass)
{
    const at::NoGradGuard noGrad;
    const at::Tensor places = shifted.ne(ignoredLabel).nonzero().squeeze(1);
    const at::Tensor labels = shifted.index_select(0, places);
    const at::Tensor rows = hidden.index_select(0, places);
    const int64_t vocab = head.tensor.size(0);
    const int64_t chunk = std::max<int64_t>(1, logitsChunkBytes / (vocab * int64_t{sizeof(float)}));

    HeadLoss result;
    result.tokens = places.numel();
    for (int64_t begin = 0; begin < result.tokens; begin += chunk) {
        const int64_t end = std::min(result.tokens, begin + chunk);
        const at::Tensor part = rows.slice(0, begin, end);
        const TermScope term(MemoryTerm::Logits);
        const at::Tensor logits = at::mm(part, head.tensor.t()).to(at::kFloat);
        result.sum += chunkLoss(logits, labels.slice(0, begin, end), pass, 1 / divisor);
        if (pass == LossPass::Value)
            continue;
        const at::Tensor dlogits = logits.to(hidden.scalar_type());
        if (head.trainable)
            addHeadGradient(head, dlogits, part);
        rows.slice(0, begin, end).copy_(at::mm(dlogits, head.tensor)); // these rows are not read again
    }
    if (pass == LossPass::ValueAndGradient) {
        result.dhidden = at::zeros_like(hidden);
        result.dhidden.index_copy_(0, places, rows);
    }
    return result;
}

} // namespace rentune::trainer
