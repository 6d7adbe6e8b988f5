// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rentune::data {

/// One row of a file before its kind is known.
struct RawRow
{
    int64_t line = 0; ///< 1-based, where the row begins
    Json value;
    std::string problemCode; ///< "" if the row could be read
    std::string problemDetail;
};

struct RawFile
{
    std::vector<RawRow> rows;
    std::string encoding;  ///< see DecodedText
    std::string delimiter; ///< of a table, else ""
};

/// Splits a file into rows: one JSON array, JSON lines, a single JSON object, or a table with a header that
/// names fields of a known kind, separated by comma, semicolon, tab or bar, whichever its content is. Blank
/// lines are no rows. A row that cannot be read carries a problem; a broken array fails as a whole, because
/// its rows have no borders that could be trusted. Errors: data.format (no JSON, or not UTF-8 at all),
/// json.syntax, file.*.
Result<RawFile> readRows(const std::filesystem::path &file);

} // namespace rentune::data
