// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/job_setup.h"

#include <algorithm>
#include <string_view>

namespace rentune::plan {
namespace {

using memory::Adapter;
using memory::Setup;
using memory::Shape;

/// PEFT's P-tuning encoder: virtual tokens and a perceptron of three layers with biases.
int64_t ptuningParameters(int64_t virtualTokens, int64_t width, int64_t inner)
{
    return virtualTokens * width + (width * inner + inner) + (inner * inner + inner) +
           (inner * width + width);
}

/// Down and up projection with biases, twice a block in Houlsby's placement, once in Pfeiffer's.
int64_t bottleneckParameters(const wire::MethodSpec &method, const Shape &shape)
{
    const int64_t size = method.bottleneckSize;
    const int64_t one = 2 * shape.hidden * size + size + shape.hidden;
    return shape.layers * one * (method.bottleneckPlacement == "houlsby" ? 2 : 1);
}

hf::LoraConfig loraConfig(const wire::MethodSpec &method)
{
    hf::LoraConfig config;
    config.rank = method.rank;
    config.alpha = method.alpha;
    config.dropout = method.dropout;
    config.targets = method.targets;
    if (config.targets.empty())
        config.targetPattern = method.targetPattern;
    config.rankPattern.assign(method.rankPattern.begin(), method.rankPattern.end());
    config.alphaPattern.assign(method.alphaPattern.begin(), method.alphaPattern.end());
    config.rslora = method.rslora;
    config.dora = method.type == wire::MethodType::Dora;
    config.bias = method.bias;
    config.modulesToSave = method.modulesToSave;
    return config;
}

/// Copies that train in full beside the adapter; embedding and head are the ones worth the name.
int64_t savedModuleParameters(const wire::MethodSpec &method, const Shape &shape)
{
    int64_t parameters = 0;
    for (const std::string &module : method.modulesToSave) {
        if (module == "embed_tokens" || module == "lm_head")
            parameters += shape.headParameters();
    }
    return parameters;
}

Result<Adapter> loraAdapter(const wire::MethodSpec &method, const PlanFacts &facts, const Shape &shape)
{
    const hf::LoraConfig config = facts.initFrom ? *facts.initFrom : loraConfig(method);
    RENTUNE_TRY(const hf::LoraTargets targets, hf::resolveLoraTargets(config, facts.model));
    Adapter adapter = memory::adapterOf(targets, facts.model);
    if (method.type == wire::MethodType::Dora)
        adapter.parameters += adapter.outFeatures; // a magnitude for each output
    adapter.parameters += savedModuleParameters(method, shape);
    return adapter;
}

/// Methods that add parameters outside the linear modules.
Adapter otherAdapter(const wire::MethodSpec &method, const Shape &shape)
{
    Adapter adapter;
    switch (method.type) {
    case wire::MethodType::Prefix:
        adapter.parameters = method.virtualTokens * shape.layers * 2 * shape.kvWidth;
        break;
    case wire::MethodType::Prompt:
        adapter.parameters = method.virtualTokens * shape.hidden;
        break;
    case wire::MethodType::Ptuning:
        adapter.parameters = ptuningParameters(method.virtualTokens, shape.hidden, method.ptuningHidden);
        break;
    case wire::MethodType::Ia3:
        adapter.parameters = shape.layers * (2 * shape.kvWidth + shape.intermediate);
        break;
    case wire::MethodType::Adapter:
        adapter.parameters = bottleneckParameters(method, shape);
        break;
    default:
        break;
    }
    return adapter;
}

Result<void> applyMethod(Setup &setup, const wire::MethodSpec &method, const PlanFacts &facts)
{
    switch (method.type) {
    case wire::MethodType::Full:
        setup.trainedBase = setup.shape.parameters;
        setup.trainedLayers = setup.shape.layers;
        return {};
    case wire::MethodType::Freeze:
        setup.trainedLayers = std::clamp<int64_t>(method.freezeLastLayers, 0, setup.shape.layers);
        setup.trainedBase = setup.trainedLayers * setup.shape.layerParameters;
        return {};
    case wire::MethodType::Lora:
    case wire::MethodType::Dora: {
        RENTUNE_TRY(setup.adapter, loraAdapter(method, facts, setup.shape));
        return {};
    }
    default:
        setup.adapter = otherAdapter(method, setup.shape);
        return {};
    }
}

memory::Optimizer optimizerOf(std::string_view name)
{
    if (name == "adamw8bit")
        return memory::Optimizer::AdamW8bit;
    if (name == "paged_adamw8bit")
        return memory::Optimizer::PagedAdamW8bit;
    if (name == "sgd")
        return memory::Optimizer::Sgd;
    if (name == "adafactor")
        return memory::Optimizer::Adafactor;
    return memory::Optimizer::AdamW;
}

} // namespace

Result<Setup> setupOf(const wire::JobSpec &job, const PlanFacts &facts)
{
    Setup setup;
    setup.shape = memory::shapeOf(facts.model);
    RENTUNE_CHECK(applyMethod(setup, job.method, facts));
    setup.stack = job.engine == wire::Engine::Rentune ? memory::Stack::Rentune : memory::Stack::HuggingFace;
    setup.cuda = facts.gpu.has_value();
    setup.bf16Instructions = setup.cuda || facts.host.bf16Instructions;
    setup.sequences = job.training.microBatch;
    if (facts.lengths.rows > 0)
        setup.sequences = std::min(setup.sequences, facts.lengths.rows);
    setup.tokens =
        job.data.packing || facts.lengths.maxTokens == 0 ? job.data.maxLength : facts.lengths.maxTokens;
    setup.accumulation = job.training.gradAccumulation;
    setup.precision = job.training.precision;
    setup.masterWeights = job.training.masterWeights;
    setup.optimizer = optimizerOf(job.training.optimizer);
    setup.checkpointing = job.training.gradientCheckpointing;
    setup.dropout = job.method.dropout;
    setup.quantization = job.method.quantization;
    setup.ranks = static_cast<int64_t>(job.parallel.nodes) * job.parallel.gpusPerNode;
    setup.strategy = job.parallel.strategy;
    if (setup.ranks > 1 && setup.strategy == wire::Strategy::None)
        setup.strategy = wire::Strategy::Ddp;
    setup.offload = job.parallel.offload;
    setup.capacity = facts.gpu ? facts.gpu->memory : facts.host.memory;
    return setup;
}

} // namespace rentune::plan
