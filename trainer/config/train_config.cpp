// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/config/train_config.h"

#include "core/hf/model_config.h"
#include "core/wire/job_adapter.h"
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

bool sameTargets(const hf::LoraTargets &a, const hf::LoraTargets &b)
{
    return std::ranges::equal(a.modules, b.modules, [](const hf::LoraTarget &x, const hf::LoraTarget &y) {
        return x.module == y.module && x.rank == y.rank && x.alpha == y.alpha && x.scale == y.scale;
    });
}

Error contradiction(const char *key, const JobSpec &job)
{
    return {ErrorCode::JobConflict,
            std::string(key) + " contradicts the adapter that method.init_from names; leave it out",
            job.method.initFrom.string()};
}

/// What the job states itself must come to the same modules, ranks and scales.
Result<void> checkStated(const hf::LoraConfig &config, const JobSpec &job, const hf::ModelConfig &model)
{
    if (config.bias != "none" || !config.modulesToSave.empty())
        return Error{
            ErrorCode::JobUnsupported,
            "method.init_from: this version of the trainer cannot go on training an adapter with biases or "
            "modules_to_save; start from one without",
            job.method.initFrom.string()};
    RENTUNE_TRY(const hf::LoraTargets decided, hf::resolveLoraTargets(config, model));
    for (const Override &entry : overrides(job.method)) {
        if (!wire::states(job, entry.key))
            continue;
        hf::LoraConfig changed = config;
        entry.apply(changed);
        const Result<hf::LoraTargets> targets = hf::resolveLoraTargets(changed, model);
        if (!targets.ok() || !sameTargets(decided, *targets))
            return contradiction(entry.key, job);
    }
    return {};
}

Result<void> checkStated(const hf::Ia3Config &config, const JobSpec &job, const hf::ModelConfig &model)
{
    if (!wire::states(job, "method.targets"))
        return {};
    hf::Ia3Config changed = config;
    changed.targets = job.method.targets;
    changed.targetPattern = job.method.targets.empty() ? job.method.targetPattern : "";
    RENTUNE_TRY(const hf::Ia3Targets decided, hf::resolveIa3Targets(config, model));
    const Result<hf::Ia3Targets> targets = hf::resolveIa3Targets(changed, model);
    if (!targets.ok() || !std::ranges::equal(decided.modules, targets->modules, {}, &hf::Ia3Target::module,
                                             &hf::Ia3Target::module))
        return contradiction("method.targets", job);
    return {};
}

Result<void> checkStated(const hf::VirtualTokenConfig &config, const JobSpec &job, const hf::ModelConfig &)
{
    if (wire::states(job, "method.virtual_tokens") && job.method.virtualTokens != config.count)
        return contradiction("method.virtual_tokens", job);
    if (wire::states(job, "method.ptuning.hidden") && config.kind == hf::VirtualTokenKind::Ptuning &&
        job.method.ptuningHidden != config.encoderHidden)
        return contradiction("method.ptuning.hidden", job);
    return {};
}

/// Whether the folder's adapter is of the job's method.
bool sameMethod(const hf::AdapterConfig &job, const hf::AdapterConfig &folder)
{
    if (job.index() != folder.index())
        return false;
    if (const auto *lora = std::get_if<hf::LoraConfig>(&job))
        return lora->dora == std::get<hf::LoraConfig>(folder).dora;
    if (const auto *tokens = std::get_if<hf::VirtualTokenConfig>(&job))
        return tokens->kind == std::get<hf::VirtualTokenConfig>(folder).kind;
    return true;
}

/// The folder decides; a stated key must not contradict it.
Result<hf::AdapterConfig> adapterOfFolder(const JobSpec &job, const hf::AdapterConfig &described,
                                          const hf::ModelConfig &model)
{
    RENTUNE_TRY(hf::AdapterConfig config, hf::readAdapterConfig(job.method.initFrom));
    if (!sameMethod(described, config))
        return Error{ErrorCode::JobConflict,
                     "method.type is not the method of the adapter that method.init_from names",
                     job.method.initFrom.string()};
    RENTUNE_CHECK(std::visit([&](const auto &held) { return checkStated(held, job, model); }, config));
    if (auto *lora = std::get_if<hf::LoraConfig>(&config); lora && wire::states(job, "method.dropout"))
        lora->dropout = job.method.dropout;
    hf::originOf(config).baseModel = job.model.path.string();
    return config;
}

/// config.json matters only to IA³ and to an adapter that is gone on with.
bool needsModel(const JobSpec &job)
{
    return !job.method.initFrom.empty() || job.method.type == wire::MethodType::Ia3;
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
    hf::ModelConfig model;
    if (needsModel(job)) {
        RENTUNE_TRY(model, hf::readModelConfig(job.model.path));
    }
    config.adapter = wire::jobAdapter(job, model);
    if (config.adapter && !config.initFrom.empty()) {
        RENTUNE_TRY(config.adapter, adapterOfFolder(job, *config.adapter, model));
    }
    config.job = std::move(job);
    return config;
}

} // namespace rentune::trainer
