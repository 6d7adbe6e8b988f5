// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/row_source.h"

#include "core/base/file_ops.h"
#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
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

/// What a file that holds no JSON probably is.
std::string guess(std::string_view bytes)
{
    if (bytes.starts_with("PAR1"))
        return "a Parquet file; only json and jsonl are supported yet";
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
        return "UTF-16 text; save it as UTF-8";
    return "neither a JSON array nor JSON lines (csv and plain text are not supported yet)";
}

} // namespace

Result<RawFile> readRows(const std::filesystem::path &path)
{
    const std::string file = path.string();
    RENTUNE_TRY(const std::string bytes, readFile(path, largestFile));
    std::string_view text = bytes;
    const bool byteOrderMark = text.starts_with("\xEF\xBB\xBF");
    if (byteOrderMark)
        text.remove_prefix(3);
    const size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos)
        return formatError("the file is empty", file);
    if (text[first] != '[' && text[first] != '{')
        return formatError(guess(bytes), file, 1);
    RawFile result;
    if (text[first] == '[') {
        const int64_t line =
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first), '\n');
        RENTUNE_TRY(result, readArray(text.substr(first), file, line, text));
    } else {
        result = readLines(text, file);
        if (!result.rows.front().problemCode.empty() &&
            result.rows.size() > 1) { // one object over many lines?
            if (Result<Json> single = parseJson(text, file); single.ok()) {
                result.rows.resize(1);
                result.rows.front() = RawRow{result.rows.front().line, std::move(single).value(), {}, {}};
            }
        }
    }
    result.byteOrderMark = byteOrderMark;
    return result;
}

} // namespace rentune::data
