// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/event.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rentune::wire {
namespace {

constexpr const char *stampKeys[] = {"v", "seq", "t_us", "attempt", "type"};

/// Replaces non-finite floats by null and collects their dotted keys.
void nullNonFinite(Json &value, const std::string &path, Json &found)
{
    if (value.is_number_float() && !std::isfinite(value.get<double>())) {
        value = nullptr;
        found.push_back(path);
    }
    if (!value.is_structured())
        return;
    for (const auto &[key, item] : value.items())
        nullNonFinite(item, path.empty() ? key : path + "." + key, found);
}

Error broken(std::string_view what)
{
    return Error{ErrorCode::WireFormat, fmt::format("not an event line: {}", what)};
}

} // namespace

std::string encodeEvent(const Event &event)
{
    Json line{{"v", wireVersion},
              {"seq", event.seq},
              {"t_us", event.timeMicros},
              {"attempt", event.attempt},
              {"type", event.type}};
    line.update(event.fields);
    Json nonFinite = event.fields.value("nonfinite", Json::array());
    nullNonFinite(line, "", nonFinite);
    if (!nonFinite.empty())
        line["nonfinite"] = std::move(nonFinite);
    return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Event> decodeEvent(std::string_view line)
{
    auto parsed = parseJson(line, "");
    if (!parsed)
        return broken(parsed.error().detail);
    Json fields = std::move(parsed).value();
    if (!fields.is_object())
        return broken("not an object");
    const Json version = fields.value("v", Json());
    if (!version.is_number_integer() || version < 1)
        return broken("\"v\" is missing");
    if (version > wireVersion)
        return Error{ErrorCode::WireVersion,
                     fmt::format("the run writes events of version {}, this program reads up to {}: "
                                 "update it",
                                 version.dump(), wireVersion)};
    for (const char *key : {"seq", "t_us", "attempt"})
        if (!fields.contains(key) || !fields[key].is_number_integer())
            return broken(fmt::format("\"{}\" is not a whole number", key));
    if (fields["seq"] < 0 || !fields.contains("type") || !fields["type"].is_string())
        return broken("\"seq\" or \"type\" is wrong");
    Event event{.seq = fields["seq"],
                .timeMicros = fields["t_us"],
                .attempt = fields["attempt"],
                .type = fields["type"],
                .fields = {}};
    for (const char *key : stampKeys)
        fields.erase(key);
    event.fields = std::move(fields);
    return event;
}

std::string_view endState(int exit)
{
    if (exit == 0)
        return "done";
    return exit == exitCode(ErrorClass::Notice) || exit == exitCode(ErrorClass::Budget) ? "stopped"
                                                                                        : "failed";
}

Json eventSchema()
{
    const Json integer{{"type", "integer"}};
    const Json number{{"type", {"number", "null"}}};
    const Json string{{"type", "string"}};
    const Json object{{"type", "object"}};
    const std::pair<const char *, Json> types[] = {
        {"hello",
         {{"run", string},
          {"trainer", string},
          {"wire", integer},
          {"world", integer},
          {"device", string},
          {"parameters", integer},
          {"trainable", integer}}},
        {"step",
         {{"step", integer},
          {"loss", number},
          {"grad_norm", number},
          {"lr", number},
          {"tokens", integer},
          {"seconds", number},
          {"data_seconds", number},
          {"tokens_per_second", number},
          {"epoch", number},
          {"mem_bytes", integer}}},
        {"memory",
         {{"rank", integer},
          {"phase", string},
          {"allocated", integer},
          {"peak", integer},
          {"terms", object}}},
        {"comm", {{"rank", integer}, {"op", string}, {"bytes", integer}, {"calls", integer}}},
        {"eval", {{"step", integer}, {"loss", number}, {"tokens", integer}}},
        {"gpu",
         {{"rank", integer},
          {"util", number},
          {"mem_bytes", integer},
          {"power_w", number},
          {"temp_c", number}}},
        {"state", {{"from", string}, {"to", string}, {"code", {{"type", {"string", "null"}}}}}},
        {"error", {{"code", string}, {"class", string}, {"detail", string}}},
        {"done", {{"exit", integer}}},
    };
    Json rules = Json::array();
    for (const auto &[type, properties] : types) {
        Json required = Json::array();
        for (const auto &[key, schema] : properties.items())
            required.push_back(key);
        rules.push_back({{"if", {{"properties", {{"type", {{"const", type}}}}}}},
                         {"then", {{"properties", properties}, {"required", std::move(required)}}}});
    }
    return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", "Rentune event line"},
            {"type", "object"},
            {"properties",
             {{"v", {{"type", "integer"}, {"minimum", 1}, {"maximum", wireVersion}}},
              {"seq", {{"type", "integer"}, {"minimum", 0}}},
              {"t_us", integer},
              {"attempt", {{"type", "integer"}, {"minimum", 0}}},
              {"type", string},
              {"nonfinite",
               {{"type", "array"},
                {"items", string},
                {"description", "keys that are null because they were NaN or infinite"}}}}},
            {"required", Json(stampKeys)},
            {"allOf", std::move(rules)}};
}

} // namespace rentune::wire
