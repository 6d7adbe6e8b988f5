// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/config/train_config.h"

#include "core/hf/model_config.h"
#include "core/wire/job_adapter.h"
#include "core/wire/job_file.h"
#include "core/wire/trainer_limits.h"

#include <algorithm>
#include <cstdlib>
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

/// A job key and the part of an adapter that it decides.
template <typename Config>
struct Part
{
    const char *key;
    void (*copy)(Config &to, const Config &from);
};

void copyTargets(hf::TargetSelection &to, const hf::TargetSelection &from)
{
    to.targets = from.targets;
    to.targetPattern = from.targetPattern;
}

constexpr Part<hf::LoraConfig> loraParts[] = {
    {"method.rank", [](auto &to, const auto &from) { to.rank = from.rank; }},
    {"method.alpha", [](auto &to, const auto &from) { to.alpha = from.alpha; }},
    {"method.targets", [](auto &to, const auto &from) { copyTargets(to, from); }},
    {"method.rslora", [](auto &to, const auto &from) { to.rslora = from.rslora; }},
    {"method.rank_pattern", [](auto &to, const auto &from) { to.rankPattern = from.rankPattern; }},
    {"method.alpha_pattern", [](auto &to, const auto &from) { to.alphaPattern = from.alphaPattern; }},
};

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
Result<void> checkStated(const hf::LoraConfig &folder, const hf::LoraConfig &described, const JobSpec &job,
                         const hf::ModelConfig &model)
{
    if (folder.bias != "none" || !folder.modulesToSave.empty())
        return Error{
            ErrorCode::JobUnsupported,
            "method.init_from: this version of the trainer cannot go on training an adapter with biases or "
            "modules_to_save; start from one without",
            job.method.initFrom.string()};
    RENTUNE_TRY(const hf::LoraTargets decided, hf::resolveLoraTargets(folder, model));
    for (const auto &part : loraParts) {
        if (!wire::states(job, part.key))
            continue;
        hf::LoraConfig changed = folder;
        part.copy(changed, described);
        const Result<hf::LoraTargets> targets = hf::resolveLoraTargets(changed, model);
        if (!targets.ok() || !sameTargets(decided, *targets))
            return contradiction(part.key, job);
    }
    return {};
}

Result<void> checkStated(const hf::Ia3Config &folder, const hf::Ia3Config &described, const JobSpec &job,
                         const hf::ModelConfig &model)
{
    if (!wire::states(job, "method.targets"))
        return {};
    hf::Ia3Config changed = folder;
    copyTargets(changed, described);
    RENTUNE_TRY(const hf::Ia3Targets decided, hf::resolveIa3Targets(folder, model));
    const Result<hf::Ia3Targets> targets = hf::resolveIa3Targets(changed, model);
    if (!targets.ok() || !std::ranges::equal(decided.modules, targets->modules, {}, &hf::Ia3Target::module,
                                             &hf::Ia3Target::module))
        return contradiction("method.targets", job);
    return {};
}

Result<void> checkStated(const hf::VirtualTokenConfig &folder, const hf::VirtualTokenConfig &described,
                         const JobSpec &job, const hf::ModelConfig &)
{
    if (wire::states(job, "method.virtual_tokens") && described.count != folder.count)
        return contradiction("method.virtual_tokens", job);
    if (wire::states(job, "method.ptuning.hidden") && folder.kind == hf::VirtualTokenKind::Ptuning &&
        described.encoderHidden != folder.encoderHidden)
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
    RENTUNE_CHECK(std::visit(
        [&]<typename Config>(const Config &held) {
            return checkStated(held, std::get<Config>(described), job, model);
        },
        config));
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
