// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/row_source.h"

#include "core/base/csv.h"
#include "core/base/file_ops.h"
#include "core/base/text.h"
#include "core/data/encoding.h"
#include "core/data/row_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace rentune::data {
namespace {

constexpr Bytes largestFile = 8 * GiB;
constexpr std::string_view blanks = " \t\r\n";

Error formatError(const std::string &detail, const std::string &file, int64_t line = 0)
{
    return Error{ErrorCode::DataFormat, detail, file, line};
}

/// Walks over JSON text and knows whether a position lies in a string, and how deep.
class JsonScanner
{
public:
    void feed(char c)
    {
        if (m_escaped)
            m_escaped = false;
        else if (m_inString && c == '\\')
            m_escaped = true;
        else if (c == '"')
            m_inString = !m_inString;
        else if (!m_inString && (c == '{' || c == '['))
            ++m_depth;
        else if (!m_inString && (c == '}' || c == ']'))
            --m_depth;
    }
    bool outside() const { return !m_inString && m_depth <= 0; }
    bool inString() const { return m_inString; }
    int64_t depth() const { return m_depth; }

private:
    bool m_inString = false;
    bool m_escaped = false;
    int64_t m_depth = 0;
};

bool endsInside(std::string_view line)
{
    JsonScanner scanner;
    for (const char c : line)
        scanner.feed(c);
    return !scanner.outside();
}

RawRow readRow(std::string_view text, const std::string &file, int64_t line)
{
    RawRow row;
    row.line = line;
    if (const size_t invalid = firstInvalidUtf8(text); invalid != std::string_view::npos) {
        row.problemCode = "encoding";
        row.problemDetail =
            fmt::format("byte {} of the row is not UTF-8; save the file as UTF-8", invalid + 1);
        return row;
    }
    Result<Json> parsed = parseJson(text, file, line);
    if (parsed.ok()) {
        row.value = std::move(parsed).value();
        return row;
    }
    const Error &error = parsed.error();
    row.problemCode = error.detail.find("surrogate") == std::string::npos ? "syntax" : "broken_character";
    row.problemDetail =
        error.line == line ? error.detail : fmt::format("line {}: {}", error.line, error.detail);
    return row;
}

RawFile readLines(std::string_view text, const std::string &file)
{
    RawFile result;
    int64_t number = 0;
    while (!text.empty()) {
        ++number;
        const size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        const bool last = end == std::string_view::npos;
        text.remove_prefix(last ? text.size() : end + 1);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (line.find_first_not_of(blanks) == std::string_view::npos)
            continue;
        RawRow row = readRow(line, file, number);
        const bool cut = endsInside(line) || row.problemCode == "encoding";
        if (last && !row.problemCode.empty() && cut) {
            row.problemCode = "incomplete_line";
            row.problemDetail =
                fmt::format("line {} is incomplete (the file may still be uploading)", number);
        }
        result.rows.push_back(std::move(row));
    }
    return result;
}

/// The parser's own words for a file that is no JSON value.
Error brokenFile(std::string_view text, const std::string &file)
{
    const Result<Json> parsed = parseJson(text, file);
    if (!parsed.ok())
        return parsed.error();
    return formatError("the rows of the array cannot be told apart", file);
}

/// The rows of a JSON array; `text` begins with its bracket, which stands on `line`.
Result<RawFile> readArray(std::string_view text, const std::string &file, int64_t line,
                          std::string_view whole)
{
    RawFile result;
    JsonScanner scanner;
    size_t begin = 1;      // of the current element, once something is there
    int64_t beginLine = 0; // 0 before its first character
    bool closed = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool border = !scanner.inString() && scanner.depth() == 1 && (c == ',' || c == ']');
        if (closed && blanks.find(c) == std::string_view::npos)
            return brokenFile(whole, file);
        if (border) {
            const bool empty = beginLine == 0;
            if (empty && (c == ',' || !result.rows.empty())) // two commas, or one before the end
                return brokenFile(whole, file);
            if (!empty)
                result.rows.push_back(readRow(text.substr(begin, i - begin), file, beginLine));
            beginLine = 0;
        } else if (i > 0 && beginLine == 0 && !closed && blanks.find(c) == std::string_view::npos) {
            begin = i;
            beginLine = line;
        }
        scanner.feed(c);
        closed = closed || (i > 0 && scanner.depth() == 0);
        line += c == '\n';
    }
    if (!closed)
        return brokenFile(whole, file);
    return result;
}

