// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "core/catalog/catalog.h"
#include "core/cost/cost.h"
#include "core/hf/adapter_config.h"
#include "core/plan/plan.h"
#include "core/throughput/host.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rentune::plan {

/// What the planner knows of the training data.
struct LengthFacts
{
    int64_t rows = 0;            ///< usable rows; 0 if no data is given
    double meanTokens = 0;       ///< after cutting to max_length
    int64_t maxTokens = 0;       ///< longest row after cutting: what a micro batch can be padded to
    std::vector<int64_t> sample; ///< lengths of a sample of rows, sorted
    bool measured = false;       ///< tokenized with the model's tokenizer; else see `assumption`
    std::string assumption;      ///< "" or a code: data.none, data.characters, data.unreadable

    /// Mean of the longest of `rows` rows drawn at random: what a padded micro batch holds a row.
    double paddedTokens(int64_t rowsDrawn) const;
};

/// Everything makePlan needs beyond the job: facts of the world, read once and kept while the hand moves.
struct PlanFacts
{
    hf::ModelConfig model;
    LengthFacts lengths;
    std::optional<catalog::Gpu> gpu; ///< absent: the CPU of this computer
    throughput::Host host;
    std::vector<catalog::Price> prices;  ///< offers of `gpu`
    std::vector<catalog::Gpu> otherGpus; ///< to suggest a larger card from
    std::chrono::sys_days today{};
    /// Useful FLOP/s (recomputation not counted) that this computer reached in an earlier run; replaces the
    /// guess.
    std::optional<double> measuredFlops;
    std::optional<hf::AdapterConfig>
        initFrom; ///< of the folder `method.init_from`, which decides the adapter
    /// A machine of this kind that the user owns or would buy: adds the price class "owned".
    std::optional<cost::OwnedMachine> owned;
};

/// Reads what makePlan needs: config.json of the job's model folder or the catalogue's entry of its id, the
/// rows and their lengths, the GPU and its offers. May take seconds (tokenizing a sample of long data);
/// callers keep the result until a file's name or time, `data`, `model` or `hardware.gpu` changes. Data that
/// can't be read is an assumption, not an error. Errors: file.*, model.* for the model, adapter.config for
/// init_from, job.value for an unknown GPU or model id.
Result<PlanFacts> gatherFacts(const wire::JobSpec &job, const catalog::Catalog &catalog, const Clock &clock);

/// The plan of a job. Pure; well under a millisecond. A job that does not fit or can't work is a plan with
/// feasible = false and its reasons; the only errors are facts that contradict themselves (model.config,
/// adapter.config for targets that hit nothing).
Result<Plan> makePlan(const wire::JobSpec &job, const PlanFacts &facts);

/// Useful FLOP/s behind a run of this job whose steps took `stepSeconds`: what PlanFacts::measuredFlops
/// wants.
Result<double> usefulFlops(const wire::JobSpec &job, const PlanFacts &facts, Seconds stepSeconds);

} // namespace rentune::plan
