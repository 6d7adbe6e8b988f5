// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/wire/job_spec.h"
#include "core/wire/yaml_tree.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace rentune::wire {

/// Where a value stands: what its errors name and its relative paths start from.
struct Place
{
    std::string file;
    std::filesystem::path folder;
};

/// One key of the job file. Parser, did-you-mean, schema and writer are all driven by the table of these.
struct JobKey
{
    std::string path; ///< "training.learning_rate"
    std::string note; ///< what a reader of the schema can't guess: unit, meaning of 0
    Json schema;      ///< JSON Schema of the value
    std::function<Result<void>(JobSpec &, const YamlNode &, const Place &)> read;
    std::function<Json(const JobSpec &)> value;
};

/// In the order in which a job file is written; keys of one section stand together.
const std::vector<JobKey> &jobKeys();

/// nullptr if there is no such key.
const JobKey *findJobKey(const std::string &path);

/// Whether `path` ("method.freeze") is a mapping that holds keys.
bool isJobSection(const std::string &path);

} // namespace rentune::wire
