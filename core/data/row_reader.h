// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/data/dataset.h"

#include <string>
#include <vector>

namespace rentune::data {

/// What was noticed in one row; file, line and row number are the caller's.
struct Notice
{
    std::string code;
    std::string detail;
    bool fatal = true;
};

/// True if the row must not be used.
bool hasFatal(const std::vector<Notice> &notices);

/// The name of the data kind a row looks like: a kind's name, "preference" (known, not trained on), or "" if
/// none.
std::string kindOfRow(const Json &row);

/// Reads a row of a known kind; notices go to `notices`. The result is meaningless if one of them is fatal.
Row readRow(const Json &json, Kind kind, const ReadOptions &options, std::vector<Notice> &notices);

/// Reads a conversation as it stands, without any check.
Row readRowUnchecked(const Json &json, Kind kind);

} // namespace rentune::data
