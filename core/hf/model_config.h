// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/hf/rope.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rentune::hf {

/// What a decoder-only model is, independent of its family: the trainer builds one decoder from it, the
/// planner counts from it. Names follow config.json of transformers.
struct ModelConfig
{
    std::string architecture; ///< "LlamaForCausalLM", …
    std::string modelType;    ///< "llama", "qwen2", "qwen3", "mistral"
    int64_t hiddenSize = 0;
    int64_t intermediateSize = 0;
    int64_t layers = 0;
    int64_t heads = 0;
    int64_t kvHeads = 0;
    int64_t headDim = 0; ///< explicit, else hiddenSize / heads
    int64_t vocabSize = 0;
    int64_t maxPositions = 0;
    double rmsNormEps = 1e-6;
    RopeConfig rope;
    std::vector<int64_t> windows; ///< tokens a layer's attention looks back, itself included; 0: all.
                                  ///< [layers], or empty where no layer has a window
    bool tieWordEmbeddings = false;
    bool qkvBias = false;          ///< q, k and v projections carry a bias
    bool attentionOutBias = false; ///< o_proj carries a bias
    bool mlpBias = false;
    bool qkNorm = false; ///< RMSNorm over head_dim on q and k (Qwen3)
    std::string dtype;   ///< "float32", "bfloat16", "float16"; "" if the file states none
    std::vector<int64_t> eosTokenIds;
    Json raw; ///< the file as read: what is saved beside a trained model
};

/// One parameter tensor of a checkpoint in Hugging Face layout.
struct TensorSpec
{
    std::string name;           ///< "model.layers.0.self_attn.q_proj.weight"
    std::vector<int64_t> shape; ///< linear weights are [out, in]
};

/// Parses config.json's text. Errors: model.unsupported (architecture, rope type, …; the detail names the
/// nearest supported one), model.config (missing or impossible values, e.g. heads not a multiple of kv
/// heads).
Result<ModelConfig> parseModelConfig(const Json &json, const std::string &file);

/// Reads DIR/config.json.
Result<ModelConfig> readModelConfig(const std::filesystem::path &folder);

/// Every parameter in the order of the layers. A tied head has no tensor of its own.
std::vector<TensorSpec> tensorList(const ModelConfig &config);

/// Σ of tensorList's element counts, as transformers' num_parameters().
int64_t parameterCount(const ModelConfig &config);

/// Names of the linear modules inside the blocks (without ".weight"), in order: what "all-linear" means.
/// The output head is not among them.
std::vector<std::string> linearModules(const ModelConfig &config);

} // namespace rentune::hf
