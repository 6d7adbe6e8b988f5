// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/activations.h"

#include <algorithm>

namespace rentune::memory {
namespace {

constexpr Bytes logitsChunkBytes = 64 * MiB;
constexpr int64_t attentionBlock = 128; // queries handled at once
constexpr int64_t float32 = 4;

/// Kept for backward by all layers together, bytes a row of the micro batch.
int64_t rentuneSavedPerRow(const Setup &setup)
{
    const Shape &shape = setup.shape;
    const int64_t e = setup.elementBytes();
    const int64_t h = shape.hidden;
    // Both norms save their input and one float; attention saves q, k, v, its result and one float a head;
    // SwiGLU its two inputs.
    int64_t layer = e * (2 * h + 2 * shape.queryWidth + 2 * shape.kvWidth + 2 * shape.intermediate) +
                    float32 * (2 + shape.heads);
    if (shape.qkNorm)
        layer += e * (shape.queryWidth + shape.kvWidth) + float32 * (shape.heads + shape.kvHeads);
    // Linear modules save their input where a weight gradient needs it; o_proj's is attention's result
    // already.
    const int64_t trained = e * (2 * h + shape.intermediate) * setup.trainedLayers;
    const Adapter &adapter = setup.adapter;
    const int64_t adapted =
        e * (h * adapter.normInputs + shape.intermediate * adapter.downInputs) + float32 * adapter.ranks;
    return shape.layers * layer + std::max(trained, adapted);
}

/// fp32 copies of k and v with their gradients, and two blocks of scores.
Bytes rentuneAttention(const Setup &setup)
{
    const Bytes copies = 4 * float32 * setup.rows() * setup.shape.kvWidth;
    const Bytes scores = 2 * float32 * setup.sequences * setup.shape.heads *
                         std::min(attentionBlock, setup.tokens) * setup.tokens;
    return copies + scores;
}

/// fp32 forms that an adapter makes around its products, for its widest module: input and result.
int64_t adapterTransientPerRow(const Setup &setup)
{
    const Adapter &adapter = setup.adapter;
    if (adapter.modules == 0)
        return 0;
    const int64_t in = adapter.downInputs > 0 ? setup.shape.intermediate : setup.shape.hidden;
    const int64_t masks = setup.dropout > 0 ? 1 : 0;
    return float32 * in * (1 + masks);
}

Activations rentuneActivations(const Setup &setup)
{
    const Shape &shape = setup.shape;
    const int64_t e = setup.elementBytes();
    const Bytes all = setup.rows() * rentuneSavedPerRow(setup);
    const Bytes input = setup.rows() * e * shape.hidden;
    Activations result;
    result.saved = setup.checkpointing ? input * shape.layers : all;
    result.layer = setup.checkpointing ? all / shape.layers - input : 0;
    result.saved += input; // of the final norm
    result.forward =
        setup.rows() * (e * (shape.hidden + 2 * shape.intermediate) + adapterTransientPerRow(setup));
    result.backward =
        setup.rows() * (e * (shape.hidden + 3 * shape.intermediate) + adapterTransientPerRow(setup));
    result.attention = rentuneAttention(setup);
    return result;
}

int64_t huggingFaceSavedPerRow(const Setup &setup)
{
    const Shape &shape = setup.shape;
    const int64_t h = shape.hidden;
    const int64_t e = setup.elementBytes();
    const int64_t full = setup.peft() ? 0 : 1;
    const int64_t norms = e * 4 * h * (1 + full);
    const int64_t attention = e * (2 * shape.queryWidth + 2 * shape.kvWidth);
    const int64_t mlp = e * (3 + full) * shape.intermediate;
    int64_t all = shape.layers * (norms + attention + mlp);
    if (setup.adapter.modules > 0) {
        const int64_t dropped = setup.dropout > 0 ? (e + 1) * setup.adapter.inFeatures : 0;
        all += dropped + e * shape.layers * (h + (setup.dropout > 0 ? 0 : shape.queryWidth));
    }
    return all;
}

Activations huggingFaceActivations(const Setup &setup)
{
    const Shape &shape = setup.shape;
    const int64_t e = setup.elementBytes();
    const Bytes all = setup.rows() * huggingFaceSavedPerRow(setup);
    // prepare_model_for_kbit_training keeps the residual stream in fp32.
    const Bytes input = setup.rows() * shape.hidden * (setup.quantized() ? 2 * e : e);
    Activations result;
    result.saved = setup.checkpointing ? input * shape.layers : all;
    result.layer = setup.checkpointing ? all / shape.layers : 0;
    const int64_t gradients = (setup.peft() ? 3 : 2) * shape.intermediate;
    result.backward = setup.rows() * e * (shape.hidden + gradients);
    result.forward = result.backward;
    return result;
}

} // namespace

Activations activationsOf(const Setup &setup)
{
    return setup.stack == Stack::Rentune ? rentuneActivations(setup) : huggingFaceActivations(setup);
}

LossMemory lossMemory(const Setup &setup)
{
    const int64_t e = setup.elementBytes();
    const Bytes hidden = setup.rows() * e * setup.shape.hidden;
    if (setup.stack == Stack::HuggingFace)
        return {12 * setup.rows() * setup.shape.vocab, 3 * hidden};
    const int64_t chunk =
        std::clamp<int64_t>(logitsChunkBytes / (setup.shape.vocab * float32), 1, setup.rows());
    // In fp32 the logits turn into their gradient in place; else a product in the compute dtype stands beside
    // them.
    const int64_t perLogit = float32 + (e == float32 ? 0 : e);
    return {chunk * setup.shape.vocab * perLogit, 3 * hidden + chunk * e * setup.shape.hidden};
}

Bytes unpackedBytes(const Setup &setup)
{
    return setup.quantized() ? setup.elementBytes() * setup.shape.largestLinear : 0;
}

} // namespace rentune::memory