/// A table's record as a row: an object of texts.
RawRow tableRow(const CsvRecord &record, const std::vector<std::string> &header)
{
    RawRow row;
    row.line = record.line;
    if (record.cells.size() != header.size()) {
        row.problemCode = "wrong_columns";
        row.problemDetail =
            fmt::format("the row has {} cells, the header {}", record.cells.size(), header.size());
        return row;
    }
    row.value = Json::object();
    for (size_t i = 0; i < header.size(); ++i)
        row.value[header[i]] = record.cells[i];
    return row;
}

/// The header's columns if they are fields of a known kind of data.
std::optional<std::vector<std::string>> knownHeader(std::string_view text, char delimiter)
{
    const Result<CsvRecord> header = CsvReader(text, "", ErrorCode::DataFormat, delimiter).record();
    if (!header)
        return std::nullopt;
    Json fields = Json::object();
    for (const std::string &cell : header->cells)
        fields[cell] = "";
    return kindOfRow(fields).empty() ? std::nullopt : std::optional(header->cells);
}

RawFile readTable(std::string_view text, const std::string &file, char delimiter,
                  const std::vector<std::string> &header)
{
    RawFile result;
    result.delimiter = delimiter;
    CsvReader reader(text, file, ErrorCode::DataFormat, delimiter);
    static_cast<void>(reader.record()); // the header
    while (!reader.atEnd()) {
        const Result<CsvRecord> record = reader.record();
        if (!record) {
            const Error &error = record.error();
            result.rows.push_back({error.line, {}, "syntax", error.detail});
            reader.skipLine();
        } else if (record->cells.size() != 1 || !record->cells.front().empty()) {
            result.rows.push_back(tableRow(*record, header));
        }
    }
    return result;
}

Result<RawFile> readJsonRows(std::string_view text, size_t first, const std::string &file)
{
    if (text[first] == '[') {
        const int64_t line =
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first), '\n');
        return readArray(text.substr(first), file, line, text);
    }
    RawFile result = readLines(text, file);
    if (!result.rows.front().problemCode.empty() && result.rows.size() > 1) { // one object over many lines?
        if (Result<Json> single = parseJson(text, file); single.ok()) {
            result.rows.resize(1);
            result.rows.front() = RawRow{result.rows.front().line, std::move(single).value(), {}, {}};
        }
    }
    return result;
}

Result<RawFile> readText(std::string_view text, const std::string &file)
{
    if (text.starts_with("PAR1"))
        return formatError("a Parquet file; write it as jsonl first (pandas: read_parquet, then to_json with "
                           "orient=\"records\", lines=True)",
                           file);
    const size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos)
        return formatError("the file is empty", file);
    if (text[first] == '[' || text[first] == '{')
        return readJsonRows(text, first, file);
    for (const char delimiter : {',', ';', '\t', '|'})
        if (const auto header = knownHeader(text, delimiter))
            return readTable(text, file, delimiter, *header);
    return formatError(
        "neither a JSON array nor JSON lines, nor a table whose first line names fields of training "
        "data (such as instruction, output)",
        file, 1);
}

} // namespace

Result<RawFile> readRows(const std::filesystem::path &path)
{
    const std::string file = path.string();
    RENTUNE_TRY(std::string bytes, readFile(path, largestFile));
    RENTUNE_TRY(const DecodedText decoded, decodeText(std::move(bytes), file));
    RENTUNE_TRY(RawFile result, readText(decoded.text, file));
    result.encoding = decoded.encoding;
    return result;
}

} // namespace rentune::data
