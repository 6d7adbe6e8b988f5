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

constexpr int maxNesting = 16;

Result<void> visitParts(const SortedJson &json, const char *listKey, const std::string &where,
                        const VisitPart &visit, int depth)
{
    RENTUNE_TRY(const std::string kind, kindField(json, where));
    if (kind != "Sequence")
        return visit(kind, json, where);
    const SortedJson *parts = present(json, listKey);
    if (depth >= maxNesting || !parts || !parts->is_array())
        return Error{ErrorCode::TokenizerFormat,
                     fmt::format("{}: a Sequence without \"{}\"", where, listKey)};
    for (size_t i = 0; i < parts->size(); ++i)
        RENTUNE_CHECK(
            visitParts((*parts)[i], listKey, fmt::format("{}.{}[{}]", where, listKey, i), visit, depth + 1));
    return {};
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

Result<void> forEachPart(const SortedJson &json, const char *listKey, const std::string &where,
                         const VisitPart &visit)
{
    return json.is_null() ? Result<void>() : visitParts(json, listKey, where, visit, 0);
}

} // namespace rentune::text
