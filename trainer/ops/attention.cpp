// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/ops/attention.h"

#include "kernels/api/attention_softmax.h"
#include "trainer/ops/dispatch.h"
#include "trainer/ops/weight.h"

#include <cmath>

namespace rentune::trainer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Queries handled at once: enough for efficient products, few enough that half of the masked scores are
/// never computed.
constexpr int64_t blockQueries = 128;

/// Queries [begin, end) against keys [firstKey, endKey).
struct Block
{
    int64_t begin;
    int64_t end;
    int64_t firstKey;
    int64_t endKey;

    int64_t keys() const { return endKey - firstKey; }
    /// The block's rows of key or value matrices.
    at::Tensor of(const at::Tensor &keyMatrices) const { return keyMatrices.slice(1, firstKey, endKey); }
};

/// The head-major views of one call and its walk over blocks of queries. Query heads that share a key head
/// are the rows of one matrix, so that grouped heads need no copies of keys and values.
class Blocks
{
public:
    explicit Blocks(const AttentionShape &shape)
        : m_shape(shape), m_group(shape.heads / shape.kvHeads), m_matrices(shape.batch * shape.kvHeads)
    {
    }

    /// [batch · queries, heads · dim] → [batch, kvHeads, group, queries, dim] without copying.
    at::Tensor queryView(const at::Tensor &x) const
    {
        return x.view({m_shape.batch, m_shape.queries, m_shape.kvHeads, m_group, m_shape.headDim})
            .permute({0, 2, 3, 1, 4});
    }

    /// [batch · keys, kvHeads · dim] → fp32 [batch · kvHeads, keys, dim].
    at::Tensor keyMatrices(const at::Tensor &x) const
    {
        return x.view({m_shape.batch, m_shape.keys, m_shape.kvHeads, m_shape.headDim})
            .permute({0, 2, 1, 3})
            .to(at::kFloat)
            .reshape({m_matrices, m_shape.keys, m_shape.headDim});
    }

    /// The way back of keyMatrices.
    at::Tensor keyRows(const at::Tensor &matrices, at::ScalarType dtype) const
    {
        return matrices.view({m_shape.batch, m_shape.kvHeads, m_shape.keys, m_shape.headDim})
            .permute({0, 2, 1, 3})
            .to(dtype)
            .reshape({m_shape.batch * m_shape.keys, m_shape.kvHeads * m_shape.headDim});
    }

    /// The block's queries of a queryView as fp32 matrices [batch · kvHeads, group · queries, dim].
    at::Tensor gather(const at::Tensor &view, const Block &block) const
    {
        return view.slice(3, block.begin, block.end)
            .to(at::kFloat)
            .reshape({m_matrices, m_group * (block.end - block.begin), m_shape.headDim});
    }

    void scatter(const at::Tensor &matrices, const at::Tensor &view, const Block &block) const
    {
        view.slice(3, block.begin, block.end)
            .copy_(matrices.view(
                {m_shape.batch, m_shape.kvHeads, m_group, block.end - block.begin, m_shape.headDim}));
    }

    /// Calls `body` for each block with the keys that any of its queries sees.
    template <typename Body>
    void forEach(const Body &body) const
    {
        const int64_t past = m_shape.keys - m_shape.queries;
        for (int64_t begin = 0; begin < m_shape.queries; begin += blockQueries) {
            const int64_t end = std::min(m_shape.queries, begin + blockQueries);
            const int64_t first =
                m_shape.window > 0 ? std::max<int64_t>(0, past + begin + 1 - m_shape.window) : 0;
            body(Block{begin, end, first, past + end});
        }
    }

    /// Calls `kernel(block, rows, firstRow)`: rows of the score matrices from `firstRow` on that share one
    /// visibility mask.
    template <typename Kernel>
    void overRows(const Block &part, const Kernel &kernel) const
    {
        kernels::ScoreBlock block{};
        block.keys = part.keys();
        block.queries = part.end - part.begin;
        block.firstQuery = m_shape.keys - m_shape.queries + part.begin - part.firstKey;
        block.window = m_shape.window;
        block.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(m_shape.headDim)));
        block.visibleStride = m_shape.keys;
        const int64_t masks = m_shape.visible.defined() ? m_shape.batch : 1;
        const int64_t rows = m_matrices * m_group * block.queries / masks;
        for (int64_t mask = 0; mask < masks; ++mask) {
            if (m_shape.visible.defined())
                block.visible = elements<uint8_t>(m_shape.visible) +
                                (mask * m_shape.queries + part.begin) * m_shape.keys + part.firstKey;
            parallelRows(rows, block.keys, [&](kernels::Rows range) { kernel(block, range, mask * rows); });
        }
    }

    at::Tensor logSums() const { return at::empty({m_matrices * m_group * m_shape.queries}, at::kFloat); }
    /// The part of logSums() that belongs to the block, one float a row.
    float *logSums(const at::Tensor &all, const Block &block) const
    {
        return elements<float>(all) + m_matrices * m_group * block.begin;
    }

