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
    const int64_t e = setup.computeBytes();
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

/// Bytes a row of fp32 forms that down_proj's adapter makes in its backward pass: its share of dx and, with
/// dropout, the mask over it; in bf16 the widened result's gradient too.
int64_t downAdapterPerRow(const Setup &setup)
{
    if (setup.adapter.downInputs == 0)
        return 0;
    const int64_t masks = setup.dropout > 0 ? 1 : 0;
    const int64_t widened = setup.computeBytes() == float32 ? 0 : setup.shape.hidden;
    return float32 * (setup.shape.intermediate * (1 + masks) + widened);
}

/// The most that a layer's backward pass holds besides what it saved: in the MLP the gradient of the layer's
/// result and either down_proj's products or SwiGLU's three gradients; in attention fp32 copies of k and v
/// with their gradients, dq, the gradient of the result and two blocks of scores, when the MLP's tensors are
/// gone.
Bytes rentuneBackward(const Setup &setup)
{
    const Shape &shape = setup.shape;
    const int64_t e = setup.computeBytes();
    const bool savesDown = setup.adapter.downInputs > 0 || setup.trainedLayers > 0;
    const int64_t down = e * shape.intermediate + downAdapterPerRow(setup);
    const int64_t swiglu = e * (savesDown ? 2 : 3) * shape.intermediate;
    const Bytes mlp = setup.rows() * std::max(down, swiglu);
    const Bytes copies = setup.rows() * (4 * float32 * shape.kvWidth + 2 * e * shape.queryWidth);
    const Bytes scores =
        2 * float32 * setup.sequences * shape.heads * std::min(attentionBlock, setup.tokens) * setup.tokens;
    const Bytes gone = setup.rows() * e * (savesDown ? 3 : 2) * shape.intermediate;
    return setup.rows() * e * shape.hidden + std::max(mlp, copies + scores - gone);
}

/// At the end of the MLP: SwiGLU's result where it is not saved, down_proj's result, a dropout mask.
Bytes rentuneForward(const Setup &setup)
{
    const int64_t e = setup.computeBytes();
    const bool savesDown = setup.adapter.downInputs > 0 || setup.trainedLayers > 0;
    const int64_t masks = setup.dropout > 0 && setup.adapter.downInputs > 0 ? 1 : 0;
    return setup.rows() * (e * setup.shape.hidden + (savesDown ? 0 : e * setup.shape.intermediate) +
                           float32 * masks * setup.shape.intermediate);
}

Activations rentuneActivations(const Setup &setup)
{
    const Shape &shape = setup.shape;
    const Bytes all = setup.rows() * rentuneSavedPerRow(setup);
    const Bytes input = setup.rows() * setup.computeBytes() * shape.hidden;
    const Bytes rotary = setup.rows() * float32 * (shape.queryWidth / std::max<int64_t>(1, shape.heads));
    Activations result;
    result.saved =
        (setup.checkpointing ? input * shape.layers : all) + input + rotary; // and the last layer's result
    result.layer = setup.checkpointing ? all / shape.layers - input : 0;
    result.forward = (setup.checkpointing ? result.layer : 0) + rentuneForward(setup);
    result.backward = rentuneBackward(setup);
    return result;
}

int64_t huggingFaceSavedPerRow(const Setup &setup)
{
    const Shape &shape = setup.shape;
    const int64_t h = shape.hidden;
    const int64_t e = setup.computeBytes();
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
    const int64_t e = setup.computeBytes();
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
    const int64_t e = setup.computeBytes();
    const Bytes hidden = setup.rows() * e * setup.shape.hidden;
    if (setup.stack == Stack::HuggingFace)
        return {12 * setup.rows() * setup.shape.vocab, 3 * hidden};
    const int64_t chunk =
        std::clamp<int64_t>(logitsChunkBytes / (setup.shape.vocab * float32), 1, setup.rows());
    // In fp32 the logits turn into their gradient in place; else a product in the compute dtype stands beside
    // them.
    const int64_t perLogit = float32 + (e == float32 ? 0 : e);
    return {chunk * setup.shape.vocab * perLogit, 2 * hidden + chunk * e * setup.shape.hidden};
}

Bytes preparedLayer(const Setup &setup)
{
    const int64_t e = setup.computeBytes();
    if (setup.quantized())
        return e * (setup.stack == Stack::Rentune ? setup.shape.layerParameters : setup.shape.largestLinear);
    return e == setup.storedBytes() ? 0 : e * setup.shape.layerParameters;
}

Bytes preparedHead(const Setup &setup)
{
    return setup.computeBytes() == setup.storedBytes() ? 0
                                                       : setup.computeBytes() * setup.shape.headParameters();
}

} // namespace rentune::memory
