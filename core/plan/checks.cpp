// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/checks.h"

#include "core/wire/trainer_limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rentune::plan {
namespace {

using wire::MethodType;
using wire::Precision;
using wire::Strategy;

Relax change(std::string code, std::string key, std::string value)
{
    return {std::move(code), std::move(key), std::move(value), 0};
}

bool trainsBase(const wire::MethodSpec &method)
{
    return method.type == MethodType::Full || method.type == MethodType::Freeze;
}

bool quantized(const wire::JobSpec &job)
{
    return job.method.quantization.type != wire::QuantizationType::None;
}

void checkHardware(const wire::JobSpec &job, const PlanFacts &facts, std::vector<Reason> &found)
{
    if (!facts.gpu) {
        if (job.hardware.device == wire::DeviceChoice::Cuda)
            found.push_back({"hardware.gpu_missing",
                             "the job wants CUDA but names no GPU",
                             {change("hardware.device", "hardware.device", "cpu")}});
        return;
    }
    if (facts.gpu->vendor != "NVIDIA")
        found.push_back({"hardware.vendor",
                         fmt::format("{} is made by {}; training runs on NVIDIA GPUs and CPUs",
                                     facts.gpu->name, facts.gpu->vendor),
                         {}});
    else if (job.training.precision == Precision::Bf16 && !facts.gpu->supportsBf16())
        found.push_back({"precision.unsupported",
                         fmt::format("{} (compute capability {}) has no bf16 units; they come with 8.0",
                                     facts.gpu->name, facts.gpu->computeCapability),
                         {change("precision.fp16", "training.precision", "fp16"),
                          change("precision.fp32", "training.precision", "fp32")}});
}

void checkMethod(const wire::JobSpec &job, std::vector<Reason> &found)
{
    if (quantized(job) && trainsBase(job.method))
        found.push_back({"quantization.trained_weights",
                         "packed weights can't train; only adapters beside them can",
                         {change("method.lora", "method.type", "lora"),
                          change("quantization.none", "method.quantization.type", "none")}});
    if (quantized(job) && job.parallel.strategy == Strategy::Zero3 && job.engine != wire::Engine::Rentune)
        found.push_back({"quantization.zero3",
                         "this engine can't shard quantized weights with ZeRO-3",
                         {change("parallel.zero2", "parallel.strategy", "zero2"),
                          change("parallel.fsdp", "parallel.strategy", "fsdp")}});
    if (job.method.type == MethodType::Prefix && job.training.gradientCheckpointing)
        found.push_back(
            {"method.checkpointing",
             "prefix tuning passes keys and values to each layer, which gradient checkpointing drops",
             {change("checkpointing.off", "training.gradient_checkpointing", "false")}});
}

/// What this version's own trainer does not run, by job key.
std::string notYet(const wire::JobSpec &job, const PlanFacts &facts)
{
    std::vector<std::string> keys;
    if (facts.gpu)
        keys.emplace_back("hardware.gpu");
    for (const wire::TrainerLimit &limit : wire::trainerLimits(job))
        if (limit.key != "model.path") // a model planned from the catalogue is fetched before it is trained
            keys.push_back(limit.key);
    return fmt::format("{}", fmt::join(keys, ", "));
}

void remarkOnParallel(const wire::JobSpec &job, std::vector<Reason> &found)
{
    const int ranks = job.parallel.nodes * job.parallel.gpusPerNode;
    if (ranks == 1 && job.parallel.strategy != Strategy::None && job.parallel.strategy != Strategy::Ddp)
        found.push_back({"parallel.no_saving", "sharding over one GPU saves nothing", {}});
    if (ranks > 1 && job.parallel.strategy == Strategy::None)
        found.push_back({"parallel.assumed_ddp",
                         fmt::format("{} GPUs without a strategy: planned as ddp", ranks),
                         {change("parallel.ddp", "parallel.strategy", "ddp")}});
}

void remarkOnData(const wire::JobSpec &job, const PlanFacts &facts, std::vector<Reason> &found)
{
    const std::string &assumed = facts.lengths.assumption;
    if (assumed == "data.none")
        found.push_back({assumed, "no training data named: every row is taken as long as max_length", {}});
    else if (assumed == "data.unreadable")
        found.push_back(
            {assumed, "the training data can't be read: every row is taken as long as max_length", {}});
    else if (assumed == "data.characters")
        found.push_back({assumed, "row lengths are guessed from their bytes, four to a token", {}});
    if (job.data.maxLength > facts.model.maxPositions && facts.model.maxPositions > 0)
        found.push_back(
            {"model.max_positions",
             fmt::format("max_length {} is beyond the {} positions the model was made for",
                         job.data.maxLength, facts.model.maxPositions),
             {change("max_length", "data.max_length", fmt::to_string(facts.model.maxPositions))}});
}

} // namespace

std::vector<Reason> conflicts(const wire::JobSpec &job, const PlanFacts &facts)
{
    std::vector<Reason> found;
    checkHardware(job, facts, found);
    checkMethod(job, found);
    if (facts.lengths.assumption.empty() && facts.lengths.rows == 0)
        found.push_back({"data.empty", "no usable row is in the training data", {}});
    return found;
}

std::vector<Reason> remarks(const wire::JobSpec &job, const PlanFacts &facts)
{
    std::vector<Reason> found;
    remarkOnParallel(job, found);
    remarkOnData(job, facts, found);
    if (job.training.precision == Precision::Fp16)
        found.push_back(
            {"precision.fp16_range", "fp16 overflows where bf16 does not; loss scaling is needed", {}});
    if (job.engine == wire::Engine::Rentune) {
        if (const std::string keys = notYet(job, facts); !keys.empty())
            found.push_back(
                {"engine.not_yet", fmt::format("planned, but this version can't run it: {}", keys), {}});
    }
    return found;
}

} // namespace rentune::plan
