// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/config/train_config.h"

#include "core/hf/model_config.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rentune::trainer {
namespace {

using wire::JobSpec;

/// A job key that this trainer would have to ignore.
struct Limit
{
    const char *key;
    bool exceeded;
    const char *instead;
};

Result<void> checkLimits(const JobSpec &job)
{
    const bool lora = job.method.type == wire::MethodType::Lora;
    const auto &method = job.method;
    const auto &training = job.training;
    const Limit limits[] = {
        {"engine", job.engine != wire::Engine::Rentune, "use engine: rentune"},
        {"model.path", job.model.path.empty(), "download the model and give its folder as model.path"},
        {"method.type", !lora && method.type != wire::MethodType::Full, "use lora or full"},
        {"method.quantization.type", method.quantization.type != wire::QuantizationType::None, "use none"},
        {"method.bias", lora && method.bias != "none", "use none"},
        {"method.modules_to_save", lora && !method.modulesToSave.empty(), "leave the list empty"},
        {"method.init_from", !lora && !method.initFrom.empty(),
         "give the folder to start from as model.path"},
        {"training.optimizer", training.optimizer != "adamw", "use adamw"},
        {"training.lora_plus_ratio", training.loraPlusRatio != 0, "use 0"},
        {"training.precision", training.precision == wire::Precision::Fp16, "use bf16 or fp32"},
        {"training.early_stopping.patience", training.earlyStopping.patience != 0, "use 0"},
        {"data.packing", job.data.packing, "use false"},
        {"data.think", !job.data.keepThink, "use keep"},
        {"parallel.strategy", job.parallel.strategy != wire::Strategy::None, "use none"},
        {"parallel.offload", job.parallel.offload != wire::Offload::None, "use none"},
        {"parallel.nodes", job.parallel.nodes != 1, "use 1"},
        {"parallel.gpus_per_node", job.parallel.gpusPerNode != 1, "use 1"},
        {"checkpoint.upload", !job.checkpoint.upload.empty(), "leave it out and copy the run folder"},
        {"hardware.device", job.hardware.device == wire::DeviceChoice::Cuda, "use cpu or auto"},
    };
    for (const Limit &limit : limits)
        if (limit.exceeded)
            return Error{ErrorCode::JobUnsupported,
                         std::string(limit.key) +
                             " has a value that this version of the trainer does not "
                             "support; " +
                             limit.instead};
    const char *world = std::getenv("WORLD_SIZE");
    if (world && std::string_view(world) != "1")
        return Error{ErrorCode::JobUnsupported,
                     std::string("WORLD_SIZE is ") + world +
                         ", and this version of the trainer runs on one rank; unset it"};
    return {};
}

bool states(const JobSpec &job, std::string_view key)
{
    return std::ranges::find(job.statedKeys, key) != job.statedKeys.end();
}

/// A stated job key as a change of the folder's configuration.
struct Override
{
    const char *key;
    std::function<void(hf::LoraConfig &)> apply;
};

std::vector<Override> overrides(const wire::MethodSpec &method)
{
    return {
        {"method.rank", [&](hf::LoraConfig &c) { c.rank = method.rank; }},
        {"method.alpha", [&](hf::LoraConfig &c) { c.alpha = method.alpha; }},
        {"method.targets",
         [&](hf::LoraConfig &c) {
             c.targets = method.targets;
             c.targetPattern = method.targets.empty() ? method.targetPattern : "";
         }},
        {"method.rslora", [&](hf::LoraConfig &c) { c.rslora = method.rslora; }},
        {"method.rank_pattern",
         [&](hf::LoraConfig &c) {
             c.rankPattern.assign(method.rankPattern.begin(), method.rankPattern.end());
         }},
        {"method.alpha_pattern",
         [&](hf::LoraConfig &c) {
             c.alphaPattern.assign(method.alphaPattern.begin(), method.alphaPattern.end());
         }},
    };
}

hf::LoraConfig loraOf(const JobSpec &job)
{
    hf::LoraConfig config;
    for (const Override &entry : overrides(job.method))
        entry.apply(config);
    config.dropout = job.method.dropout;
    config.baseModel = job.model.path.string();
    return config;
}

bool sameTargets(const hf::LoraTargets &a, const hf::LoraTargets &b)
{
    return std::ranges::equal(a.modules, b.modules, [](const hf::LoraTarget &x, const hf::LoraTarget &y) {
        return x.module == y.module && x.rank == y.rank && x.alpha == y.alpha && x.scale == y.scale;
    });
}

/// The folder decides; what the job states itself must come to the same modules, ranks and scales.
Result<hf::LoraConfig> loraOfFolder(const JobSpec &job)
{
    const std::filesystem::path &folder = job.method.initFrom;
    RENTUNE_TRY(hf::LoraConfig config, hf::readLoraConfig(folder));
    if (config.dora)
        return Error{ErrorCode::JobConflict,
                     "method.type is lora, and the adapter to start from is a DoRA adapter", folder.string()};
    if (config.bias != "none" || !config.modulesToSave.empty())
        return Error{
            ErrorCode::JobUnsupported,
            "method.init_from: this version of the trainer cannot go on training an adapter with biases or "
            "modules_to_save; start from one without",
            folder.string()};
    RENTUNE_TRY(const hf::ModelConfig model, hf::readModelConfig(job.model.path));
    RENTUNE_TRY(const hf::LoraTargets decided, hf::resolveLoraTargets(config, model));
    for (const Override &entry : overrides(job.method)) {
        if (!states(job, entry.key))
            continue;
        hf::LoraConfig changed = config;
        entry.apply(changed);
        const Result<hf::LoraTargets> targets = hf::resolveLoraTargets(changed, model);
        if (!targets.ok() || !sameTargets(decided, *targets))
            return Error{ErrorCode::JobConflict,
                         std::string(entry.key) +
                             " contradicts the adapter that method.init_from names; leave it out",
                         folder.string()};
    }
    if (states(job, "method.dropout"))
        config.dropout = job.method.dropout;
    config.baseModel = job.model.path.string();
    return config;
}

} // namespace

Result<TrainConfig> makeTrainConfig(JobSpec job)
{
    RENTUNE_CHECK(checkLimits(job));
    TrainConfig config;
    config.model = job.model.path;
    config.initFrom = job.method.initFrom;
    config.threads = job.training.threads > 0
                         ? job.training.threads
                         : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    if (job.method.type == wire::MethodType::Lora) {
        if (config.initFrom.empty()) {
            config.lora = loraOf(job);
        } else {
            RENTUNE_TRY(config.lora, loraOfFolder(job));
        }
    }
    config.job = std::move(job);
    return config;
}

} // namespace rentune::trainer
