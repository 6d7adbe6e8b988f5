// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/units.h"
#include "core/memory/terms.h"
#include "core/wire/job_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rentune::plan {

using memory::MemoryTerms; // of the worst rank at the peak phase
using memory::Term;
using memory::termCount;
using memory::termName;

struct Relax
{
    std::string code;      ///< "quantization.nf4", "micro_batch", "gpu" …
    std::string key;       ///< job key it changes
    std::string value;     ///< its new value
    Bytes perGpuBytes = 0; ///< expected peak with it
};

struct Reason
{
    std::string code;         ///< "memory.capacity", "precision.unsupported" …
    std::string text;         ///< English; the app translates by code
    std::vector<Relax> relax; ///< nearest first
};

struct CostLine
{
    std::string priceClass; ///< on_demand, spot, reserved, owned
    std::string currency;
    double perHour = 0;   ///< all nodes of the plan; a job's own price is that of one node
    Range<double> total;  ///< spot: with work lost to interruptions
    std::string asOf;     ///< date of the price, "" for the job's own
    std::string provider; ///< "" for the job's own price
    std::string region;
    bool stale = false; ///< older than prices of its kind stay true (catalog::isStale)
};

/// The answer to "what will this fine-tune need, cost and when is it done". Bytes are per GPU of the worst
/// rank.
struct Plan
{
    bool feasible = true;
    std::vector<Reason> reasons; ///< why not; empty if feasible
    std::vector<Reason> notes;   ///< worth knowing though it fits: "parallel.no_saving", "data.none" …
    Range<Bytes> perGpuBytes;
    Bytes capacityBytes = 0;
    std::string phase; ///< where the peak is: load, forward, backward, optimizer, save
    double pOutOfMemory = 0;
    MemoryTerms terms;
    Bytes hostBytes = 0;
    Bytes diskBytes = 0;
    Seconds stepSeconds = 0; ///< 0 where the catalogue states no speed of the card; then no time or cost is known
    double tokensPerSecond = 0;
    Range<Seconds> totalSeconds;
    int64_t totalSteps = 0;
    int64_t trainableParameters = 0;
    int64_t parameters = 0;
    std::optional<double> breakEvenHours; ///< hours of rent that pay for an owned machine; absent without one
    std::vector<CostLine> cost;           ///< classes without a price are absent, never 0
    Seconds checkpointInterval = 0;
    Seconds checkpointPause = 0;
    std::optional<bool> fitsNotice; ///< absent where the provider's notice is unknown
    wire::ParallelSpec layout;
    int64_t microBatch = 0;
    int64_t gradAccumulation = 0;
    int64_t globalBatch = 0;

    bool timeKnown() const { return stepSeconds > 0; }
};

/// `plan --json` (interface contract).
Json planJson(const Plan &plan);

} // namespace rentune::plan
