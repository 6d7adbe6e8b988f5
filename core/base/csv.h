// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rentune {

struct CsvRecord
{
    int64_t line = 0; ///< 1-based, where its first cell stands
    std::vector<std::string> cells;
};

/// Cuts a delimiter-separated table into records (RFC 4180: quotes, "" inside quotes, line breaks inside
/// quotes; CRLF or LF). Cells outside quotes are trimmed of blanks. The position only moves forward, so any
/// input ends. Borrows the text.
class CsvReader
{
public:
    /// `file` and `code` are those of the errors.
    CsvReader(std::string_view text, std::string file, ErrorCode code, char delimiter = ',')
        : m_text(text), m_file(std::move(file)), m_code(code), m_delimiter(delimiter)
    {
    }

    bool atEnd() const { return m_at >= m_text.size(); }

    /// The next record. Errors, with file and line: a quote that never closes (then all is read) or stands
    /// inside a bare cell, text behind a closing quote.
    Result<CsvRecord> record();

    /// Goes to the next line: what follows a record that can't be read.
    void skipLine();

private:
    Result<std::string> bare();
    Result<std::string> quoted();
    bool endsCell(char c) const { return c == m_delimiter || c == '\n' || c == '\r'; }
    Error broken(int64_t line, std::string detail) const { return {m_code, std::move(detail), m_file, line}; }

    std::string_view m_text;
    std::string m_file;
    ErrorCode m_code;
    char m_delimiter;
    size_t m_at = 0;
    int64_t m_line = 1;
};

} // namespace rentune
