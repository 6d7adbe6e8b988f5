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

/// Parses a job file (YAML or JSON). Relative paths become absolute against `file`'s folder.
/// `sets` are "a.b=value" overrides, applied last, relative paths in them against the working folder.
/// Refused, with file and line: unknown keys (with a did-you-mean), duplicate keys, wrong types, tags,
/// aliases that expand past a limit. The key decides the type: text stays text ("no", "1.10"), a number may
/// have every YAML 1.1/1.2 spelling ("1e-4", "1.e-3", ".5e-4") and be quoted, true and false may be quoted. A
/// key without a value counts as absent. An absent name is the file's name.
Result<JobSpec> parseJob(std::string_view text, const std::filesystem::path &file,
                         const std::vector<std::string> &sets = {});

/// readFile (≤ 4 MiB) + parseJob.
Result<JobSpec> readJob(const std::filesystem::path &file, const std::vector<std::string> &sets = {});

/// What training needs beyond a plan: data.train. Errors: job.missing_key.
Result<void> checkTrainable(const JobSpec &job, const std::string &file);

/// Whether the job file itself set the dotted key.
bool states(const JobSpec &job, std::string_view key);

/// Adds every key whose value is not its default to `statedKeys`: for jobs built in code instead of read from
/// a file.
void stateChangedKeys(JobSpec &job);

/// The job as a YAML job file with every stated key (and no other), absolute paths; parseJob gives it back
/// equal.
std::string writeJob(const JobSpec &job);

/// JSON Schema (2020-12) of a job file, made from the same key table as the parser.
Json jobSchema();

} // namespace rentune::wire
