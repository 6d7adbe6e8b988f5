// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/job_file.h"

#include "core/base/file_ops.h"
#include "core/base/text.h"
#include "core/wire/job_keys.h"
#include "core/wire/yaml_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace rentune::wire {
namespace {

namespace fs = std::filesystem;
using Kind = YamlNode::Kind;

std::string join(const std::string &section, const std::string &key)
{
    return section.empty() ? key : section + "." + key;
}

std::string lastName(const std::string &path)
{
    return path.substr(path.rfind('.') + 1);
}

bool isExtension(const std::string &name)
{
    return name.starts_with("x-");
}

/// The nearest key of the same section, else the nearest name in any section.
std::string suggestion(const std::string &section, const std::string &name)
{
    std::vector<std::string> siblings;
    std::vector<std::string> names;
    for (const JobKey &key : jobKeys()) {
        names.push_back(lastName(key.path));
        if (section.empty() || key.path.starts_with(section + ".")) {
            const std::string rest = section.empty() ? key.path : key.path.substr(section.size() + 1);
            siblings.push_back(rest.substr(0, rest.find('.')));
        }
    }
    if (const auto near = nearest(name, siblings))
        return ": did you mean " + join(section, *near) + "?";
    if (const auto near = nearest(name, names)) {
        const auto found = std::find(names.begin(), names.end(), *near) - names.begin();
        return ": did you mean " + jobKeys()[static_cast<size_t>(found)].path + "?";
    }
    return "";
}

/// Fills a JobSpec from trees of keys; later trees win.
class JobReader
{
public:
    explicit JobReader(std::string file) : m_file(std::move(file)) {}

    Result<void> read(const YamlNode &root, const Place &place)
    {
        RENTUNE_CHECK(refuseUnknown(root, "", place));
        return readSection(root, "", place);
    }

    Result<JobSpec> finish()
    {
        if (m_job.name.empty()) {
            m_job.name = fs::path(m_file).stem().string();
            m_lines.emplace("name", 0);
        }
        RENTUNE_CHECK(checkModelAndSteps());
        RENTUNE_CHECK(checkPrice());
        for (const auto &[key, line] : m_lines)
            m_job.statedKeys.push_back(key);
        return std::move(m_job);
    }

private:
    /// Unknown keys come before every other complaint: a slip of the pen explains what follows from it.
    static Result<void> refuseUnknown(const YamlNode &map, const std::string &section, const Place &place)
    {
        for (const auto &[name, value] : map.entries) {
            const std::string path = join(section, name);
            if (isExtension(name) || findJobKey(path))
                continue;
            if (!isJobSection(path))
                return Error{ErrorCode::JobUnknownKey,
                             fmt::format("unknown key {}{}", path, suggestion(section, name)), place.file,
                             value.line};
            RENTUNE_CHECK(refuseUnknown(value, path, place));
        }
        return {};
    }

    Result<void> readSection(const YamlNode &map, const std::string &section, const Place &place)
    {
        if (map.kind != Kind::Map && map.kind != Kind::Null)
            return Error{ErrorCode::JobType,
                         section.empty() ? "a job file is a mapping of keys"
                                         : section + " takes a mapping of keys",
                         place.file, map.line};
        for (const auto &[name, value] : map.entries) {
            const std::string path = join(section, name);
            if (isExtension(name))
                m_job.extensions[path] = yamlToJson(value).dump();
            else if (const JobKey *key = findJobKey(path))
                RENTUNE_CHECK(readKey(*key, value, place));
            else
                RENTUNE_CHECK(readSection(value, path, place));
        }
        return {};
    }

    Result<void> readKey(const JobKey &key, const YamlNode &value, const Place &place)
    {
        if (value.kind == Kind::Null)
            return {};
        RENTUNE_CHECK(key.read(m_job, value, place));
        m_lines[key.path] = value.line;
        return {};
    }

    Error problem(ErrorCode code, std::string detail, const std::string &key) const
    {
        const auto line = m_lines.find(key);
        return Error{code, std::move(detail), m_file, line == m_lines.end() ? 0 : line->second};
    }

    Result<void> checkModelAndSteps() const
    {
        if (m_job.model.path.empty() && m_job.model.id.empty())
            return problem(ErrorCode::JobMissingKey, "model.path or model.id is missing", "");
        if (!m_job.model.path.empty() && !m_job.model.id.empty())
            return problem(ErrorCode::JobConflict, "model.path and model.id exclude each other: keep one",
                           "model.id");
        if (m_job.training.maxSteps == 0 && m_job.training.epochs == 0)
            return problem(ErrorCode::JobValue,
                           "training.max_steps and training.epochs are both 0: nothing to train",
                           "training.epochs");
        return {};
    }

