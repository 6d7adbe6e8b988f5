// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/json_fields.h"

#include <cmath>
#include <fmt/core.h>
#include <limits>

namespace rentune::hf {
namespace {

/// The value as it may stand in a message: short, whatever it is.
std::string shown(const Json &value)
{
    constexpr size_t most = 60;
    std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (text.size() > most)
        text = text.substr(0, most) + "...";
    return text;
}

} // namespace

JsonFields::JsonFields(const Json &object, std::string file, ErrorCode code)
    : m_object(object), m_file(std::move(file)), m_code(code)
{
    if (!object.is_object())
        fail("must be a JSON object, is " + shown(object));
}

const Json *JsonFields::find(std::string_view key) const
{
    if (!m_object.is_object())
        return nullptr;
    const auto it = m_object.find(std::string(key));
    return it == m_object.end() || it->is_null() ? nullptr : &*it;
}

bool JsonFields::isNull(std::string_view key) const
{
    return m_object.is_object() && m_object.contains(std::string(key)) && !find(key);
}

std::optional<int64_t> JsonFields::asInteger(std::string_view key, const Json &value, IntegerRange range)
{
    const bool tooLarge = value.is_number_unsigned() &&
                          value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (!value.is_number_integer() || tooLarge || value.get<int64_t>() < range.low ||
        value.get<int64_t>() > range.high) {
        fail(fmt::format("\"{}\" must be a whole number from {} to {}, is {}", key, range.low, range.high,
                         shown(value)));
        return {};
    }
    return value.get<int64_t>();
}

int64_t JsonFields::integer(std::string_view key, IntegerRange range, std::optional<int64_t> fallback)
{
    if (const Json *value = find(key))
        return asInteger(key, *value, range).value_or(range.low);
    if (!fallback)
        fail(fmt::format("\"{}\" is missing", key));
    return fallback.value_or(range.low);
}

double JsonFields::number(std::string_view key, double fallback)
{
    const Json *value = find(key);
    if (!value)
        return fallback;
    if (value->is_number() && std::isfinite(value->get<double>()))
        return value->get<double>();
    fail(fmt::format("\"{}\" must be a number, is {}", key, shown(*value)));
    return fallback;
}

double JsonFields::positiveNumber(std::string_view key, double fallback)
{
    const double value = number(key, fallback);
    if (value > 0)
        return value;
    fail(fmt::format("\"{}\" must be above 0, is {}", key, value));
    return fallback;
}

bool JsonFields::flag(std::string_view key, bool fallback)
{
    const Json *value = find(key);
    if (!value)
        return fallback;
    if (value->is_boolean())
        return value->get<bool>();
    fail(fmt::format("\"{}\" must be true or false, is {}", key, shown(*value)));
    return fallback;
}

std::string JsonFields::text(std::string_view key, std::string fallback)
{
    const Json *value = find(key);
    if (!value)
        return fallback;
    if (value->is_string())
        return value->get<std::string>();
    fail(fmt::format("\"{}\" must be a string, is {}", key, shown(*value)));
    return fallback;
}

std::vector<std::string> JsonFields::texts(std::string_view key)
{
    const Json *value = find(key);
    if (!value)
        return {};
    if (value->is_string())
        return {value->get<std::string>()};
    std::vector<std::string> list;
    for (const Json &item : value->is_array() ? *value : Json::array({nullptr})) {
        if (!item.is_string()) {
            fail(fmt::format("\"{}\" must be a list of strings, is {}", key, shown(*value)));
            return {};
        }
        list.push_back(item.get<std::string>());
    }
    return list;
}

std::vector<int64_t> JsonFields::integers(std::string_view key, IntegerRange range)
{
    const Json *value = find(key);
    if (!value)
        return {};
    std::vector<int64_t> list;
    for (const Json &item : value->is_array() ? *value : Json::array({*value})) {
        if (const auto number = asInteger(key, item, range))
            list.push_back(*number);
    }
    return list;
}

void JsonFields::fail(ErrorCode code, std::string detail)
{
    if (!m_error)
        m_error = Error{code, std::move(detail), m_file};
}

Result<void> JsonFields::result() const
{
    return m_error ? Result<void>(*m_error) : Result<void>();
}

} // namespace rentune::hf
