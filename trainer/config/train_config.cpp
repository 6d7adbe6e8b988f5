// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/config/train_config.h"

#include "core/hf/model_config.h"
#include "core/wire/trainer_limits.h"

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

Result<void> checkLimits(const JobSpec &job)
{
    if (const auto limits = wire::trainerLimits(job); !limits.empty())
        return Error{ErrorCode::JobUnsupported,
                     limits.front().key + " has a value that this version of the trainer does not support; " +
                         limits.front().instead};
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
