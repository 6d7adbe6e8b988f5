// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/model_config.h"

#include <fmt/core.h>

namespace rentune::hf {
namespace {

/// A linear module of a block: its name inside the block, [out, in] and whether it has a bias.
struct Linear
{
    std::string name;
    int64_t out;
    int64_t in;
    bool bias;
};

std::vector<Linear> attentionLinears(const ModelConfig &c)
{
    return {{"self_attn.q_proj", c.heads * c.headDim, c.hiddenSize, c.qkvBias},
            {"self_attn.k_proj", c.kvHeads * c.headDim, c.hiddenSize, c.qkvBias},
            {"self_attn.v_proj", c.kvHeads * c.headDim, c.hiddenSize, c.qkvBias},
            {"self_attn.o_proj", c.hiddenSize, c.heads * c.headDim, c.attentionOutBias}};
}

std::vector<Linear> mlpLinears(const ModelConfig &c)
{
    return {{"mlp.gate_proj", c.intermediateSize, c.hiddenSize, c.mlpBias},
            {"mlp.up_proj", c.intermediateSize, c.hiddenSize, c.mlpBias},
            {"mlp.down_proj", c.hiddenSize, c.intermediateSize, c.mlpBias}};
}

void addLinears(std::vector<TensorSpec> &list, const std::string &block, const std::vector<Linear> &linears)
{
    for (const Linear &linear : linears) {
        list.push_back({block + linear.name + ".weight", {linear.out, linear.in}});
        if (linear.bias)
            list.push_back({block + linear.name + ".bias", {linear.out}});
    }
}

std::string blockPrefix(int64_t layer)
{
    return fmt::format("model.layers.{}.", layer);
}

} // namespace

std::vector<TensorSpec> tensorList(const ModelConfig &config)
{
    std::vector<TensorSpec> list;
    list.push_back({"model.embed_tokens.weight", {config.vocabSize, config.hiddenSize}});
    const std::vector<Linear> attention = attentionLinears(config);
    const std::vector<Linear> mlp = mlpLinears(config);
    for (int64_t layer = 0; layer < config.layers; ++layer) {
        const std::string block = blockPrefix(layer);
        addLinears(list, block, attention);
        if (config.qkNorm) {
            list.push_back({block + "self_attn.q_norm.weight", {config.headDim}});
            list.push_back({block + "self_attn.k_norm.weight", {config.headDim}});
        }
        addLinears(list, block, mlp);
        list.push_back({block + "input_layernorm.weight", {config.hiddenSize}});
        list.push_back({block + "post_attention_layernorm.weight", {config.hiddenSize}});
    }
    list.push_back({"model.norm.weight", {config.hiddenSize}});
    if (!config.tieWordEmbeddings)
        list.push_back({"lm_head.weight", {config.vocabSize, config.hiddenSize}});
    return list;
}

int64_t parameterCount(const ModelConfig &config)
{
    int64_t total = 0;
    for (const TensorSpec &tensor : tensorList(config)) {
        int64_t elements = 1;
        for (const int64_t size : tensor.shape)
            elements *= size;
        total += elements;
    }
    return total;
}

std::vector<std::string> linearModules(const ModelConfig &config)
{
    std::vector<std::string> modules;
    for (int64_t layer = 0; layer < config.layers; ++layer) {
        for (const auto &linears : {attentionLinears(config), mlpLinears(config)}) {
            for (const Linear &linear : linears)
                modules.push_back(blockPrefix(layer) + linear.name);
        }
    }
    return modules;
}

} // namespace rentune::hf
