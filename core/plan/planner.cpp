// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/planner.h"

#include "core/cost/cost.h"
#include "core/memory/activations.h"
#include "core/memory/estimate.h"
#include "core/memory/states.h"
#include "core/plan/checks.h"
#include "core/plan/job_setup.h"
#include "core/throughput/step_time.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace rentune::plan {
namespace {

using memory::Setup;

/// Bytes a second that reach the disk with fsync: one NVMe drive of a GPU node, a desktop's.
constexpr double nodeDiskRate = 1e9;
constexpr double desktopDiskRate = 0.3e9;
/// Shortest save: files, folders and manifest are synced one after the other.
constexpr Seconds leastPause = 0.2;
/// Machine, container, weights and first step until a run earns again after an interruption.
constexpr Seconds restart = 300;
/// Resident bytes of one trainer process before any tensor, with and without CUDA linked.
constexpr Bytes processBytes = 131 * MiB;
constexpr Bytes cudaProcessBytes = 480 * MiB;

void fillMemory(Plan &plan, const Setup &setup, const memory::Estimate &estimate, const wire::JobSpec &job,
                const PlanFacts &facts)
{
    plan.perGpuBytes = estimate.bytes;
    plan.capacityBytes = setup.capacity;
    plan.phase = memory::phaseName(estimate.peakPhase);
    plan.pOutOfMemory = estimate.pOutOfMemory;
    plan.terms = estimate.terms;
    const Bytes tokenBytes =
        static_cast<Bytes>(8 * facts.lengths.meanTokens * static_cast<double>(facts.lengths.rows));
    const Bytes onHost = memory::offloadedBytes(setup) +
                         (setup.cuda ? cudaProcessBytes : processBytes + estimate.bytes.expected);
    plan.hostBytes = job.parallel.gpusPerNode * (onHost + tokenBytes);
    const Bytes model = setup.shape.parameters * 2;
    const Bytes result = setup.peft() ? memory::adapterBytes(setup) : setup.storedBytes() * setup.trainedBase;
    plan.diskBytes = model + (job.checkpoint.keep + 1) * memory::checkpointBytes(setup) + result;
}

/// Time is spent on micro batches of usual length, not on the longest.
Setup usualSetup(const Setup &longest, const wire::JobSpec &job, const PlanFacts &facts)
{
    Setup usual = longest;
    if (!job.data.packing && facts.lengths.meanTokens > 0)
        usual.tokens = std::max<int64_t>(1, std::llround(facts.lengths.paddedTokens(longest.sequences)));
    return usual;
}

int64_t stepsOf(const wire::JobSpec &job, const PlanFacts &facts, int64_t globalBatch)
{
    if (job.training.maxSteps > 0)
        return job.training.maxSteps;
    double rows = static_cast<double>(facts.lengths.rows);
    if (job.data.packing && facts.lengths.meanTokens > 0)
        rows = std::ceil(rows * facts.lengths.meanTokens / static_cast<double>(job.data.maxLength));
    const double perEpoch = std::ceil(rows / static_cast<double>(std::max<int64_t>(1, globalBatch)));
    return static_cast<int64_t>(std::ceil(perEpoch * job.training.epochs));
}

/// How far a planned time is off in 8 of 10 runs: the fit's 90 % error on GPUs, a measured or a guessed rate
/// here.
double timeSpread(const PlanFacts &facts)
{
    if (facts.gpu)
        return 0.2;
    return facts.measuredFlops ? 0.15 : 0.5;
}

void fillTime(Plan &plan, const Setup &longest, const wire::JobSpec &job, const PlanFacts &facts)
{
    const Setup usual = usualSetup(longest, job, facts);
    if (facts.gpu) {
        const auto time = throughput::stepTime(usual, *facts.gpu, job.parallel.gpusPerNode);
        plan.stepSeconds = time ? time->total() : 0;
    } else {
        plan.stepSeconds = throughput::stepTime(usual, facts.host, facts.measuredFlops).total();
    }
    plan.totalSteps = stepsOf(job, facts, plan.globalBatch);
    if (!plan.timeKnown())
        return;
    const double mean = job.data.packing || facts.lengths.meanTokens <= 0
                            ? static_cast<double>(job.data.maxLength)
                            : facts.lengths.meanTokens;
    plan.tokensPerSecond = mean * static_cast<double>(plan.globalBatch) / plan.stepSeconds;
}

bool isSpot(const wire::JobSpec &job)
{
    return job.hardware.price.priceClass == "spot";
}

/// The interval the job states, else Young and Daly's for `between`.
cost::CheckpointPlan checkpointPlan(const Plan &plan, const wire::CheckpointSpec &checkpoint, Seconds between)
{
    cost::CheckpointPlan result;
    result.pause = plan.checkpointPause;
    if (checkpoint.everySteps > 0)
        result.interval = static_cast<double>(checkpoint.everySteps) * plan.stepSeconds;
    else if (checkpoint.everyMinutes > 0)
        result.interval = checkpoint.everyMinutes * 60;
    else
        result.interval = cost::bestInterval(between, result.pause);
    return result;
}

/// Wall time of the run on machines of one class.
Range<Seconds> runSeconds(const Plan &plan, const wire::JobSpec &job, const PlanFacts &facts, bool spot)
{
    const Range<Seconds> node = cost::timeBetweenInterruptions(spot);
    const double nodes = job.parallel.nodes;
    const cost::CheckpointPlan saves = checkpointPlan(plan, job.checkpoint, node.expected / nodes);
    const double work = static_cast<double>(plan.totalSteps) * plan.stepSeconds;
    const double spread = timeSpread(facts);
    const auto total = [&](double factor, Seconds between) {
        return cost::withInterruptions(work * factor, saves, between / nodes, restart);
    };
    return {total(1 - spread, node.high), total(1, node.expected), total(1 + spread, node.low)};
}

void fillCheckpoint(Plan &plan, const Setup &setup, const wire::JobSpec &job)
{
    const double rate = setup.cuda ? nodeDiskRate : desktopDiskRate;
    plan.checkpointPause = leastPause + static_cast<double>(memory::checkpointBytes(setup)) / rate;
    const Seconds node = cost::timeBetweenInterruptions(isSpot(job)).expected;
    plan.checkpointInterval = checkpointPlan(plan, job.checkpoint, node / job.parallel.nodes).interval;
}

Range<double> priced(const Range<Seconds> &seconds, double perHour)
{
    const double perSecond = perHour / 3600;
    return {seconds.low * perSecond, seconds.expected * perSecond, seconds.high * perSecond};
}

void fillCost(Plan &plan, const wire::JobSpec &job, const PlanFacts &facts)
{
    const wire::PriceSpec &own = job.hardware.price;
    if (!own.currency.empty()) {
        CostLine line;
        line.priceClass = own.priceClass;
        line.currency = own.currency;
        line.perHour = own.perHour * job.parallel.nodes;
        line.total = priced(runSeconds(plan, job, facts, isSpot(job)), line.perHour);
        plan.cost.push_back(std::move(line));
    }
    for (const cost::Offer &offer :
         cost::offersFor(facts.prices, job.parallel.nodes, job.parallel.gpusPerNode, facts.today)) {
        const bool spot = offer.price.priceClass == catalog::PriceClass::Spot;
        const std::string cls(catalog::priceClassName(offer.price.priceClass));
        if (cls == own.priceClass && offer.price.currency == own.currency)
            continue;
        plan.cost.push_back({cls, offer.price.currency, offer.perHour,
                             priced(runSeconds(plan, job, facts, spot), offer.perHour), offer.price.asOf,
                             offer.price.provider, offer.price.region, offer.stale});
    }
}

/// The owned class, and when buying would have paid against the cheapest rent in its currency.
void fillOwned(Plan &plan, const wire::JobSpec &job, const PlanFacts &facts)
{
    if (!facts.owned)
        return;
    CostLine line;
    line.priceClass = "owned";
    line.currency = facts.owned->purchase.currency;
    line.perHour = cost::ownedPerHour(*facts.owned);
    line.total = priced(runSeconds(plan, job, facts, false), line.perHour);
    for (const CostLine &rent : plan.cost) {
        if (rent.priceClass != "on_demand" || rent.currency != line.currency)
            continue;
        plan.breakEvenHours = cost::breakEvenHours(*facts.owned, rent.perHour);
        break;
    }
    plan.cost.push_back(std::move(line));
}

/// Whether a save fits between notice and end, at the first spot offer whose provider promises a notice.
void fillNotice(Plan &plan)
{
    for (const CostLine &line : plan.cost) {
        if (line.priceClass != "spot")
            continue;
        if (const auto notice = cost::spotNotice(line.provider)) {
            plan.fitsNotice = plan.checkpointPause <= *notice;
            return;
        }
    }
}

void checkBudget(Plan &plan, const wire::JobSpec &job)
{
    const double hours = plan.totalSeconds.expected / 3600;
    if (job.budget.maxHours > 0 && hours > job.budget.maxHours)
        plan.reasons.push_back(
            {"budget.hours",
             fmt::format("{:.1f} hours are planned, the cap is {:g}", hours, job.budget.maxHours),
             {{"budget.max_hours", "budget.max_hours", fmt::format("{:.1f}", plan.totalSeconds.high / 3600),
               0}}});
    if (job.budget.maxCost <= 0 || plan.cost.empty() || job.hardware.price.currency.empty())
        return;
    const CostLine &line = plan.cost.front();
    if (line.total.expected > job.budget.maxCost)
        plan.reasons.push_back(
            {"budget.cost",
             fmt::format("{:.2f} {} are planned, the cap is {:g}", line.total.expected, line.currency,
                         job.budget.maxCost),
             {{"budget.max_cost", "budget.max_cost", fmt::format("{:.2f}", line.total.high), 0}}});
}

} // namespace

