// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace rentune::wire {
namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Without "+" and digit separators; nullopt where a separator does not stand between digits.
std::optional<std::string> normalized(std::string_view text)
{
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '_')
            out += text[i];
        else if (i == 0 || i + 1 == text.size() || !std::isxdigit(text[i - 1]) || !std::isxdigit(text[i + 1]))
            return std::nullopt;
    }
    if (out.starts_with('+'))
        out.erase(0, 1);
    return out;
}

template <typename T, typename... Options>
std::optional<T> convert(std::string_view text, Options... options)
{
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, options...);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return value;
}

std::optional<int64_t> prefixedInteger(std::string_view text)
{
    if (text.size() > 2 && text[0] == '0' && text[2] != '-' && (text[1] == 'x' || text[1] == 'o'))
        return convert<int64_t>(text.substr(2), text[1] == 'x' ? 16 : 8);
    return std::nullopt;
}

/// from_chars also takes "inf" and "nan", and refuses "1.e5" nowhere: only the first character needs a look.
std::optional<double> decimal(std::string_view text)
{
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.empty() || (!isDigit(digits[0]) && digits[0] != '.'))
        return std::nullopt;
    return convert<double>(text);
}

} // namespace

std::optional<double> parseDouble(std::string_view text)
{
    const auto plain = normalized(text);
    if (!plain)
        return std::nullopt;
    if (const auto integer = prefixedInteger(*plain))
        return static_cast<double>(*integer);
    return decimal(*plain);
}

std::optional<int64_t> parseInteger(std::string_view text)
{
    const auto plain = normalized(text);
    if (!plain)
        return std::nullopt;
    if (const auto prefixed = prefixedInteger(*plain))
        return prefixed;
    if (const auto exact = convert<int64_t>(*plain))
        return exact;
    constexpr double exactLimit = 9007199254740992.0; // 2^53: beyond it a double no longer names one integer
    const auto value = decimal(*plain);
    if (!value || std::trunc(*value) != *value || std::abs(*value) > exactLimit)
        return std::nullopt;
    return static_cast<int64_t>(*value);
}

std::optional<bool> parseBool(std::string_view text)
{
    if (text == "true" || text == "True" || text == "TRUE")
        return true;
    if (text == "false" || text == "False" || text == "FALSE")
        return false;
    return std::nullopt;
}

Json plainScalarToJson(std::string_view text)
{
    if (const auto flag = parseBool(text))
        return *flag;
    const bool isWhole =
        std::all_of(text.begin(), text.end(), [](char c) { return isDigit(c) || c == '-' || c == '+'; });
    if (const auto integer = isWhole ? parseInteger(text) : std::nullopt)
        return *integer;
    if (const auto number = parseDouble(text))
        return *number;
    return std::string(text);
}

std::string spellDouble(double value)
{
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    std::string out(buffer.data(), end);
    const size_t e = out.find('e');
    if (e == std::string::npos)
        return out;
    std::string mantissa = out.substr(0, e);
    if (mantissa.find('.') == std::string::npos)
        mantissa += ".0"; // YAML 1.1 reads "1e-4" as text
    size_t digits = e + 2;
    while (digits + 1 < out.size() && out[digits] == '0')
        ++digits;
    return mantissa + 'e' + out[e + 1] + out.substr(digits);
}

} // namespace rentune::wire
