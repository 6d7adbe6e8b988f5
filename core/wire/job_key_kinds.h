// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/wire/job_keys.h"
#include "core/wire/scalar.h"

#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// How each kind of job key is read, written and described: one function a kind, which makes the JobKey of a
// member that `field` names, a callable from a (const) JobSpec to the member.
namespace rentune::wire {

/// What a number may be.
struct NumberRange
{
    double low = -std::numeric_limits<double>::max();
    double high = std::numeric_limits<double>::max();
    bool openHigh = false; ///< the high end itself is refused

    bool holds(double value) const { return value >= low && (openHigh ? value < high : value <= high); }
    std::string words() const;
    void describe(Json &schema) const;
};

Error wrongType(const std::string &path, const YamlNode &node, const Place &place, const std::string &wanted);
Error outOfRange(const std::string &path, const YamlNode &node, const Place &place, const NumberRange &range);
/// "one of a, b, c", and the error of a word that is none of them, with a did-you-mean.
std::string oneOf(const std::vector<std::string> &words);
Error noChoice(const std::string &path, const YamlNode &node, const Place &place,
               const std::vector<std::string> &words);

template <typename T>
Result<void> readNumber(T &out, const std::string &path, const YamlNode &node, const Place &place,
                        NumberRange range)
{
    constexpr bool whole = std::is_integral_v<T>;
    const auto value = [&] {
        if constexpr (whole)
            return parseInteger(node.text);
        else
            return parseDouble(node.text);
    }();
    if (node.kind != YamlNode::Kind::Scalar || !value)
        return wrongType(path, node, place, whole ? "a whole number" : "a number");
    if (!range.holds(static_cast<double>(*value)))
        return outOfRange(path, node, place, range);
    out = static_cast<T>(*value);
    return {};
}

Result<void> readText(std::string &out, const std::string &path, const YamlNode &node, const Place &place);
Result<void> readPath(std::filesystem::path &out, const std::string &path, const YamlNode &node,
                      const Place &place);

/// A list, or one value in place of a list of one.
template <typename T, typename ReadItem>
Result<void> readList(std::vector<T> &out, const std::string &path, const YamlNode &node, const Place &place,
                      ReadItem readItem)
{
    if (node.kind == YamlNode::Kind::Map)
        return wrongType(path, node, place, "a list");
    std::vector<T> list;
    for (const YamlNode &item : node.kind == YamlNode::Kind::Sequence ? node.items : std::vector{node})
        RENTUNE_CHECK(readItem(list.emplace_back(), path, item, place));
    out = std::move(list);
    return {};
}

Json listSchema(const char *itemType);

template <typename Field>
JobKey number(std::string path, Field field, NumberRange range, std::string note = {})
{
    using T = std::remove_reference_t<decltype(field(std::declval<JobSpec &>()))>;
    Json schema{{"type", std::is_integral_v<T> ? "integer" : "number"}};
    range.describe(schema);
    return {path, std::move(note), std::move(schema),
            [=](JobSpec &job, const YamlNode &node, const Place &place) {
                return readNumber(field(job), path, node, place, range);
            },
            [=](const JobSpec &job) { return Json(field(job)); }};
}

template <typename Field>
JobKey flag(std::string path, Field field, std::string note = {})
{
    return {path,
            std::move(note),
            {{"type", "boolean"}},
            [=](JobSpec &job, const YamlNode &node, const Place &place) -> Result<void> {
                const auto value = parseBool(node.text);
                if (node.kind != YamlNode::Kind::Scalar || !value)
                    return wrongType(path, node, place, "true or false");
                field(job) = *value;
                return {};
            },
            [=](const JobSpec &job) { return Json(field(job)); }};
}

template <typename Field, typename T>
JobKey choice(std::string path, Field field, std::vector<std::pair<std::string, T>> alternatives,
              std::string note = {})
{
    std::vector<std::string> words;
    for (const auto &[word, value] : alternatives)
        words.push_back(word);
    return {path,
            std::move(note),
            {{"enum", words}},
            [=](JobSpec &job, const YamlNode &node, const Place &place) -> Result<void> {
                if (node.kind != YamlNode::Kind::Scalar)
                    return wrongType(path, node, place, oneOf(words));
                for (const auto &[word, value] : alternatives) {
                    if (word == node.text) {
                        field(job) = value;
                        return {};
                    }
                }
                return noChoice(path, node, place, words);
            },
            [=](const JobSpec &job) {
                for (const auto &[word, value] : alternatives)
                    if (value == field(job))
                        return Json(word);
                return Json();
            }};
}

/// A choice whose value is its word.
template <typename Field>
JobKey word(std::string path, Field field, const std::vector<std::string> &words, std::string note = {})
{
    std::vector<std::pair<std::string, std::string>> alternatives;
    for (const std::string &each : words)
        alternatives.emplace_back(each, each);
    return choice(std::move(path), field, std::move(alternatives), std::move(note));
}

template <typename Field>
JobKey text(std::string path, Field field, std::string note = {})
{
    return {path,
            std::move(note),
            {{"type", "string"}},
            [=](JobSpec &job, const YamlNode &node, const Place &place) {
                return readText(field(job), path, node, place);
            },
            [=](const JobSpec &job) { return Json(field(job)); }};
}

template <typename Field>
JobKey textList(std::string path, Field field, std::string note = {})
{
    return {path, std::move(note), listSchema("string"),
            [=](JobSpec &job, const YamlNode &node, const Place &place) {
                return readList(field(job), path, node, place, readText);
            },
            [=](const JobSpec &job) { return Json(field(job)); }};
}

template <typename Field>
JobKey file(std::string path, Field field, std::string note = {})
{
    return {path,
            std::move(note),
            {{"type", "string"}},
            [=](JobSpec &job, const YamlNode &node, const Place &place) {
                return readPath(field(job), path, node, place);
            },
            [=](const JobSpec &job) { return Json(field(job).string()); }};
}

template <typename Field>
JobKey fileList(std::string path, Field field, std::string note = {})
{
    return {path, std::move(note), listSchema("string"),
            [=](JobSpec &job, const YamlNode &node, const Place &place) {
                return readList(field(job), path, node, place, readPath);
            },
            [=](const JobSpec &job) {
                Json list = Json::array();
                for (const std::filesystem::path &each : field(job))
                    list.push_back(each.string());
                return list;
            }};
}

template <typename Field>
JobKey numberMap(std::string path, Field field, NumberRange range, std::string note)
{
    using Map = std::remove_reference_t<decltype(field(std::declval<JobSpec &>()))>;
    Json item{{"type", std::is_integral_v<typename Map::mapped_type> ? "integer" : "number"}};
    range.describe(item);
    return {path,
            std::move(note),
            {{"type", "object"}, {"additionalProperties", std::move(item)}},
            [=](JobSpec &job, const YamlNode &node, const Place &place) -> Result<void> {
                if (node.kind != YamlNode::Kind::Map)
                    return wrongType(path, node, place, "a mapping");
                Map map;
                for (const auto &[name, value] : node.entries)
                    RENTUNE_CHECK(readNumber(map[name], path + "." + name, value, place, range));
                field(job) = std::move(map);
                return {};
            },
            [=](const JobSpec &job) { return Json(field(job)); }};
}

} // namespace rentune::wire