    Result<void> checkPrice() const
    {
        const std::string &currency = m_job.hardware.price.currency;
        const bool stated = m_lines.contains("hardware.price.per_hour");
        if (stated != !currency.empty())
            return problem(ErrorCode::JobMissingKey, "hardware.price needs currency and per_hour together",
                           stated ? "hardware.price.per_hour" : "hardware.price.currency");
        const bool isCode = currency.size() == 3 && std::all_of(currency.begin(), currency.end(),
                                                                [](char c) { return c >= 'A' && c <= 'Z'; });
        if (stated && !isCode)
            return problem(
                ErrorCode::JobValue,
                fmt::format("hardware.price.currency is \"{}\", allowed is a code such as CNY", currency),
                "hardware.price.currency");
        return {};
    }

    std::string m_file;
    JobSpec m_job;
    std::map<std::string, int64_t> m_lines; ///< of every stated key
};

/// "a.b=value" as the tree {a: {b: value}}.
Result<YamlNode> treeOfSet(const std::string &set)
{
    const std::string file = "--set " + set;
    const size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0)
        return Error{ErrorCode::UsageArguments, "write --set key=value", file};
    RENTUNE_TRY(YamlNode node, parseYaml(std::string_view(set).substr(equals + 1), file));
    if (equals + 1 == set.size())
        node = {.kind = Kind::Scalar, .quoted = true};
    std::string path = set.substr(0, equals);
    while (!path.empty()) {
        const size_t dot = path.rfind('.');
        YamlNode parent{.kind = Kind::Map};
        parent.entries.emplace_back(lastName(path), std::move(node));
        node = std::move(parent);
        path.resize(dot == std::string::npos ? 0 : dot);
    }
    return node;
}

/// Joins "\ud83d\ude00" to the one character it means: YAML, unlike JSON, has no such pairs.
std::string joinSurrogates(std::string_view json)
{
    std::string out;
    const auto unit = [&](size_t i) -> unsigned {
        if (i + 6 > json.size() || json[i] != '\\' || json[i + 1] != 'u')
            return 0;
        return static_cast<unsigned>(std::stoul(std::string(json.substr(i + 2, 4)), nullptr, 16));
    };
    for (size_t i = 0; i < json.size();) {
        const unsigned high = unit(i);
        if (high >= 0xD800 && high < 0xDC00) {
            appendUtf8(out, 0x10000 + ((high - 0xD800) << 10) + (unit(i + 6) - 0xDC00));
            i += 12;
        } else {
            const size_t length = json[i] == '\\' ? 2 : 1;
            out += json.substr(i, length);
            i += length;
        }
    }
    return out;
}

Result<YamlNode> parseTree(std::string_view text, const std::string &file)
{
    const size_t first = text.find_first_not_of(" \t\r\n");
    const bool isJson = first != std::string_view::npos && text[first] == '{' && parseJson(text, file).ok();
    return isJson ? parseYaml(joinSurrogates(text), file) : parseYaml(text, file);
}

} // namespace

Result<JobSpec> parseJob(std::string_view text, const fs::path &file, const std::vector<std::string> &sets)
{
    JobReader reader(file.string());
    RENTUNE_TRY(const YamlNode root, parseTree(text, file.string()));
    RENTUNE_CHECK(reader.read(root, {file.string(), fs::absolute(file).parent_path()}));
    for (const std::string &set : sets) {
        RENTUNE_TRY(const YamlNode tree, treeOfSet(set));
        RENTUNE_CHECK(reader.read(tree, {"--set " + set, fs::current_path()}));
    }
    return reader.finish();
}

Result<JobSpec> readJob(const fs::path &file, const std::vector<std::string> &sets)
{
    const auto text = readFile(file, 4 * MiB);
    if (text)
        return parseJob(*text, file, sets);
    if (text.error().code == ErrorCode::FileMissing) // a slip of the command line, not of the data
        return Error{ErrorCode::UsageArguments, "no such job file", file.string()};
    return text.error();
}

Result<void> checkTrainable(const JobSpec &job, const std::string &file)
{
    if (job.data.train.empty())
        return Error{ErrorCode::JobMissingKey, "data.train is missing: name the files to train on", file};
    return {};
}

bool states(const JobSpec &job, std::string_view key)
{
    return std::binary_search(job.statedKeys.begin(), job.statedKeys.end(), key);
}

void stateChangedKeys(JobSpec &job)
{
    static const JobSpec defaults;
    for (const JobKey &key : jobKeys())
        if (key.value(job) != key.value(defaults))
            job.statedKeys.push_back(key.path);
    std::sort(job.statedKeys.begin(), job.statedKeys.end());
    job.statedKeys.erase(std::unique(job.statedKeys.begin(), job.statedKeys.end()), job.statedKeys.end());
}

} // namespace rentune::wire
