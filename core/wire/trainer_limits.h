// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/wire/job_spec.h"

#include <string>
#include <vector>

namespace rentune::wire {

/// A key of a job whose value this version's trainer does not run.
struct TrainerLimit
{
    std::string key;     ///< "training.optimizer"
    std::string instead; ///< what to do about it: "use adamw"
};

/// All that this version's trainer would have to ignore in a job: the trainer refuses such a job, the planner
/// says so beside its plan. Empty for a job that runs.
std::vector<TrainerLimit> trainerLimits(const JobSpec &job);

} // namespace rentune::wire
