// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/setup.h"
#include "core/plan/planner.h"

namespace rentune::plan {

/// The formulas' inputs for a job. Micro batches are taken at their longest, so that the peak is one that
/// happens. Errors: adapter.config (LoRA targets that hit nothing).
Result<memory::Setup> setupOf(const wire::JobSpec &job, const PlanFacts &facts);

} // namespace rentune::plan