double LengthFacts::paddedTokens(int64_t rowsDrawn) const
{
    if (sample.empty())
        return meanTokens;
    const double n = static_cast<double>(sample.size());
    double below = 0;
    double mean = 0;
    for (size_t i = 0; i < sample.size(); ++i) {
        const double upTo = std::pow(static_cast<double>(i + 1) / n, static_cast<double>(rowsDrawn));
        mean += (upTo - below) * static_cast<double>(sample[i]);
        below = upTo;
    }
    return mean;
}

Result<double> usefulFlops(const wire::JobSpec &job, const PlanFacts &facts, Seconds stepSeconds)
{
    RENTUNE_TRY(const Setup longest, setupOf(job, facts));
    const throughput::Work work = throughput::workOf(usualSetup(longest, job, facts));
    return work.useful() * static_cast<double>(longest.accumulation) / stepSeconds;
}

Result<Plan> makePlan(const wire::JobSpec &job, const PlanFacts &facts)
{
    RENTUNE_TRY(const Setup setup, setupOf(job, facts));
    const memory::Estimate estimate = memory::estimate(setup);
    Plan plan;
    plan.layout = job.parallel;
    plan.layout.strategy = setup.strategy;
    plan.microBatch = job.training.microBatch;
    plan.gradAccumulation = job.training.gradAccumulation;
    plan.globalBatch = plan.microBatch * plan.gradAccumulation * setup.ranks;
    plan.parameters = setup.shape.parameters;
    plan.trainableParameters = setup.trained();
    plan.reasons = conflicts(job, facts);
    plan.notes = remarks(job, facts);
    fillMemory(plan, setup, estimate, job, facts);
    if (setup.capacity > 0 && estimate.bytes.expected > setup.capacity)
        plan.reasons.push_back(doesNotFit(setup, estimate, facts));
    fillTime(plan, setup, job, facts);
    fillCheckpoint(plan, setup, job);
    if (plan.timeKnown()) {
        plan.totalSeconds = runSeconds(plan, job, facts, isSpot(job));
        fillCost(plan, job, facts);
        fillOwned(plan, job, facts);
        fillNotice(plan);
        checkBudget(plan, job);
    } else {
        plan.notes.push_back(
            {"hardware.speed_unknown",
             fmt::format("the catalogue states no speed of {}: time and cost stay open", facts.gpu->name),
             {}});
    }
    plan.feasible = plan.reasons.empty();
    return plan;
}

} // namespace rentune::plan
