// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/planner.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/plan/lengths.h"
#include "core/wire/job_adapter.h"

namespace rentune::plan {
namespace {

/// The nearest id to a mistyped one, as " , did you mean …".
template <typename Entry>
std::string suggestion(const std::string &id, const std::vector<Entry> &entries)
{
    std::vector<std::string> ids;
    for (const Entry &entry : entries)
        ids.push_back(entry.id);
    const auto meant = nearest(id, ids);
    return meant ? fmt::format(", did you mean \"{}\"?", *meant) : std::string();
}

Result<hf::ModelConfig> readModel(const wire::ModelSpec &model, const catalog::Catalog &catalog)
{
    if (!model.path.empty())
        return hf::readModelConfig(model.path);
    if (const catalog::Model *entry = catalog.findModel(model.id))
        return catalog::modelConfig(*entry);
    return Error{ErrorCode::JobValue,
                 fmt::format("model.id \"{}\" is not in the catalogue{}; name a folder with model.path",
                             model.id, suggestion(model.id, catalog.models))};
}

Result<void> readHardware(PlanFacts &facts, const wire::HardwareSpec &hardware,
                          const catalog::Catalog &catalog)
{
    if (hardware.gpu.empty() || hardware.device == wire::DeviceChoice::Cpu) {
        facts.host = throughput::thisComputer();
        return {};
    }
    const catalog::Gpu *gpu = catalog.findGpu(hardware.gpu);
    if (!gpu)
        return Error{ErrorCode::JobValue, fmt::format("hardware.gpu \"{}\" is not in the catalogue{}",
                                                      hardware.gpu, suggestion(hardware.gpu, catalog.gpus))};
    facts.gpu = *gpu;
    facts.prices = catalog.pricesOf(gpu->id);
    facts.otherGpus = catalog.gpus;
    return {};
}

} // namespace

Result<PlanFacts> gatherFacts(const wire::JobSpec &job, const catalog::Catalog &catalog, const Clock &clock)
{
    PlanFacts facts;
    RENTUNE_TRY(facts.model, readModel(job.model, catalog));
    RENTUNE_CHECK(readHardware(facts, job.hardware, catalog));
    if (!job.method.initFrom.empty() && wire::jobAdapter(job, facts.model)) {
        RENTUNE_TRY(facts.initFrom, hf::readAdapterConfig(job.method.initFrom));
    }
    facts.lengths = readLengths(job, facts.model);
    const std::chrono::sys_time<std::chrono::microseconds> now{std::chrono::microseconds(clock.nowMicros())};
    facts.today = std::chrono::floor<std::chrono::days>(now);
    return facts;
}

} // namespace rentune::plan
