// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/estimate.h"
#include "core/memory/setup.h"
#include "core/plan/planner.h"

#include <vector>

namespace rentune::plan {

/// Settings that can't work together or on this hardware, each with what to change. Codes:
/// precision.unsupported, hardware.vendor, hardware.gpu_missing, quantization.trained_weights,
/// quantization.zero3, method.checkpointing, data.empty.
std::vector<Reason> conflicts(const wire::JobSpec &job, const PlanFacts &facts);

/// Worth knowing though the plan works. Codes: parallel.no_saving, parallel.assumed_ddp,
/// precision.fp16_range, data.none, data.characters, data.unreadable, model.max_positions, engine.not_yet.
std::vector<Reason> remarks(const wire::JobSpec &job, const PlanFacts &facts);

/// memory.capacity with the changes that make the job fit, least intrusive first, each with its peak; if no
/// single one is enough, those that save most. Precondition: `peak` is above the capacity.
Reason doesNotFit(const memory::Setup &setup, const memory::Estimate &peak, const PlanFacts &facts);

} // namespace rentune::plan
