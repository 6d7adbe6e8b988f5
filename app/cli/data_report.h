// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/data/dataset.h"

#include <filesystem>
#include <optional>

namespace rentune::app {

/// What would be trained of a data file. With a model's folder lengths are counted and a row is rendered.
struct DataReport
{
    Json values; ///< {kind, kinds, encoding, delimiter, rows, usable, mapping, lengths, samples, render}
    std::vector<data::Problem> problems;
};

/// `row` counts usable rows from 0; it is rendered if `model` is given. Errors: those of Dataset::open,
/// Tokenizer and ChatTemplate, usage.arguments for a row that the file does not have.
Result<DataReport> reportData(const std::filesystem::path &file, const std::filesystem::path &model,
                              std::optional<int64_t> row);

} // namespace rentune::app
