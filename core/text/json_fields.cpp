// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/json_fields.h"

#include <fmt/format.h>

namespace rentune::text {
namespace {

const SortedJson *present(const SortedJson &json, const char *key)
{
    if (!json.is_object())
        return nullptr;
    const auto it = json.find(key);
    return it == json.end() || it->is_null() ? nullptr : &*it;
}

Error wrongType(const std::string &where, const char *key, const char *wanted, const SortedJson &value)
{
    return Error{ErrorCode::TokenizerFormat,
                 fmt::format("{}: \"{}\" must be {}, not {}", where, key, wanted, value.type_name())};
}

} // namespace

Result<bool> boolField(const SortedJson &json, const char *key, bool fallback, const std::string &where)
{
    const SortedJson *value = present(json, key);
    if (!value)
        return fallback;
    if (!value->is_boolean())
        return wrongType(where, key, "true or false", *value);
    return value->get<bool>();
}

Result<std::string> stringField(const SortedJson &json, const char *key, const std::string &fallback,
                                const std::string &where)
{
    const SortedJson *value = present(json, key);
    if (!value)
        return fallback;
    if (!value->is_string())
        return wrongType(where, key, "a string", *value);
    return value->get<std::string>();
}

Result<std::string> kindField(const SortedJson &json, const std::string &where)
{
    RENTUNE_TRY(std::string kind, stringField(json, "type", "", where));
    if (kind.empty())
        return Error{ErrorCode::TokenizerFormat, fmt::format("{}: no \"type\"", where)};
    return kind;
}

} // namespace rentune::text
