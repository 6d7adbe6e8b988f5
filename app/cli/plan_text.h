// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/plan/plan.h"
#include "core/wire/job_spec.h"

#include <QString>

namespace rentune::app {

/// Reads the catalogue and the job's facts and plans it.
Result<plan::Plan> planOf(const wire::JobSpec &job);

/// The plan in one line: memory of the card, time, speed, cost.
QString planLine(const plan::Plan &plan);

/// The plan for a terminal: planLine, memory by term, cost by price class, what is in the way and what helps.
QString planText(const plan::Plan &plan);

} // namespace rentune::app
