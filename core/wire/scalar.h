// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rentune::wire {

/// Spellings of YAML 1.1 and 1.2: "7", "-0.5", "1e-4", "1.e-3", ".5e-4", "1_000", "0x1F", "0o17". A leading
/// zero is decimal, as in YAML 1.2. Infinity and NaN are no numbers of a job.
std::optional<double> parseDouble(std::string_view text);

/// As parseDouble where the value is whole ("1e5" is 100000) and fits; digits alone are read exactly.
std::optional<int64_t> parseInteger(std::string_view text);

/// true, True, TRUE and so on. "yes" and "on" are not booleans, as in YAML 1.2.
std::optional<bool> parseBool(std::string_view text);

/// A plain scalar by the YAML 1.2 core schema: boolean, integer, float or else text.
Json plainScalarToJson(std::string_view text);

/// Shortest spelling that reads back to the same value in YAML 1.1 and 1.2 alike: "1.0e-4", "0.5", "3".
std::string spellDouble(double value);

} // namespace rentune::wire
