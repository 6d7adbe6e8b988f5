// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/trainer_limits.h"

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
    const bool adapter = lora || method.type == MethodType::Ia3;
    addIf(!adapter && method.type != MethodType::Full, limits, "method.type", "use lora, dora, ia3 or full");
    addIf(lora && method.bias != "none", limits, "method.bias", "use none");
    addIf(adapter && !method.modulesToSave.empty(), limits, "method.modules_to_save", "leave the list empty");
    addIf(!adapter && !method.initFrom.empty(), limits, "method.init_from",
          "give the folder to start from as model.path");
    addIf(method.quantization.type != QuantizationType::None, limits, "method.quantization.type", "use none");
}

void addTraining(const TrainingSpec &training, Limits &limits)
{
    addIf(training.optimizer != "adamw", limits, "training.optimizer", "use adamw");
    addIf(training.precision == Precision::Fp16, limits, "training.precision", "use bf16 or fp32");
    addIf(training.earlyStopping.patience != 0, limits, "training.early_stopping.patience", "use 0");
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
    addTraining(job.training, limits);
    addParallel(job.parallel, limits);
    addIf(!job.checkpoint.upload.empty(), limits, "checkpoint.upload",
          "leave it out and copy the run folder");
    addIf(job.hardware.device == DeviceChoice::Cuda, limits, "hardware.device", "use cpu or auto");
    return limits;
}

} // namespace rentune::wire
