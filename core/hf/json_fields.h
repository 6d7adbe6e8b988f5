// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rentune::hf {

/// Bounds of an integer field, both included.
struct IntegerRange
{
    int64_t low;
    int64_t high;
};

/// Reads typed fields of a JSON object whose keys may be absent or null (both mean the fallback). The first
/// problem is kept, later reads go on with fallbacks, and result() tells: so a reader lists its fields
/// without a branch each.
class JsonFields
{
public:
    /// `object` must outlive this. A value that is not an object is the first problem.
    JsonFields(const Json &object, std::string file, ErrorCode code);

    /// The value, or nullptr if absent or null.
    const Json *find(std::string_view key) const;
    /// Present and null.
    bool isNull(std::string_view key) const;

    /// Without a fallback the key is required.
    int64_t integer(std::string_view key, IntegerRange range, std::optional<int64_t> fallback = {});
    double positiveNumber(std::string_view key, double fallback);
    double number(std::string_view key, double fallback);
    bool flag(std::string_view key, bool fallback);
    std::string text(std::string_view key, std::string fallback);
    /// A list of strings; a single string counts as a list of one.
    std::vector<std::string> texts(std::string_view key);
    /// A list of integers; a single integer counts as a list of one.
    std::vector<int64_t> integers(std::string_view key, IntegerRange range);

    void fail(ErrorCode code, std::string detail);
    void fail(std::string detail) { fail(m_code, std::move(detail)); }
    Result<void> result() const;

private:
    std::optional<int64_t> asInteger(std::string_view key, const Json &value, IntegerRange range);

    const Json &m_object;
    std::string m_file;
    ErrorCode m_code;
    std::optional<Error> m_error;
};

} // namespace rentune::hf
