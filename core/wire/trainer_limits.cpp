// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/trainer_limits.h"

#include <bit>

namespace rentune::wire {
namespace {

using Limits = std::vector<TrainerLimit>;

void addIf(bool exceeded, Limits &limits, const char *key, const char *instead)
{
    if (exceeded)
        limits.push_back({key, instead});
}

void addMethod(const MethodSpec &method, Limits &limits)
{
    const bool lora = method.type == MethodType::Lora || method.type == MethodType::Dora;
    const bool adapter = method.type != MethodType::Full;
    addIf(method.type == MethodType::Adapter || method.type == MethodType::Freeze, limits, "method.type",
          "use full, lora, dora, ia3, prompt, ptuning or prefix");
    addIf(lora && method.bias != "none", limits, "method.bias", "use none");
    addIf(adapter && !method.modulesToSave.empty(), limits, "method.modules_to_save", "leave the list empty");
    addIf(!adapter && !method.initFrom.empty(), limits, "method.init_from",
          "give the folder to start from as model.path");
}

/// What QLoRA runs on: adapters beside 4-bit weights that are unpacked to the training precision.
void addQuantization(const JobSpec &job, Limits &limits)
{
    const QuantizationSpec &quantization = job.method.quantization;
    if (quantization.type == QuantizationType::None)
        return;
    const bool adapter = job.method.type == MethodType::Lora || job.method.type == MethodType::Ia3;
    addIf(quantization.type == QuantizationType::Int8 || !adapter, limits, "method.quantization.type",
          adapter ? "use nf4, fp4 or none" : "use none, or method.type: lora");
    const bool blockKnown = std::has_single_bit(static_cast<uint64_t>(quantization.block)) &&
                            quantization.block >= 32 && quantization.block <= 4096;
    addIf(!blockKnown, limits, "method.quantization.block", "use a power of two from 32 to 4096");
    const char *precision = job.training.precision == Precision::Bf16 ? "bf16" : "fp32";
    addIf(quantization.compute != "auto" && quantization.compute != precision, limits,
          "method.quantization.compute", "use auto");
}

void addTraining(const TrainingSpec &training, Limits &limits)
{
    addIf(training.optimizer != "adamw", limits, "training.optimizer", "use adamw");
    addIf(training.precision == Precision::Fp16, limits, "training.precision", "use bf16 or fp32");
}

void addParallel(const ParallelSpec &parallel, Limits &limits)
{
    addIf(parallel.strategy != Strategy::None, limits, "parallel.strategy", "use none");
    addIf(parallel.offload != Offload::None, limits, "parallel.offload", "use none");
    addIf(parallel.nodes != 1, limits, "parallel.nodes", "use 1");
    addIf(parallel.gpusPerNode != 1, limits, "parallel.gpus_per_node", "use 1");
}

} // namespace

std::vector<TrainerLimit> trainerLimits(const JobSpec &job)
{
    Limits limits;
    addIf(job.engine != Engine::Rentune, limits, "engine", "use engine: rentune");
    addIf(job.model.path.empty(), limits, "model.path",
          "download the model and give its folder as model.path");
    addIf(job.data.packing, limits, "data.packing", "use false");
    addIf(!job.data.keepThink, limits, "data.think", "use keep");
    addMethod(job.method, limits);
    addQuantization(job, limits);
    addTraining(job.training, limits);
    addIf(job.training.earlyStopping.patience > 0 && (job.data.eval.empty() || job.training.evalSteps == 0),
          limits, "training.early_stopping.patience",
          "give data.eval and training.eval_steps, whose losses decide");
    addIf(job.method.type == MethodType::Prefix && job.training.gradientCheckpointing, limits,
          "training.gradient_checkpointing", "use false with prefix tuning");
    addParallel(job.parallel, limits);
    addIf(!job.checkpoint.upload.empty(), limits, "checkpoint.upload",
          "leave it out and copy the run folder");
    addIf(job.hardware.device == DeviceChoice::Cuda, limits, "hardware.device", "use cpu or auto");
    return limits;
}

} // namespace rentune::wire
