// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/job_file.h"
#include "core/wire/job_keys.h"
#include "core/wire/scalar.h"

#include <algorithm>
#include <string_view>

namespace rentune::wire {
namespace {

/// Words that every YAML reader takes as text without quotes.
bool isPlainWord(const std::string &text)
{
    static constexpr std::string_view reserved[] = {"true", "false", "null", "yes", "no",
                                                    "on",   "off",   "y",    "n"};
    std::string lower;
    for (const char c : text)
        lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    const auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; };
    return !lower.empty() && letter(lower[0]) && std::all_of(lower.begin(), lower.end(), inner) &&
           std::find(std::begin(reserved), std::end(reserved), lower) == std::end(reserved);
}

std::string quoted(const std::string &text)
{
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A value on one line.
std::string inlineYaml(const Json &value)
{
    if (value.is_string())
        return isPlainWord(value.get_ref<const std::string &>()) ? value.get<std::string>() : quoted(value);
    if (value.is_number_float())
        return spellDouble(value.get<double>());
    if (!value.is_structured())
        return value.dump();
    std::string out;
    for (const auto &[key, item] : value.items()) {
        out += out.empty() ? "" : ", ";
        if (value.is_object())
            out += quoted(key) + ": ";
        out += inlineYaml(item);
    }
    return value.is_object() ? "{" + out + "}" : "[" + out + "]";
}

void writeSection(std::string &out, const Json &section, const std::string &path, const std::string &indent)
{
    for (const auto &[name, value] : section.items()) {
        const std::string keyPath = path.empty() ? name : path + "." + name;
        out += indent + (isPlainWord(name) ? name : quoted(name)) + ":";
        if (isJobSection(keyPath)) {
            out += "\n";
            writeSection(out, value, keyPath, indent + "  ");
        } else {
            out += " " + inlineYaml(value) + "\n";
        }
    }
}

/// The section a dotted path lies in, made where it is missing. Only the part before an `x-` key is split at
/// dots.
Json &slot(Json &root, const std::string &path)
{
    const size_t extension = path.starts_with("x-") ? 0 : path.find(".x-");
    Json *at = &root;
    size_t begin = 0;
    for (size_t dot = path.find('.'); extension != 0 && dot <= extension && dot != std::string::npos;
         dot = path.find('.', begin)) {
        at = &(*at)[path.substr(begin, dot - begin)];
        begin = dot + 1;
    }
    return (*at)[path.substr(begin)];
}

} // namespace

std::string writeJob(const JobSpec &job)
{
    Json root = Json::object();
    for (const JobKey &key : jobKeys())
        if (states(job, key.path))
            slot(root, key.path) = key.value(job);
    for (const auto &[path, text] : job.extensions)
        slot(root, path) = Json::parse(text, nullptr, false);
    std::string out;
    writeSection(out, root, "", "");
    return out;
}

Json jobSchema()
{
    static const JobSpec defaults;
    const auto section = [] {
        return Json{{"type", "object"},
                    {"properties", Json::object()},
                    {"patternProperties", {{"^x-", true}}},
                    {"additionalProperties", false}};
    };
    Json root = section();
    for (const JobKey &key : jobKeys()) {
        Json *at = &root;
        size_t begin = 0;
        for (size_t dot = key.path.find('.'); dot != std::string::npos; dot = key.path.find('.', begin)) {
            Json &child = (*at)["properties"][key.path.substr(begin, dot - begin)];
            if (child.is_null())
                child = section();
            at = &child;
            begin = dot + 1;
        }
        Json leaf = key.schema;
        if (!key.note.empty())
            leaf["description"] = key.note;
        if (const Json value = key.value(defaults); value != Json("") && value != Json::array())
            leaf["default"] = value;
        (*at)["properties"][key.path.substr(begin)] = std::move(leaf);
    }
    Json out{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Rentune job"}};
    out.update(root);
    out["required"] = {"model"};
    return out;
}

} // namespace rentune::wire
