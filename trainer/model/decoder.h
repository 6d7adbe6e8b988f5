// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hf/model_config.h"
#include "trainer/ops/attention.h"
#include "trainer/ops/elementwise.h"
#include "trainer/ops/linear.h"
#include "trainer/ops/virtual_tokens.h"

#include <functional>
#include <optional>
#include <vector>

namespace rentune::trainer {

/// Tokens of a forward pass, all [batch, tokens] int64. Ids must be below the vocabulary's size.
struct TokenBatch
{
    at::Tensor ids;
    at::Tensor positions; ///< undefined: counted from 0 in every row
    at::Tensor mask; ///< 0 hides a token from all others; undefined: none. Padding at the end needs no mask
};

/// Keys and values of earlier tokens, one tensor a layer: [batch, length, kvHeads · headDim].
struct KvCache
{
    std::vector<at::Tensor> keys;
    std::vector<at::Tensor> values;
    int64_t length = 0;
};

/// Where a micro batch's dropout masks come from: the same key gives the same masks.
struct DropoutKey
{
    uint64_t seed = 0;
    uint64_t step = 0;
    uint64_t microBatch = 0; ///< global number within the step
};

/// Trained rows that PEFT's prompt methods put before every sequence; at most one of the three is set.
struct VirtualTokens
{
    int64_t count = 0;
    WeightPtr prompt;                     ///< [count, hidden]: embeddings
    std::optional<PromptEncoder> encoder; ///< makes the embeddings while P-tuning trains
    WeightPtr prefix; ///< [count, layers · 2 · kv width]: key, then value of each layer, not rotated
};

/// What all layers of one forward pass share.
struct LayerContext
{
    int64_t promptRows = 0; ///< virtual tokens that this pass puts before each sequence
    int64_t prefixRows = 0; ///< virtual keys and values that it puts before each layer's own
    AttentionShape attention;
    RotaryTable rotary;
    std::optional<DropoutKey> dropout; ///< without a value nothing is dropped
    KvCache *cache = nullptr;
};

/// A decoder-only transformer of the Llama, Qwen2 or Qwen3 family: pre-norm blocks of grouped-query attention
/// and SwiGLU. It computes and nothing else: where weights come from, how layers are stepped through and what
/// is kept for the backward pass is decided outside (ParameterSource, LayerRunner).
///
/// Weights are grouped in units, the grain at which a source provides them: unit 0 is the embedding, unit 1 +
/// i is layer i, the last unit is the final norm with the head. A tied head is the embedding's Weight in both
/// units.
class Decoder
{
public:
    explicit Decoder(hf::ModelConfig config);
    Decoder(const Decoder &) = delete;
    Decoder &operator=(const Decoder &) = delete;

    const hf::ModelConfig &config() const { return m_config; }
    int layers() const { return static_cast<int>(m_layers.size()); }
    int units() const { return layers() + 2; }
    static constexpr int embeddingUnit = 0;
    int layerUnit(int layer) const { return layer + 1; }
    int headUnit() const { return layers() + 1; }
    const std::vector<WeightPtr> &unitWeights(int unit) const { return m_units[static_cast<size_t>(unit)]; }
    /// Every weight once, in the order of the units.
    std::vector<WeightPtr> weights() const;

    /// Calls `change` with every linear module of the blocks; the weights it returns join the module's unit.
    using ChangeLinear = std::function<std::vector<WeightPtr>(Linear &)>;
    void changeLinears(const ChangeLinear &change);

    /// Once, before the weights are given their values. The weights join the units that use them.
    void setVirtualTokens(VirtualTokens tokens);

    /// Virtual tokens count only in a pass that begins a sequence.
    LayerContext context(const TokenBatch &batch, KvCache *cache = nullptr) const;

    // The steps of a forward pass. Rows are batch · tokens; the unit's weights must be present.
    /// → [rows, hidden], with the context's prompt rows before each sequence.
    at::Tensor embed(const at::Tensor &ids, const LayerContext &context) const;
    /// Gradients of the embedding and of the prompt, as far as they are trained.
    void embedBackward(const at::Tensor &ids, const at::Tensor &dx, const LayerContext &context) const;
    at::Tensor layer(int index, const at::Tensor &x, const LayerContext &context) const;
    at::Tensor finalNorm(const at::Tensor &x) const;
    Weight &head() const { return *m_head; } ///< [vocab, hidden]
    const VirtualTokens &virtualTokens() const { return m_virtual; }

private:
    struct Layer
    {
        WeightPtr inputNorm, postNorm;
        WeightPtr queryNorm, keyNorm; ///< null without q/k norm
        Linear query, key, value, out, gate, up, down;

        std::vector<Linear *> linears();
    };

    hf::ModelConfig m_config;
    WeightPtr m_embedding, m_finalNorm, m_head;
    VirtualTokens m_virtual;
    std::vector<Layer> m_layers;
    std::vector<std::vector<WeightPtr>> m_units;

    Layer makeLayer(int index);
    void embeddingBackward(const at::Tensor &ids, const at::Tensor &dx) const;
    at::Tensor attend(int index, const at::Tensor &x, const LayerContext &context) const;
    at::Tensor project(int index, const Linear &module, int place, const at::Tensor &x,
                       const LayerContext &context) const;
};

} // namespace rentune::trainer