private:
    const AttentionShape &m_shape;
    int64_t m_group;
    int64_t m_matrices;
};

class AttentionFunction : public torch::autograd::Function<AttentionFunction>
{
public:
    static at::Tensor forward(AutogradContext *context, const at::Tensor &q, const at::Tensor &k,
                              const at::Tensor &v, const AttentionShape &shape)
    {
        const Blocks blocks(shape);
        at::Tensor out = at::empty_like(q);
        const at::Tensor outView = blocks.queryView(out);
        const at::Tensor qView = blocks.queryView(q);
        const at::Tensor kMatrices = blocks.keyMatrices(k);
        const at::Tensor vMatrices = blocks.keyMatrices(v);
        at::Tensor logSums = blocks.logSums();
        blocks.forEach([&](const Block &part) {
            const at::Tensor scores = at::bmm(blocks.gather(qView, part), part.of(kMatrices).transpose(1, 2));
            blocks.overRows(part, [&](const kernels::ScoreBlock &block, kernels::Rows rows, int64_t first) {
                kernels::attention_softmax(elements<float>(scores) + first * block.keys, block, rows,
                                           blocks.logSums(logSums, part) + first);
            });
            blocks.scatter(at::bmm(scores, part.of(vMatrices)), outView, part);
        });
        context->save_for_backward({q, k, v, out, logSums});
        context->saved_data["shape"] = Held<AttentionShape>::wrap(shape);
        return out;
    }

    static variable_list backward(AutogradContext *context, variable_list gradients)
    {
        const AttentionShape &shape = Held<AttentionShape>::unwrap(context->saved_data["shape"]);
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &q = saved[0];
        const Blocks blocks(shape);
        const at::Tensor dout = gradients[0].contiguous();
        const at::Tensor qView = blocks.queryView(q);
        const at::Tensor outView = blocks.queryView(saved[3]);
        const at::Tensor doutView = blocks.queryView(dout);
        const at::Tensor kMatrices = blocks.keyMatrices(saved[1]);
        const at::Tensor vMatrices = blocks.keyMatrices(saved[2]);
        at::Tensor dq = at::empty_like(q);
        const at::Tensor dqView = blocks.queryView(dq);
        at::Tensor dk = at::zeros_like(kMatrices);
        at::Tensor dv = at::zeros_like(vMatrices);
        blocks.forEach([&](const Block &part) {
            const at::Tensor qBlock = blocks.gather(qView, part);
            const at::Tensor doutBlock = blocks.gather(doutView, part);
            const at::Tensor delta = (doutBlock * blocks.gather(outView, part)).sum(-1);
            const at::Tensor kBlock = part.of(kMatrices);
            const at::Tensor scores = at::bmm(qBlock, kBlock.transpose(1, 2));
            blocks.overRows(part, [&](const kernels::ScoreBlock &block, kernels::Rows rows, int64_t first) {
                kernels::attention_softmax_again(elements<float>(scores) + first * block.keys, block, rows,
                                                 blocks.logSums(saved[4], part) + first);
            });
            part.of(dv).add_(at::bmm(scores.transpose(1, 2), doutBlock));
            const at::Tensor dscores = at::bmm(doutBlock, part.of(vMatrices).transpose(1, 2));
            blocks.overRows(part, [&](const kernels::ScoreBlock &block, kernels::Rows rows, int64_t first) {
                kernels::attention_softmax_backward(elements<float>(scores) + first * block.keys,
                                                    elements<float>(dscores) + first * block.keys, block,
                                                    rows, elements<float>(delta) + first);
            });
            blocks.scatter(at::bmm(dscores, kBlock), dqView, part);
            part.of(dk).add_(at::bmm(dscores.transpose(1, 2), qBlock));
        });
        return {dq, blocks.keyRows(dk, q.scalar_type()), blocks.keyRows(dv, q.scalar_type()), at::Tensor()};
    }
};

} // namespace

at::Tensor attention(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v,
                     const AttentionShape &shape)
{
    return AttentionFunction::apply(q, k, v, shape);
}

} // namespace rentune::trainer
