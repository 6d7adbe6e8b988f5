// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/job_setup.h"

#include "core/wire/job_adapter.h"

#include <algorithm>
#include <string_view>

namespace rentune::plan {
namespace {

using memory::Adapter;
using memory::Setup;
using memory::Shape;

/// Down and up projection with biases, twice a block in Houlsby's placement, once in Pfeiffer's.
int64_t bottleneckParameters(const wire::MethodSpec &method, const Shape &shape)
{
    const int64_t size = method.bottleneckSize;
    const int64_t one = 2 * shape.hidden * size + size + shape.hidden;
    return shape.layers * one * (method.bottleneckPlacement == "houlsby" ? 2 : 1);
}

/// What PEFT trains, and for LoRA what its computation keeps and costs.
Result<Adapter> adapterOf(const hf::AdapterConfig &config, const hf::ModelConfig &model)
{
    Adapter adapter;
    if (const auto *lora = std::get_if<hf::LoraConfig>(&config)) {
        RENTUNE_TRY(const hf::LoraTargets targets, hf::resolveLoraTargets(*lora, model));
        adapter = memory::adapterOf(targets, model);
    }
    RENTUNE_TRY(adapter.parameters, hf::adapterParameterCount(config, model));
    return adapter;
}

Result<void> applyMethod(Setup &setup, const wire::JobSpec &job, const PlanFacts &facts)
{
    const wire::MethodSpec &method = job.method;
    switch (method.type) {
    case wire::MethodType::Full:
        setup.trainedBase = setup.shape.parameters;
        setup.trainedLayers = setup.shape.layers;
        return {};
    case wire::MethodType::Freeze:
        setup.trainedLayers = std::clamp<int64_t>(method.freezeLastLayers, 0, setup.shape.layers);
        setup.trainedBase = setup.trainedLayers * setup.shape.layerParameters;
        return {};
    case wire::MethodType::Adapter:
        setup.adapter.parameters = bottleneckParameters(method, setup.shape);
        return {};
    default:
        break;
    }
    const hf::AdapterConfig config = facts.initFrom ? *facts.initFrom : *wire::jobAdapter(job, facts.model);
    RENTUNE_TRY(setup.adapter, adapterOf(config, facts.model));
    return {};
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
    RENTUNE_CHECK(applyMethod(setup, job, facts));
    setup.stack = job.engine == wire::Engine::Rentune ? memory::Stack::Rentune : memory::Stack::HuggingFace;
    setup.cuda = facts.gpu.has_value();
    setup.bf16Instructions = setup.cuda || facts.host.bf16Instructions;
    setup.sequences = job.training.microBatch;
    if (facts.lengths.rows > 0)
        setup.sequences = std::min(setup.sequences, facts.lengths.rows);
    setup.tokens =
        job.data.packing || facts.lengths.maxTokens == 0 ? job.data.maxLength : facts.lengths.maxTokens;
    if (job.method.type == wire::MethodType::Prompt || job.method.type == wire::MethodType::Ptuning)
        setup.tokens += job.method.virtualTokens;
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
