// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/local/home.h"
#include "core/base/result.h"
#include "core/wire/job_spec.h"

#include <string>

namespace rentune::app::demo {

/// What the pictures of `--capture` show: invented runs and jobs, the same at every call.

wire::JobSpec fittingJob();
wire::JobSpec oversizedJob();

/// Folders of a finished and a failed run under `home`. Errors: disk.*.
Result<void> writeRuns(const Home &home);

/// Id of the failed one.
std::string brokenRun();

} // namespace rentune::app::demo
