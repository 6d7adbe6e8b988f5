// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/plan.h"

#include <array>
#include <string_view>

namespace rentune::plan {
namespace {

std::string_view strategyName(wire::Strategy strategy)
{
    constexpr std::array<std::string_view, 6> names = {"none", "ddp", "zero1", "zero2", "zero3", "fsdp"};
    return names[static_cast<size_t>(strategy)];
}

template <typename T>
Json rangeJson(const Range<T> &range)
{
    return {{"low", range.low}, {"expected", range.expected}, {"high", range.high}};
}

Json reasonJson(const Reason &reason)
{
    Json relax = Json::array();
    for (const Relax &change : reason.relax)
        relax.push_back({{"code", change.code},
                         {"key", change.key},
                         {"value", change.value},
                         {"per_gpu_bytes", change.perGpuBytes}});
    return {{"code", reason.code}, {"text", reason.text}, {"relax", std::move(relax)}};
}

Json reasonsJson(const std::vector<Reason> &reasons)
{
    Json list = Json::array();
    for (const Reason &reason : reasons)
        list.push_back(reasonJson(reason));
    return list;
}

Json memoryJson(const Plan &plan)
{
    Json terms = Json::object();
    for (size_t i = 0; i < termCount; ++i)
        terms[std::string(termName(static_cast<Term>(i)))] = plan.terms[i];
    return {{"per_gpu_bytes", rangeJson(plan.perGpuBytes)},
            {"capacity_bytes", plan.capacityBytes},
            {"phase", plan.phase},
            {"p_oom", plan.pOutOfMemory},
            {"terms", std::move(terms)}};
}

Json layoutJson(const Plan &plan)
{
    return {{"strategy", strategyName(plan.layout.strategy)}, {"nodes", plan.layout.nodes},
            {"gpus_per_node", plan.layout.gpusPerNode},       {"micro_batch", plan.microBatch},
            {"grad_accumulation", plan.gradAccumulation},     {"global_batch", plan.globalBatch}};
}

Json costJson(const std::vector<CostLine> &lines)
{
    Json cost = Json::array();
    for (const CostLine &line : lines)
        cost.push_back({{"class", line.priceClass},
                        {"currency", line.currency},
                        {"per_hour", line.perHour},
                        {"total", rangeJson(line.total)},
                        {"as_of", line.asOf.empty() ? Json() : Json(line.asOf)},
                        {"provider", line.provider.empty() ? Json() : Json(line.provider)},
                        {"region", line.region.empty() ? Json() : Json(line.region)},
                        {"stale", line.stale}});
    return cost;
}

} // namespace

Json planJson(const Plan &plan)
{
    const auto known = [&plan](Json value) { return plan.timeKnown() ? std::move(value) : Json(); };
    return {{"feasible", plan.feasible},
            {"reasons", reasonsJson(plan.reasons)},
            {"notes", reasonsJson(plan.notes)},
            {"memory", memoryJson(plan)},
            {"host_bytes", plan.hostBytes},
            {"disk_bytes", plan.diskBytes},
            {"step_seconds", known(plan.stepSeconds)},
            {"tokens_per_second", known(plan.tokensPerSecond)},
            {"total_seconds", known(plan.totalSeconds.expected)},
            {"total_seconds_range", known(rangeJson(plan.totalSeconds))},
            {"total_steps", plan.totalSteps},
            {"layout", layoutJson(plan)},
            {"trainable_parameters", plan.trainableParameters},
            {"parameters", plan.parameters},
            {"cost", costJson(plan.cost)},
            {"break_even_hours", plan.breakEvenHours ? Json(*plan.breakEvenHours) : Json()},
            {"checkpoint",
             {{"interval_seconds", plan.checkpointInterval},
              {"pause_seconds", plan.checkpointPause},
              {"fits_notice", plan.fitsNotice ? Json(*plan.fitsNotice) : Json()}}}};
}

} // namespace rentune::plan
