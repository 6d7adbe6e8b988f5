// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <functional>
#include <string>

namespace rentune::text {

/// `json[key]` where it is there and not null, else `fallback`. Errors: tokenizer.format, naming `where` and
/// the key.
Result<bool> boolField(const SortedJson &json, const char *key, bool fallback, const std::string &where);
Result<std::string> stringField(const SortedJson &json, const char *key, const std::string &fallback,
                                const std::string &where);

/// `json["type"]`. Errors: tokenizer.format if `json` is no object with a kind.
Result<std::string> kindField(const SortedJson &json, const std::string &where);

/// Calls `visit(kind, part, where)` with a part of a tokenizer, or with each part of a Sequence of them,
/// which lists them under `listKey`, in order; null is no part. Errors: tokenizer.format (no kind, a Sequence
/// without a list, or one too deep), and those of `visit`.
using VisitPart =
    std::function<Result<void>(const std::string &kind, const SortedJson &part, const std::string &where)>;
Result<void> forEachPart(const SortedJson &json, const char *listKey, const std::string &where,
                         const VisitPart &visit);

} // namespace rentune::text
