// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/csv.h"

#include <algorithm>

namespace rentune {
namespace {

std::string trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

} // namespace

Result<CsvRecord> CsvReader::record()
{
    CsvRecord record;
    record.line = m_line;
    while (true) {
        RENTUNE_TRY(std::string cell, m_at < m_text.size() && m_text[m_at] == '"' ? quoted() : bare());
        record.cells.push_back(std::move(cell));
        if (atEnd())
            return record;
        const char end = m_text[m_at++];
        if (end == m_delimiter)
            continue;
        if (end == '\r' && !atEnd() && m_text[m_at] == '\n')
            ++m_at;
        ++m_line;
        return record;
    }
}

void CsvReader::skipLine()
{
    m_at = std::min(m_text.find('\n', m_at), m_text.size());
    if (!atEnd()) {
        ++m_at;
        ++m_line;
    }
}

Result<std::string> CsvReader::bare()
{
    const size_t begin = m_at;
    while (!atEnd() && !endsCell(m_text[m_at])) {
        if (m_text[m_at] == '"')
            return broken(m_line, "a quote inside a cell that does not begin with one");
        ++m_at;
    }
    return trimmed(m_text.substr(begin, m_at - begin));
}

Result<std::string> CsvReader::quoted()
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
                return broken(m_line, "text after the closing quote of a cell");
            return cell;
        }
    }
    return broken(openedAt, "the quote opened here is never closed (unclosed quote)");
}

} // namespace rentune
