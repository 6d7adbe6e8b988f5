// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/dataset.h"

#include "core/data/row_reader.h"
#include "core/data/row_source.h"

#include <fmt/format.h>

#include <algorithm>

namespace rentune::data {
namespace {

using Mapping = std::map<std::string, std::string>;

/// A kind's name and what becomes of its fields.
struct KindFacts
{
    Kind kind;
    std::string_view name;
    Mapping mapping;
};

const std::vector<KindFacts> &kindFacts()
{
    static const std::vector<KindFacts> facts = {
        {Kind::Alpaca,
         "alpaca",
         {{"instruction", "user"},
          {"input", "user"},
          {"output", "assistant"},
          {"system", "system"},
          {"history", "user, assistant"}}},
        {Kind::Sharegpt, "sharegpt", {{"conversations", "turns"}, {"system", "system"}, {"tools", "tools"}}},
        {Kind::Messages, "messages", {{"messages", "turns"}, {"tools", "tools"}}},
        {Kind::PromptCompletion,
         "prompt_completion",
         {{"prompt", "user"}, {"completion", "assistant"}, {"response", "assistant"}}},
        {Kind::QueryResponse,
         "query_response",
         {{"query", "user"},
          {"response", "assistant"},
          {"history", "user, assistant"},
          {"system", "system"}}},
        {Kind::Text, "text", {{"text", "text"}}},
        {Kind::Tokens, "tokens", {{"input_ids", "ids"}, {"labels", "labels"}}}};
    return facts;
}

const KindFacts &factsOf(Kind kind)
{
    return kindFacts()[static_cast<size_t>(kind)];
}

/// What a row of an unreadable kind is, in words.
std::string describeKind(const std::string &kind, const Json &row)
{
    if (kind == "preference")
        return "preference data (chosen and rejected answers); write the chosen ones as messages to "
               "fine-tune on them, or "
               "use ms-swift or LLaMA-Factory for preference training";
    if (!row.is_object())
        return fmt::format("a row must be an object, not {}", row.type_name());
    std::string keys;
    for (const auto &[key, value] : row.items()) {
        if (keys.size() < 200)
            keys += (keys.empty() ? "" : ", ") + key;
    }
    return fmt::format("no known kind of data has these fields: {}", keys);
}

/// The kind a row is read as, after what the user stated.
std::optional<Kind> chosenKind(const Json &row, const std::string &format)
{
    const std::string kind = kindOfRow(row);
    return format == "auto" || format == kind ? kindNamed(kind) : std::nullopt;
}

/// Reads the rows of one file and sorts them into usable ones and problems.
class Collector
{
public:
    Collector(const ReadOptions &options, std::vector<Row> &rows, std::vector<Problem> &problems,
              int64_t &totalRows)
        : m_options(options), m_rows(rows), m_problems(problems), m_totalRows(totalRows)
    {
    }

    /// How many rows were of each kind that cannot be read; "" stands for unknown ones.
    const std::map<std::string, int64_t> &refused() const { return m_refused; }
    /// What the first such row is, in words.
    const std::string &firstRefusal() const { return m_firstRefusal; }
    bool sawSupportedKind() const { return m_sawSupported; }

    void add(RawRow &&raw, const std::string &file)
    {
        const int64_t number = m_totalRows++;
        const auto report = [&](const Notice &notice) {
            m_problems.push_back({file, raw.line, number, notice.code, notice.detail, notice.fatal});
        };
        if (!raw.problemCode.empty()) {
            report({raw.problemCode, raw.problemDetail});
            return;
        }
        const std::optional<Kind> kind = chosenKind(raw.value, m_options.format);
        if (!kind) {
            report(refuse(raw.value));
            return;
        }
        m_sawSupported = true;
        std::vector<Notice> notices;
        Row row = readRow(raw.value, *kind, m_options, notices);
        for (const Notice &notice : notices)
            report(notice);
        if (hasFatal(notices))
            return;
        row.file = file;
        row.line = raw.line;
        m_rows.push_back(std::move(row));
    }

private:
    Notice refuse(const Json &row)
    {
        const std::string kind = kindOfRow(row);
        ++m_refused[kind];
        const bool otherFormat = kindNamed(kind).has_value();
        std::string detail = otherFormat
                                 ? fmt::format("the row is {} data, format is {}", kind, m_options.format)
                                 : describeKind(kind, row);
        if (m_firstRefusal.empty())
            m_firstRefusal = detail;
        return {otherFormat    ? "wrong_kind"
                : kind.empty() ? "unknown_kind"
                               : "unsupported_kind",
                std::move(detail)};
    }

