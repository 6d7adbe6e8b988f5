// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/wire/job_spec.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rentune::wire {

/// Parses a job file (YAML 1.2 core schema or JSON). Relative paths become absolute against `file`'s folder.
/// `sets` are "a.b=value" overrides, applied last, relative paths in them against the working folder.
/// Refused, with file and line: unknown keys (with a did-you-mean), duplicate keys, wrong types, tags, aliases that
/// expand past a limit. Numbers: every YAML 1.1/1.2 spelling ("1e-4", "1.e-3", ".5e-4", quoted numbers too).
Result<JobSpec> parseJob(std::string_view text, const std::filesystem::path &file,
                         const std::vector<std::string> &sets = {});

/// readFile (≤ 4 MiB) + parseJob.
Result<JobSpec> readJob(const std::filesystem::path &file, const std::vector<std::string> &sets = {});

/// The job as a YAML job file with every stated key (and no other), absolute paths; parseJob gives it back equal.
std::string writeJob(const JobSpec &job);

/// JSON Schema (2020-12) of a job file, made from the same key table as the parser.
Json jobSchema();

} // namespace rentune::wire
