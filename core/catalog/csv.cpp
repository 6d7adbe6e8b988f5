// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/csv.h"

#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace rentune::catalog {
namespace {

Error formatError(const std::string &file, int64_t line, std::string detail)
{
    return Error{ErrorCode::CatalogFormat, std::move(detail), file, line};
}

std::string trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

/// Cuts text into records; the position only moves forward, so any input ends.
class Scanner
{
public:
    Scanner(std::string_view text, const std::string &file) : m_text(text), m_file(file) {}

    bool atEnd() const { return m_at >= m_text.size(); }

    Result<CsvTable::Row> record()
    {
        CsvTable::Row row;
        row.line = m_line;
        while (true) {
            RENTUNE_TRY(std::string cell, m_at < m_text.size() && m_text[m_at] == '"' ? quoted() : bare());
            row.cells.push_back(std::move(cell));
            if (atEnd())
                return row;
            const char end = m_text[m_at++];
            if (end == ',')
                continue;
            if (end == '\r' && !atEnd() && m_text[m_at] == '\n')
                ++m_at;
            ++m_line;
            return row;
        }
    }

private:
    static bool endsCell(char c) { return c == ',' || c == '\n' || c == '\r'; }

    Result<std::string> bare()
    {
        const size_t begin = m_at;
        while (!atEnd() && !endsCell(m_text[m_at])) {
            if (m_text[m_at] == '"')
                return formatError(m_file, m_line, "a quote inside a cell that does not begin with one");
            ++m_at;
        }
        return trimmed(m_text.substr(begin, m_at - begin));
    }

    Result<std::string> quoted()
    {
        const int64_t openedAt = m_line;
        std::string cell;
        for (++m_at; !atEnd(); ++m_at) {
            const char c = m_text[m_at];
            if (c != '"') {
                m_line += c == '\n';
                cell += c;
            } else if (m_at + 1 < m_text.size() && m_text[m_at + 1] == '"') {
                cell += m_text[m_at++];
            } else {
                ++m_at;
                if (!atEnd() && !endsCell(m_text[m_at]))
                    return formatError(m_file, m_line, "text after the closing quote of a cell");
                return cell;
            }
        }
        return formatError(m_file, openedAt, "the quote opened here is never closed");
    }

    std::string_view m_text;
    const std::string &m_file;
    size_t m_at = 0;
    int64_t m_line = 1;
};

bool isBlank(const CsvTable::Row &row)
{
    return row.cells.size() == 1 && row.cells.front().empty();
}

Result<void> checkHeader(const CsvTable &table, int64_t line)
{
    for (size_t i = 0; i < table.header.size(); ++i) {
        const std::string &name = table.header[i];
        if (name.empty())
            return formatError(table.file, line, fmt::format("column {} has no name", i + 1));
        if (std::find(table.header.begin(), table.header.begin() + static_cast<ptrdiff_t>(i), name) !=
            table.header.begin() + static_cast<ptrdiff_t>(i))
            return formatError(table.file, line,
                               fmt::format("column \"{}\" stands twice in the header", name));
    }
    return {};
}

template <typename T>
std::optional<T> parsed(const std::string &text)
{
    T value{};
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

} // namespace

Result<CsvTable> parseCsv(std::string_view text, const std::string &file)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    if (const size_t bad = firstInvalidUtf8(text); bad != std::string_view::npos) {
        const int64_t line = 1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(bad), '\n');
        return formatError(file, line, "not UTF-8 text; save the table as UTF-8");
    }
    CsvTable table;
    table.file = file;
    Scanner scanner(text, file);
    while (!scanner.atEnd()) {
        RENTUNE_TRY(CsvTable::Row row, scanner.record());
        if (isBlank(row))
            continue;
        if (table.header.empty()) {
            table.header = std::move(row.cells);
            RENTUNE_CHECK(checkHeader(table, row.line));
            continue;
        }
        if (row.cells.size() != table.header.size())
            return formatError(
                file, row.line,
                fmt::format("the row has {} cells, the header {}", row.cells.size(), table.header.size()));
        table.rows.push_back(std::move(row));
    }
    if (table.header.empty())
        return formatError(file, 0, "the table has no header");
    return table;
}

Result<void> expectColumns(const CsvTable &table, const std::vector<std::string> &columns)
{
    for (const std::string &name : table.header) {
        if (std::find(columns.begin(), columns.end(), name) != columns.end())
            continue;
        const auto meant = nearest(name, columns);
        return formatError(table.file, 1,
                           fmt::format("unknown column \"{}\"{}", name,
                                       meant ? fmt::format(", did you mean \"{}\"?", *meant) : ""));
    }
    for (const std::string &name : columns) {
        if (std::find(table.header.begin(), table.header.end(), name) == table.header.end())
            return formatError(table.file, 1, fmt::format("column \"{}\" is missing", name));
    }
    return {};
}

void CsvCells::fail(std::string_view column, const std::string &what)
{
    if (!m_error)
        m_error = formatError(m_table.file, m_row.line, fmt::format("column \"{}\": {}", column, what));
}

std::string CsvCells::text(std::string_view column)
{
    const auto at = std::find(m_table.header.begin(), m_table.header.end(), column);
    if (at == m_table.header.end()) {
        fail(column, "missing");
        return {};
    }
    return m_row.cells[static_cast<size_t>(at - m_table.header.begin())];
}

std::string CsvCells::required(std::string_view column)
{
    std::string value = text(column);
    if (value.empty())
        fail(column, "empty");
    return value;
}

std::optional<double> CsvCells::number(std::string_view column)
{
    const std::string cell = text(column);
    if (cell.empty())
        return std::nullopt;
    const auto value = parsed<double>(cell);
    if (!value || !std::isfinite(*value) || *value < 0) {
        fail(column, fmt::format("\"{}\" is not a number of 0 or more", cell));
        return std::nullopt;
    }
    return value;
}

double CsvCells::requiredNumber(std::string_view column)
{
    required(column);
    return number(column).value_or(0);
}

std::optional<int64_t> CsvCells::integer(std::string_view column)
{
    const std::string cell = text(column);
    if (cell.empty())
        return std::nullopt;
    const auto value = parsed<int64_t>(cell);
    if (!value || *value < 0) {
        fail(column, fmt::format("\"{}\" is not a whole number of 0 or more", cell));
        return std::nullopt;
    }
    return value;
}

int64_t CsvCells::requiredInteger(std::string_view column)
{
    required(column);
    return integer(column).value_or(0);
}

std::optional<bool> CsvCells::flag(std::string_view column, std::string_view yes, std::string_view no)
{
    const std::string cell = text(column);
    if (cell.empty())
        return std::nullopt;
    if (cell != yes && cell != no) {
        fail(column, fmt::format("\"{}\" is neither \"{}\" nor \"{}\"", cell, yes, no));
        return std::nullopt;
    }
    return cell == yes;
}

} // namespace rentune::catalog
