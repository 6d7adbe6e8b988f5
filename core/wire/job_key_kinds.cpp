// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/job_key_kinds.h"

#include "core/base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rentune::wire {
namespace {

using Kind = YamlNode::Kind;
constexpr double noEnd = std::numeric_limits<double>::max();

} // namespace

std::string NumberRange::words() const
{
    if (high == noEnd)
        return fmt::format("at least {}", low);
    return fmt::format("from {} {} {}", low, openHigh ? "to below" : "to", high);
}

void NumberRange::describe(Json &schema) const
{
    schema["minimum"] = low;
    if (high != noEnd)
        schema[openHigh ? "exclusiveMaximum" : "maximum"] = high;
}

Error wrongType(const std::string &path, const YamlNode &node, const Place &place, const std::string &wanted)
{
    const std::string got = node.kind == Kind::Map        ? "a mapping"
                            : node.kind == Kind::Sequence ? "a list"
                                                          : fmt::format("\"{}\"", node.text);
    return {ErrorCode::JobType, fmt::format("{} takes {}, not {}", path, wanted, got), place.file, node.line};
}

Error outOfRange(const std::string &path, const YamlNode &node, const Place &place, const NumberRange &range)
{
    return {ErrorCode::JobValue, fmt::format("{} is {}, allowed is {}", path, node.text, range.words()),
            place.file, node.line};
}

std::string oneOf(const std::vector<std::string> &words)
{
    return fmt::format("one of {}", fmt::join(words, ", "));
}

Error noChoice(const std::string &path, const YamlNode &node, const Place &place,
               const std::vector<std::string> &words)
{
    const auto near = nearest(node.text, words);
    return {ErrorCode::JobValue,
            fmt::format("{} is \"{}\", allowed is {}{}", path, node.text, oneOf(words),
                        near ? fmt::format(": did you mean {}?", *near) : ""),
            place.file, node.line};
}

Result<void> readText(std::string &out, const std::string &path, const YamlNode &node, const Place &place)
{
    if (node.kind != Kind::Scalar)
        return wrongType(path, node, place, "text");
    out = node.text;
    return {};
}

Result<void> readPath(std::filesystem::path &out, const std::string &path, const YamlNode &node,
                      const Place &place)
{
    if (node.kind != Kind::Scalar)
        return wrongType(path, node, place, "a path");
    if (node.text.find('\0') != std::string::npos)
        return Error{ErrorCode::JobValue, path + " holds a NUL character, which no path can", place.file,
                     node.line};
    out = node.text.empty() ? std::filesystem::path() : (place.folder / node.text).lexically_normal();
    return {};
}

Json listSchema(const char *itemType)
{
    return {{"type", "array"}, {"items", {{"type", itemType}}}};
}

} // namespace rentune::wire
