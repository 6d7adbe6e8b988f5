// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/model/decoder.h"

#include "trainer/config/seeds.h"

#include <algorithm>

namespace rentune::trainer {
namespace {

constexpr int linearsPerLayer = 7;

Linear makeLinear(const std::string &module, int64_t in, int64_t out, bool bias)
{
    Linear result;
    result.module = module;
    result.weight = makeWeight(module + ".weight", {out, in});
    if (bias)
        result.bias = makeWeight(module + ".bias", {out});
    return result;
}

/// Which sequence of a packed row each token belongs to: positions that do not count on begin a new one.
at::Tensor segments(const at::Tensor &positions)
{
    const at::Tensor steps = at::diff(positions, 1, 1, positions.slice(1, 0, 1) - 1);
    return steps.ne(1).cumsum(1);
}

/// Keys a query may see besides the causal rule, [batch, tokens, tokens]; undefined if all. A mask decides
/// alone; without one, positions that start again mark packed sequences, which do not see each other (as in
/// transformers).
at::Tensor visibility(const TokenBatch &batch)
{
    const int64_t tokens = batch.ids.size(1);
    if (batch.mask.defined()) {
        if (batch.mask.ne(0).all().item<bool>())
            return {};
        return batch.mask.ne(0).unsqueeze(1).expand({-1, tokens, -1}).contiguous();
    }
    if (!batch.positions.defined())
        return {};
    const at::Tensor part = segments(batch.positions);
    if (part.slice(1, tokens - 1, tokens).eq(0).all().item<bool>())
        return {};
    return part.unsqueeze(2).eq(part.unsqueeze(1)).contiguous();
}

/// The batch with `count` places before each sequence. As in PEFT they are visible to all, and stated
/// positions no longer count.
TokenBatch withPromptRows(const TokenBatch &batch, int64_t count)
{
    if (count == 0)
        return batch;
    TokenBatch longer;
    longer.ids = at::constant_pad_nd(batch.ids, {count, 0}, 0);
    if (batch.mask.defined())
        longer.mask = at::constant_pad_nd(batch.mask, {count, 0}, 1);
    return longer;
}

/// Appends this call's rows to the cache and returns everything so far as [batch · length, width].
at::Tensor extend(at::Tensor &cached, const at::Tensor &rows, int64_t batch)
{
    const at::Tensor now = rows.view({batch, -1, rows.size(1)});
    cached = cached.defined() ? at::cat({cached, now}, 1) : now;
    return cached.view({-1, rows.size(1)});
}

} // namespace

std::vector<Linear *> Decoder::Layer::linears()
{
    return {&query, &key, &value, &out, &gate, &up, &down};
}

Decoder::Decoder(hf::ModelConfig config) : m_config(std::move(config))
{
    m_embedding = makeWeight("model.embed_tokens.weight", {m_config.vocabSize, m_config.hiddenSize});
    m_finalNorm = makeWeight("model.norm.weight", {m_config.hiddenSize});
    m_head = m_config.tieWordEmbeddings
                 ? m_embedding
                 : makeWeight("lm_head.weight", {m_config.vocabSize, m_config.hiddenSize});
    m_units.push_back({m_embedding});
    for (int i = 0; i < m_config.layers; ++i)
        m_layers.push_back(makeLayer(i));
    m_units.push_back({m_finalNorm, m_head});
}

Decoder::Layer Decoder::makeLayer(int index)
{
    const hf::ModelConfig &c = m_config;
    const std::string prefix = "model.layers." + std::to_string(index) + ".";
    const int64_t queryWidth = c.heads * c.headDim;
    const int64_t keyWidth = c.kvHeads * c.headDim;

    Layer layer;
    layer.inputNorm = makeWeight(prefix + "input_layernorm.weight", {c.hiddenSize});
    layer.postNorm = makeWeight(prefix + "post_attention_layernorm.weight", {c.hiddenSize});
    layer.query = makeLinear(prefix + "self_attn.q_proj", c.hiddenSize, queryWidth, c.qkvBias);
    layer.key = makeLinear(prefix + "self_attn.k_proj", c.hiddenSize, keyWidth, c.qkvBias);
    layer.value = makeLinear(prefix + "self_attn.v_proj", c.hiddenSize, keyWidth, c.qkvBias);
    layer.out = makeLinear(prefix + "self_attn.o_proj", queryWidth, c.hiddenSize, c.attentionOutBias);
    layer.gate = makeLinear(prefix + "mlp.gate_proj", c.hiddenSize, c.intermediateSize, c.mlpBias);
    layer.up = makeLinear(prefix + "mlp.up_proj", c.hiddenSize, c.intermediateSize, c.mlpBias);
    layer.down = makeLinear(prefix + "mlp.down_proj", c.intermediateSize, c.hiddenSize, c.mlpBias);
    if (c.qkNorm) {
        layer.queryNorm = makeWeight(prefix + "self_attn.q_norm.weight", {c.headDim});
        layer.keyNorm = makeWeight(prefix + "self_attn.k_norm.weight", {c.headDim});
    }

    std::vector<WeightPtr> unit{layer.inputNorm, layer.postNorm};
    if (c.qkNorm)
        unit.insert(unit.end(), {layer.queryNorm, layer.keyNorm});
    for (const Linear *linear : layer.linears()) {
        unit.push_back(linear->weight);
        if (linear->bias)
            unit.push_back(linear->bias);
    }
    m_units.push_back(std::move(unit));
    return layer;
}

std::vector<WeightPtr> Decoder::weights() const
{
    std::vector<WeightPtr> all;
    for (const auto &unit : m_units)
        for (const WeightPtr &weight : unit)
            if (std::find(all.begin(), all.end(), weight) == all.end())
                all.push_back(weight);
    return all;
}

void Decoder::changeLinears(const ChangeLinear &change)
{
    for (int i = 0; i < layers(); ++i) {
        auto &unit = m_units[static_cast<size_t>(layerUnit(i))];
        for (Linear *linear : m_layers[static_cast<size_t>(i)].linears()) {
            const std::vector<WeightPtr> added = change(*linear);
            unit.insert(unit.end(), added.begin(), added.end());
        }
    }
}

void Decoder::setVirtualTokens(VirtualTokens tokens)
{
    m_virtual = std::move(tokens);
    auto &embeddingWeights = m_units[embeddingUnit];
    if (m_virtual.prompt)
        embeddingWeights.push_back(m_virtual.prompt);
    if (m_virtual.encoder)
        for (const WeightPtr &weight : m_virtual.encoder->all())
            embeddingWeights.push_back(weight);
    if (m_virtual.prefix)
        for (int i = 0; i < layers(); ++i)
            m_units[static_cast<size_t>(layerUnit(i))].push_back(m_virtual.prefix);
}

LayerContext Decoder::context(const TokenBatch &given, KvCache *cache) const
{
    const int64_t past = cache ? cache->length : 0;
    LayerContext result;
    if (past == 0)
        (m_virtual.prefix ? result.prefixRows : result.promptRows) = m_virtual.count;
    const TokenBatch batch = withPromptRows(given, result.promptRows);
    const int64_t rows = batch.ids.size(0);
    const int64_t tokens = batch.ids.size(1);
    result.attention.batch = rows;
    result.attention.queries = tokens;
    result.attention.keys = past + result.prefixRows + tokens;
    result.attention.heads = m_config.heads;
    result.attention.kvHeads = m_config.kvHeads;
    result.attention.headDim = m_config.headDim;
    if (!cache)
        result.attention.visible = visibility(batch);
    if (result.attention.visible.defined() && result.prefixRows > 0)
        result.attention.visible =
            at::constant_pad_nd(result.attention.visible, {result.prefixRows, 0}, 1).contiguous();
    const int64_t first = past + result.prefixRows;
    const at::Tensor positions = batch.positions.defined()
                                     ? batch.positions + result.prefixRows
                                     : at::arange(first, first + tokens, at::kLong).expand({rows, tokens});
    const hf::RopeFrequencies frequencies =
        hf::ropeFrequencies(m_config.rope, m_config.headDim, positions.max().item<int64_t>() + 1);
    result.rotary = RotaryTable::make(positions, frequencies.inverse, frequencies.attentionFactor);
    result.cache = cache;
    if (cache && cache->keys.empty()) {
        cache->keys.resize(m_layers.size());
        cache->values.resize(m_layers.size());
    }
    return result;
}

at::Tensor Decoder::embed(const at::Tensor &ids, const LayerContext &context) const
{
    const at::Tensor x = m_embedding->tensor.index_select(0, ids.reshape({-1}));
    if (context.promptRows == 0)
        return x;
    const int64_t batch = ids.size(0);
    const at::Tensor rows = m_virtual.encoder ? m_virtual.encoder->rows() : m_virtual.prompt->tensor;
    return at::cat({rows.to(x.scalar_type()).expand({batch, -1, -1}), x.view({batch, ids.size(1), -1})}, 1)
        .view({-1, x.size(1)});
}

void Decoder::embedBackward(const at::Tensor &ids, const at::Tensor &dx, const LayerContext &context) const
{
    at::Tensor gradient = dx;
    if (context.promptRows > 0) {
        const at::Tensor sequences = dx.view({ids.size(0), -1, dx.size(1)});
        const at::Tensor drows = sequences.slice(1, 0, context.promptRows).to(at::kFloat).sum(0);
        if (m_virtual.encoder)
            m_virtual.encoder->backward(drows);
        else
            m_virtual.prompt->addGradient(drows);
        gradient = sequences.slice(1, context.promptRows).reshape({-1, dx.size(1)});
    }
    if (m_embedding->trainable)
        embeddingBackward(ids, gradient);
}

void Decoder::embeddingBackward(const at::Tensor &ids, const at::Tensor &dx) const
{
    if (!m_embedding->gradient.defined())
        m_embedding->gradient = at::zeros_like(m_embedding->tensor);
    at::Tensor rows = ids.reshape({-1});
    at::Tensor gradient = dx;
    const Json &pad = m_config.raw.contains("pad_token_id") ? m_config.raw["pad_token_id"] : Json();
    if (pad.is_number_integer()) { // torch's padding_idx: this row of the embedding is not trained by lookups
        const at::Tensor kept = rows.ne(pad.get<int64_t>()).nonzero().squeeze(1);
        rows = rows.index_select(0, kept);
        gradient = gradient.index_select(0, kept);
    }
    m_embedding->gradient.index_add_(0, rows, gradient);
}

at::Tensor Decoder::project(int index, const Linear &module, int place, const at::Tensor &x,
                            const LayerContext &context) const
{
    if (!context.dropout || !module.adapter || module.adapter->dropout <= 0)
        return linear(x, module);
    const auto number = static_cast<uint64_t>(index * linearsPerLayer + place);
    return linear(x, module,
                  deriveSeed(context.dropout->seed, RandomPurpose::Dropout,
                             {context.dropout->step, context.dropout->microBatch, number}));
}

at::Tensor Decoder::attend(int index, const at::Tensor &x, const LayerContext &context) const
{
    const Layer &layer = m_layers[static_cast<size_t>(index)];
    at::Tensor query = project(index, layer.query, 0, x, context);
    at::Tensor key = project(index, layer.key, 1, x, context);
    at::Tensor value = project(index, layer.value, 2, x, context);
    if (layer.queryNorm) {
        query = rmsNorm(query, layer.queryNorm, m_config.rmsNormEps);
        key = rmsNorm(key, layer.keyNorm, m_config.rmsNormEps);
    }
    query = rotate(query, context.rotary);
    key = rotate(key, context.rotary);
    if (context.prefixRows > 0) {
        const int64_t first = 2 * index * key.size(1);
        key = withRowsBefore(key, m_virtual.prefix, first, context.attention.batch);
        value = withRowsBefore(value, m_virtual.prefix, first + value.size(1), context.attention.batch);
    }
    if (context.cache) {
        key = extend(context.cache->keys[static_cast<size_t>(index)], key, context.attention.batch);
        value = extend(context.cache->values[static_cast<size_t>(index)], value, context.attention.batch);
    }
    AttentionShape shape = context.attention;
    shape.window = m_config.windows.empty() ? 0 : m_config.windows[static_cast<size_t>(index)];
    return project(index, layer.out, 3, attention(query, key, value, shape), context);
}

at::Tensor Decoder::layer(int index, const at::Tensor &x, const LayerContext &context) const
{
    const Layer &layer = m_layers[static_cast<size_t>(index)];
    const at::Tensor middle = x + attend(index, rmsNorm(x, layer.inputNorm, m_config.rmsNormEps), context);
    const at::Tensor normed = rmsNorm(middle, layer.postNorm, m_config.rmsNormEps);
    const at::Tensor gate = project(index, layer.gate, 4, normed, context);
    const at::Tensor up = project(index, layer.up, 5, normed, context);
    return middle + project(index, layer.down, 6, swiglu(gate, up), context);
}

at::Tensor Decoder::finalNorm(const at::Tensor &x) const
{
    return rmsNorm(x, m_finalNorm, m_config.rmsNormEps);
}

} // namespace rentune::trainer
