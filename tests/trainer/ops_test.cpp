// SPDX-License-Identifier: GPL-3.0-or-later
// The operations against torch's own, forward and backward, on shapes that cross block and chunk borders.
#include "trainer/model/layer_runner.h"
#include "trainer/model/plain_parameters.h"
#include "trainer/ops/attention.h"
#include "trainer/ops/head_loss.h"
#include "trainer/ops/linear.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rentune::trainer {
namespace {

at::Tensor random(at::IntArrayRef shape, uint64_t seed)
{
    return at::empty(shape, at::kFloat).normal_(0, 1, at::detail::createCPUGenerator(seed));
}

WeightPtr weight(const at::Tensor &value)
{
    auto made = std::make_shared<Weight>();
    made->shape = value.sizes().vec();
    made->tensor = value;
    made->trainable = true;
    return made;
}

double difference(const at::Tensor &a, const at::Tensor &b)
{
    return (a - b).abs().max().item<double>();
}

/// Softmax attention by torch's elementary operations, autograd included.
at::Tensor plainAttention(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v,
                          const AttentionShape &s)
{
    const auto heads = [&](const at::Tensor &x, int64_t tokens, int64_t count) {
        return x.view({s.batch, tokens, count, s.headDim}).transpose(1, 2);
    };
    const int64_t group = s.heads / s.kvHeads;
    const at::Tensor keys = heads(k, s.keys, s.kvHeads).repeat_interleave(group, 1);
    const at::Tensor values = heads(v, s.keys, s.kvHeads).repeat_interleave(group, 1);
    at::Tensor scores =
        at::matmul(heads(q, s.queries, s.heads), keys.transpose(-1, -2)) / std::sqrt(double(s.headDim));
    at::Tensor hidden = at::ones({s.queries, s.keys}, at::kBool).triu(s.keys - s.queries + 1);
    if (s.visible.defined())
        hidden = hidden.logical_or(s.visible.logical_not().unsqueeze(1));
    const at::Tensor p = at::softmax(scores.masked_fill(hidden, -INFINITY), -1);
    return at::matmul(p, values).transpose(1, 2).reshape({s.batch * s.queries, s.heads * s.headDim});
}

void compareAttention(const AttentionShape &shape)
{
    const auto input = [&](int64_t tokens, int64_t heads, uint64_t seed) {
        return random({shape.batch * tokens, heads * shape.headDim}, seed).requires_grad_();
    };
    const at::Tensor q = input(shape.queries, shape.heads, 1);
    const at::Tensor k = input(shape.keys, shape.kvHeads, 2);
    const at::Tensor v = input(shape.keys, shape.kvHeads, 3);
    const at::Tensor dout = random(q.sizes(), 4);
    const at::Tensor ours = attention(q, k, v, shape);
    const at::Tensor plain = plainAttention(q, k, v, shape);
    EXPECT_LT(difference(ours, plain), 1e-5);
    const auto got = torch::autograd::grad({ours}, {q, k, v}, {dout});
    const auto want = torch::autograd::grad({plain}, {q, k, v}, {dout});
    for (size_t i = 0; i < got.size(); ++i)
        EXPECT_LT(difference(got[i], want[i]), 2e-5) << "input " << i;
}

TEST(Attention, GroupedHeadsAcrossBlocks)
{
    compareAttention(
        {.batch = 2, .queries = 300, .keys = 300, .heads = 6, .kvHeads = 2, .headDim = 8, .visible = {}});
}

TEST(Attention, QueriesAfterACache)
{
    compareAttention(
        {.batch = 2, .queries = 3, .keys = 11, .heads = 4, .kvHeads = 4, .headDim = 6, .visible = {}});
}

TEST(Attention, PaddingInFrontAndPackedRows)
{
    AttentionShape shape{
        .batch = 2, .queries = 140, .keys = 140, .heads = 4, .kvHeads = 2, .headDim = 8, .visible = {}};
    at::Tensor segment = at::zeros({2, 140}, at::kLong);
    segment.slice(1, 50, 140).fill_(1);
    shape.visible = segment.unsqueeze(2).eq(segment.unsqueeze(1)).contiguous();
    compareAttention(shape);
}

TEST(Linear, AdapterAndWeightGradients)
{
    Linear module;
    module.weight = weight(random({7, 5}, 1));
    module.bias = weight(random({7}, 2));
    module.adapter = LoraAdapter{weight(random({3, 5}, 3)), weight(random({7, 3}, 4)), nullptr, 1.5, 0};
    const at::Tensor x = random({11, 5}, 5).requires_grad_();
    const at::Tensor dy = random({11, 7}, 6);
    const at::Tensor y = linear(x, module);
    const auto dx = torch::autograd::grad({y}, {x}, {dy})[0];

    const auto leaf = [](const WeightPtr &w) { return w->tensor.detach().clone().requires_grad_(); };
    const at::Tensor w = leaf(module.weight), bias = leaf(module.bias);
    const at::Tensor a = leaf(module.adapter->a), b = leaf(module.adapter->b);
    const at::Tensor plain = at::addmm(bias, x, w.t()) + at::mm(at::mm(x, a.t()), b.t()) * 1.5;
    const auto want = torch::autograd::grad({plain}, {x, w, bias, a, b}, {dy});
    EXPECT_LT(difference(y, plain), 1e-5);
    EXPECT_LT(difference(dx, want[0]), 2e-5);
    EXPECT_LT(difference(module.weight->gradient, want[1]), 2e-5);
    EXPECT_LT(difference(module.bias->gradient, want[2]), 2e-5);
    EXPECT_LT(difference(module.adapter->a->gradient, want[3]), 2e-5);
    EXPECT_LT(difference(module.adapter->b->gradient, want[4]), 2e-5);
}

TEST(Linear, TheDropoutMaskOfTheBackwardPassIsTheForwardsOne)
{
    Linear module;
    module.weight = weight(at::zeros({4, 64}));
    module.adapter = LoraAdapter{weight(at::ones({1, 64})), weight(at::ones({4, 1})), nullptr, 1, 0.5};
    const at::Tensor x = at::ones({8, 64}).requires_grad_();
    const at::Tensor y = linear(x, module, 17);
    const at::Tensor dx = torch::autograd::grad({y}, {x}, {at::ones({8, 4})})[0];
    // y is Σ mask over a row and dx is 4 · mask
    EXPECT_LT(difference(dx.sum(1) / 4, y.select(1, 0)), 1e-4);
    EXPECT_NEAR(dx.gt(0).to(at::kFloat).mean().item<double>(), 0.5, 0.1);
    EXPECT_EQ(difference(linear(x, module, 17), y), 0);
    EXPECT_GT(difference(linear(x, module, 18), y), 0);
}

TEST(HeadLoss, ManyChunksWithIgnoredLabels)
{
    const int64_t vocab = 1 << 20; // sixteen rows a chunk
    const auto head = weight(random({vocab, 2}, 1));
    const at::Tensor hidden = random({2 * 25, 2}, 2);
    at::Tensor labels = at::arange(0, 50, at::kLong).view({2, 25});
    labels.select(0, 0).slice(0, 3, 9).fill_(ignoredLabel);
    const at::Tensor shifted = shiftedLabels(labels);
    const HeadLoss loss = headLoss(hidden, *head, shifted, 7, LossPass::ValueAndGradient);

    const at::Tensor x = hidden.clone().requires_grad_();
    const at::Tensor w = head->tensor.detach().clone().requires_grad_();
    const at::Tensor plain =
        at::cross_entropy_loss(at::mm(x, w.t()), shifted, {}, at::Reduction::Sum, ignoredLabel);
    const auto want = torch::autograd::grad({plain / 7}, {x, w});
    EXPECT_EQ(loss.tokens, 42);
    EXPECT_NEAR(loss.sum, plain.item<double>(), 1e-5 * loss.sum);
    EXPECT_LT(difference(loss.dhidden, want[0]), 1e-6);
    EXPECT_LT(difference(head->gradient, want[1]), 1e-6);
    EXPECT_NEAR(headLoss(hidden, *head, shifted, 1, LossPass::Value).sum, loss.sum, 1e-6 * loss.sum);
}

hf::ModelConfig tinyConfig()
{
    hf::ModelConfig config;
    config.hiddenSize = 12;
    config.intermediateSize = 20;
    config.layers = 3;
    config.heads = 4;
    config.kvHeads = 2;
    config.headDim = 6;
    config.vocabSize = 31;
    config.qkNorm = true;
    config.qkvBias = true;
    config.tieWordEmbeddings = true;
    return config;
}

/// A decoder whose weights are random and all trained.
struct TinyModel
{
    TinyModel() : decoder(tinyConfig())
    {
        for (const WeightPtr &w : decoder.weights())
            w->trainable = true;
        uint64_t seed = 100;
        source = std::make_unique<PlainParameters>(decoder, NumberFormat::fp32(), [&](const Weight &w) {
            return random(w.shape, seed++).mul_(0.3);
        });
    }

