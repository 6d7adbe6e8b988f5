// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rentune::app {

enum class Severity
{
    Error,
    Warning,
    Note
};

struct Finding
{
    Severity severity = Severity::Error;
    int64_t line = 0;
    std::string code;
    std::string text;
};

/// What the product reads in a file: its values, and what is wrong with it. A file without an error finding
/// is fine.
struct Inspection
{
    Json values = Json::object();
    std::vector<Finding> findings;

    void add(const Error &error);
    void warn(std::string code, std::string text);
    void remark(std::string code, std::string text);

    bool ok() const;
    Json json() const; ///< {ok, values, problems}
};

struct InspectOptions
{
    std::filesystem::path file;
    std::filesystem::path model; ///< "" if none is given
};

Inspection inspectData(const InspectOptions &options);
Inspection inspectJob(const InspectOptions &options);
Inspection inspectSafetensors(const InspectOptions &options);
Inspection inspectModel(const InspectOptions &options);
Inspection inspectAdapter(const InspectOptions &options);
Inspection inspectTokenizer(const InspectOptions &options);
Inspection inspectTemplate(const InspectOptions &options);

} // namespace rentune::app
