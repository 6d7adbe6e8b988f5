// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/setup.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace rentune::memory {
namespace {

int64_t elements(const hf::TensorSpec &tensor)
{
    int64_t count = 1;
    for (const int64_t dimension : tensor.shape)
        count *= dimension;
    return count;
}

struct Features
{
    int64_t in = 0;
    int64_t out = 0;
};

/// Features of a linear module by the last part of its name; they are the same in every block.
Features features(std::string_view module, const Shape &shape)
{
    const std::string_view kind = module.substr(module.rfind('.') + 1);
    if (kind == "q_proj")
        return {shape.hidden, shape.queryWidth};
    if (kind == "k_proj" || kind == "v_proj")
        return {shape.hidden, shape.kvWidth};
    if (kind == "o_proj")
        return {shape.queryWidth, shape.hidden};
    if (kind == "down_proj")
        return {shape.intermediate, shape.hidden};
    return {shape.hidden, shape.intermediate};
}

} // namespace

Shape shapeOf(const hf::ModelConfig &config)
{
    Shape shape;
    shape.layers = config.layers;
    shape.hidden = config.hiddenSize;
    shape.heads = config.heads;
    shape.kvHeads = config.kvHeads;
    shape.queryWidth = config.heads * config.headDim;
    shape.kvWidth = config.kvHeads * config.headDim;
    shape.intermediate = config.intermediateSize;
    shape.vocab = config.vocabSize;
    shape.qkNorm = config.qkNorm;
    shape.tied = config.tieWordEmbeddings;
    int64_t inBlocks = 0;
    for (const hf::TensorSpec &tensor : hf::tensorList(config)) {
        const int64_t count = elements(tensor);
        shape.parameters += count;
        if (tensor.name.find(".layers.") == std::string::npos)
            continue;
        inBlocks += count;
        if (tensor.shape.size() != 2)
            continue;
        shape.blockLinear += count;
        shape.blockLinearRows += tensor.shape[0];
        shape.largestLinear = std::max(shape.largestLinear, count);
    }
    shape.layerParameters = inBlocks / std::max<int64_t>(1, config.layers);
    return shape;
}

Adapter adapterOf(const hf::LoraTargets &targets, const hf::ModelConfig &config)
{
    Adapter adapter;
    Shape shape;
    shape.hidden = config.hiddenSize;
    shape.intermediate = config.intermediateSize;
    shape.queryWidth = config.heads * config.headDim;
    shape.kvWidth = config.kvHeads * config.headDim;
    std::set<std::string_view>
        normed; // "model.layers.3.mlp": modules of one block part share their norm's output
    for (const hf::LoraTarget &target : targets.modules) {
        const std::string_view name = target.module;
        const auto [in, out] = features(name, shape);
        adapter.parameters += target.rank * (in + out);
        adapter.modules += 1;
        adapter.inFeatures += in;
        adapter.outFeatures += out;
        adapter.ranks += target.rank;
        if (name.ends_with("down_proj"))
            adapter.downInputs += 1;
        else if (!name.ends_with("o_proj"))
            normed.insert(name.substr(0, name.rfind('.')));
    }
    adapter.normInputs = static_cast<int64_t>(normed.size());
    return adapter;
}

} // namespace rentune::memory