    Decoder decoder;
    std::unique_ptr<PlainParameters> source;
};

TEST(LayerRunner, CheckpointingChangesNoGradient)
{
    TokenBatch batch;
    batch.ids = at::arange(0, 14, at::kLong).view({2, 7});
    std::vector<std::vector<at::Tensor>> gradients;
    for (const bool checkpointing : {false, true}) {
        TinyModel model;
        LayerRunner runner(model.decoder, *model.source, {checkpointing});
        runner.train(batch, batch.ids, 12);
        gradients.emplace_back();
        for (const Parameter *p : model.source->trainable())
            gradients.back().push_back(p->gradient);
    }
    for (size_t i = 0; i < gradients[0].size(); ++i)
        EXPECT_TRUE(at::equal(gradients[0][i], gradients[1][i])) << "parameter " << i;
}

TEST(LayerRunner, GradientsAreThoseOfFiniteDifferences)
{
    TinyModel model;
    LayerRunner runner(model.decoder, *model.source);
    TokenBatch batch;
    batch.ids = at::arange(0, 14, at::kLong).view({2, 7});
    runner.train(batch, batch.ids, 1);
    for (Parameter *p : model.source->trainable()) {
        const at::Tensor direction = random(p->value.sizes(), 5);
        const at::Tensor kept = p->value.clone();
        const double step = 1e-2 / direction.norm().item<double>();
        double change = 0;
        for (const double sign : {1.0, -1.0}) {
            p->value.copy_(kept + direction * (sign * step));
            change += sign * runner.evaluate(batch, batch.ids).sum;
        }
        p->value.copy_(kept);
        const double want = (p->gradient * direction).sum().item<double>();
        EXPECT_NEAR(change / (2 * step), want, 2e-2 * std::max(1.0, std::abs(want))) << p->weight->name;
    }
}

TEST(LayerRunner, ACacheChangesNoLogit)
{
    TinyModel model;
    LayerRunner runner(model.decoder, *model.source);
    TokenBatch whole;
    whole.ids = at::arange(0, 9, at::kLong).view({1, 9});
    const at::Tensor want = runner.hidden(whole);
    KvCache cache;
    for (int64_t i = 0; i < 9; i += 3) {
        TokenBatch part;
        part.ids = whole.ids.slice(1, i, i + 3);
        EXPECT_LT(difference(runner.hidden(part, &cache), want.slice(0, i, i + 3)), 1e-5);
    }
}

} // namespace
} // namespace rentune::trainer
