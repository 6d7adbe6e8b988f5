// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/base/units.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string_view>

namespace rentune {

using Json = nlohmann::ordered_json;

/// Strict JSON (RFC 8259): one value, at most 256 levels deep, no key twice in an object. A byte-order mark
/// is skipped. Errors: json.syntax with `file` and the line; the detail names the column and a likely cause
/// ("trailing comma").
Result<Json> parseJson(std::string_view text, const std::string &file, int64_t firstLine = 1);

/// The same values with sorted keys: finding a key among very many (a vocabulary) takes logarithmic time,
/// which Json's does not.
using SortedJson = nlohmann::json;

/// As parseJson, for files with very large objects.
Result<SortedJson> parseSortedJson(std::string_view text, const std::string &file, int64_t firstLine = 1);

/// readFile + parseJson.
Result<Json> readJson(const std::filesystem::path &path, Bytes limit = 256 * MiB);

} // namespace rentune
