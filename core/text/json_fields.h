// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <string>

namespace rentune::text {

/// `json[key]` where it is there and not null, else `fallback`. Errors: tokenizer.format, naming `where` and
/// the key.
Result<bool> boolField(const SortedJson &json, const char *key, bool fallback, const std::string &where);
Result<std::string> stringField(const SortedJson &json, const char *key, const std::string &fallback,
                                const std::string &where);

/// `json["type"]`. Errors: tokenizer.format if `json` is no object with a kind.
Result<std::string> kindField(const SortedJson &json, const std::string &where);

} // namespace rentune::text
