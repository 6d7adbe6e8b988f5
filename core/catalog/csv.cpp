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
    CsvReader reader(text, file, ErrorCode::CatalogFormat);
    while (!reader.atEnd()) {
        RENTUNE_TRY(CsvTable::Row row, reader.record());
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
