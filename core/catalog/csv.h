// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/csv.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rentune::catalog {

/// A comma-separated table (RFC 4180: quotes, "" inside quotes, line breaks inside quotes; CRLF or LF; a
/// byte-order mark and blank lines are skipped). Cells outside quotes are trimmed of blanks.
struct CsvTable
{
    using Row = CsvRecord; ///< as many cells as the header has
    std::string file;
    std::vector<std::string> header;
    std::vector<Row> rows;
};

/// Errors: catalog.format with file and line: no header, a column named twice, a row with too few or too many
/// cells, a quote that never closes or stands inside a bare cell, text that is not UTF-8.
Result<CsvTable> parseCsv(std::string_view text, const std::string &file);

/// Reads one row by column name and remembers the first thing wrong with it. An empty cell is absent, never
/// 0.
class CsvCells
{
public:
    CsvCells(const CsvTable &table, const CsvTable::Row &row) : m_table(table), m_row(row) {}

    std::string text(std::string_view column); ///< "" if empty
    std::string required(std::string_view column);
    std::optional<double> number(std::string_view column); ///< finite and ≥ 0
    double requiredNumber(std::string_view column);
    std::optional<int64_t> integer(std::string_view column); ///< ≥ 0
    int64_t requiredInteger(std::string_view column);
    std::optional<bool> flag(std::string_view column, std::string_view yes, std::string_view no);

    void fail(std::string_view column, const std::string &what);
    const std::optional<Error> &error() const { return m_error; }

private:
    const CsvTable &m_table;
    const CsvTable::Row &m_row;
    std::optional<Error> m_error;
};

/// The header must hold exactly these columns, in any order. Errors: catalog.format at the header, with a
/// did-you-mean for an unknown name.
Result<void> expectColumns(const CsvTable &table, const std::vector<std::string> &columns);

} // namespace rentune::catalog