    const ReadOptions &m_options;
    std::vector<Row> &m_rows;
    std::vector<Problem> &m_problems;
    int64_t &m_totalRows;
    std::map<std::string, int64_t> m_refused;
    std::string m_firstRefusal;
    bool m_sawSupported = false;
};

Result<void> checkOptions(const ReadOptions &options)
{
    if (options.format == "auto" || kindNamed(options.format))
        return {};
    std::string names = "auto";
    for (const KindFacts &facts : kindFacts())
        names += ", " + std::string(facts.name);
    return Error{ErrorCode::DataFormat,
                 fmt::format("format {} is not supported ({} are)", options.format, names)};
}

} // namespace

std::string_view kindName(Kind kind)
{
    return factsOf(kind).name;
}

std::optional<Kind> kindNamed(std::string_view name)
{
    const auto found = std::ranges::find(kindFacts(), name, &KindFacts::name);
    return found == kindFacts().end() ? std::nullopt : std::optional(found->kind);
}

Result<Dataset> Dataset::open(const std::vector<std::filesystem::path> &files, const ReadOptions &options)
{
    RENTUNE_CHECK(checkOptions(options));
    Dataset dataset;
    for (const std::filesystem::path &path : files) {
        RENTUNE_TRY(RawFile raw, readRows(path));
        if (dataset.m_encoding == "utf-8")
            dataset.m_encoding = raw.encoding;
        if (dataset.m_delimiter.empty())
            dataset.m_delimiter = raw.delimiter;
        Collector collector(options, dataset.m_rows, dataset.m_problems, dataset.m_totalRows);
        for (RawRow &row : raw.rows)
            collector.add(std::move(row), path.string());
        if (!collector.sawSupportedKind() && !collector.refused().empty())
            return Error{ErrorCode::DataFormat, collector.firstRefusal(), path.string(),
                         raw.rows.front().line};
    }
    for (const Row &row : dataset.m_rows)
        dataset.m_mapping.insert(factsOf(row.kind).mapping.begin(), factsOf(row.kind).mapping.end());
    return dataset;
}

Result<Row> Dataset::readRow(const std::filesystem::path &file, int64_t number, const ReadOptions &options)
{
    RENTUNE_CHECK(checkOptions(options));
    RENTUNE_TRY(RawFile raw, readRows(file));
    const auto count = static_cast<int64_t>(raw.rows.size());
    if (number < 0 || number >= count)
        return Error{ErrorCode::DataRow, fmt::format("there is no row {}: the file has {}", number, count),
                     file.string()};
    const RawRow &row = raw.rows[static_cast<size_t>(number)];
    if (!row.problemCode.empty())
        return Error{ErrorCode::DataRow, row.problemDetail, file.string(), row.line};
    const std::optional<Kind> kind = chosenKind(row.value, options.format);
    if (!kind)
        return Error{ErrorCode::DataRow, describeKind(kindOfRow(row.value), row.value), file.string(),
                     row.line};
    Row result = readRowUnchecked(row.value, *kind);
    result.file = file.string();
    result.line = row.line;
    return result;
}

int64_t Dataset::size() const
{
    return static_cast<int64_t>(m_rows.size());
}

int64_t Dataset::totalRows() const
{
    return m_totalRows;
}

const Row &Dataset::row(int64_t index) const
{
    return m_rows[static_cast<size_t>(index)];
}

const std::vector<Problem> &Dataset::problems() const
{
    return m_problems;
}

std::map<std::string, int64_t> Dataset::kinds() const
{
    std::map<std::string, int64_t> kinds;
    for (const Row &row : m_rows)
        ++kinds[std::string(kindName(row.kind))];
    return kinds;
}

const std::map<std::string, std::string> &Dataset::mapping() const
{
    return m_mapping;
}

const std::string &Dataset::encoding() const
{
    return m_encoding;
}

const std::string &Dataset::delimiter() const
{
    return m_delimiter;
}

} // namespace rentune::data
