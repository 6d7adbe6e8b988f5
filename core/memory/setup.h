// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/units.h"
#include "core/hf/adapter_config.h"
#include "core/hf/model_config.h"
#include "core/wire/job_spec.h"

#include <cstdint>

namespace rentune::memory {

/// A model's dimensions and counts, as the formulas use them.
struct Shape
{
    int64_t layers = 0;
    int64_t hidden = 0;
    int64_t heads = 0;
    int64_t kvHeads = 0;
    int64_t queryWidth = 0; ///< heads · head_dim
    int64_t kvWidth = 0;    ///< kv heads · head_dim
    int64_t intermediate = 0;
    int64_t vocab = 0;
    bool qkNorm = false;
    bool tied = false;
    int64_t parameters = 0;
    int64_t blockLinear = 0; ///< elements of all linear weights inside the blocks: what quantization packs
    int64_t blockLinearRows = 0; ///< Σ out features of the same
    int64_t largestLinear = 0;   ///< elements of the largest of them
    int64_t layerParameters = 0; ///< of one block

    int64_t headParameters() const { return vocab * hidden; } ///< the head, tied or not
};
Shape shapeOf(const hf::ModelConfig &config);

/// What the method adds to the model, summed over all layers.
struct Adapter
{
    int64_t parameters = 0;
    int64_t modules = 0;
    int64_t inFeatures = 0; ///< Σ over adapted modules
    int64_t outFeatures = 0;
    int64_t ranks = 0;
    int64_t normInputs =
        0; ///< norm outputs that feed an adapter: of q, k, v or of gate, up; at most two a layer
    int64_t downInputs = 0; ///< adapted down_proj modules
};
Adapter adapterOf(const hf::LoraTargets &targets, const hf::ModelConfig &config);

/// Whose program trains, which decides what forward keeps and how the loss is computed.
enum class Stack
{
    Rentune,    ///< our trainer: fused operations, loss by chunks from the head
    HuggingFace ///< transformers with PEFT as ms-swift and LLaMA-Factory run it
};

enum class Optimizer
{
    AdamW,
    AdamW8bit,
    PagedAdamW8bit,
    Sgd,
    Adafactor
};

/// All that memory and time depend on, with every choice made.
struct Setup
{
    Shape shape;
    Adapter adapter;
    int64_t trainedBase = 0;   ///< base parameters that train: all, those of the last layers, or 0
    int64_t trainedLayers = 0; ///< layers whose base weights train
    Stack stack = Stack::Rentune;
    bool cuda = true;
    bool bf16Instructions =
        true;              ///< without them our CPU trainer computes in fp32 with frozen bf16 weights widened
    int64_t sequences = 1; ///< micro batch
    int64_t tokens = 512;  ///< of each sequence, padding included
    int64_t accumulation = 1;
    wire::Precision precision = wire::Precision::Bf16;
    bool masterWeights = true;
    Optimizer optimizer = Optimizer::AdamW;
    bool checkpointing = false;
    double dropout = 0;
    wire::QuantizationSpec quantization;
    wire::Strategy strategy = wire::Strategy::None;
    wire::Offload offload = wire::Offload::None;
    int64_t ranks = 1;
    Bytes capacity = 0; ///< of one device; 0 if unknown

    int64_t rows() const { return sequences * tokens; }
    bool peft() const { return trainedBase == 0; }
    bool quantized() const { return quantization.type != wire::QuantizationType::None; }
    int64_t trained() const { return trainedBase + adapter.parameters; }
    /// Bytes of a stored weight that is not packed.
    int64_t storedBytes() const { return precision == wire::Precision::Fp32 ? 4 : 2; }
    /// Bytes of an element of activations, and of weights during their pass.
    int64_t computeBytes() const { return cuda || bf16Instructions ? storedBytes() : 4; }
    bool shardsWeights() const
    {
        return strategy == wire::Strategy::Zero3 || strategy == wire::Strategy::Fsdp;
    }
    bool shardsGradients() const { return shardsWeights() || strategy == wire::Strategy::Zero2; }
    bool shardsStates() const { return shardsGradients() || strategy == wire::Strategy::Zero1; }
};

} // namespace rentune::memory
