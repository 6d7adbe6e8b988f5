// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/added_tokens.h"

#include "core/text/utf8.h"

#include <utf8proc.h>

#include <algorithm>

namespace rentune::text {
namespace {

bool isWordCharacter(char32_t c)
{
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
        return true;
    default:
        return false;
    }
}

bool wordBefore(std::string_view text, size_t position)
{
    if (position == 0)
        return false;
    size_t begin = previousPosition(text, position);
    return isWordCharacter(nextCodePoint(text, begin));
}

bool wordBehind(std::string_view text, size_t position)
{
    return position < text.size() && isWordCharacter(nextCodePoint(text, position));
}

size_t blanksBefore(std::string_view text, size_t position, size_t least)
{
    while (position > least) {
        const size_t begin = previousPosition(text, position);
        size_t end = begin;
        if (!isWhiteSpace(nextCodePoint(text, end)))
            break;
        position = begin;
    }
    return std::max(position, least);
}

size_t blanksBehind(std::string_view text, size_t position)
{
    for (size_t end = position; end < text.size(); position = end) {
        if (!isWhiteSpace(nextCodePoint(text, end)))
            break;
    }
    return position;
}

} // namespace

void AddedTokenMatcher::add(const AddedToken &token, std::string_view spelling)
{
    if (spelling.empty())
        return;
    size_t node = 0;
    for (const char c : spelling) {
        const auto [it, isNew] = m_nodes[node].next.emplace(static_cast<unsigned char>(c), m_nodes.size());
        node = it->second;
        if (isNew)
            m_nodes.emplace_back();
    }
    if (m_nodes[node].token < 0) {
        m_nodes[node].token = static_cast<int>(m_tokens.size());
        m_tokens.push_back(token);
    }
}

std::pair<int, size_t> AddedTokenMatcher::longestAt(std::string_view text, size_t begin) const
{
    std::pair<int, size_t> best{-1, 0};
    size_t node = 0;
    for (size_t i = begin; i < text.size(); ++i) {
        const auto it = m_nodes[node].next.find(static_cast<unsigned char>(text[i]));
        if (it == m_nodes[node].next.end())
            break;
        node = it->second;
        if (m_nodes[node].token >= 0)
            best = {m_nodes[node].token, i + 1 - begin};
    }
    return best;
}

std::vector<AddedTokenMatcher::Match> AddedTokenMatcher::find(std::string_view text) const
{
    std::vector<Match> matches;
    size_t free = 0; // behind the last match
    for (size_t i = 0; i < text.size() && !m_tokens.empty();) {
        const auto [index, length] = longestAt(text, i);
        if (index < 0) {
            ++i;
            continue;
        }
        const AddedToken &token = m_tokens[index];
        size_t begin = i;
        size_t end = i + length;
        i = end;
        if (token.singleWord && (wordBefore(text, begin) || wordBehind(text, end)))
            continue;
        if (token.lstrip)
            begin = blanksBefore(text, begin, free);
        if (token.rstrip)
            end = blanksBehind(text, end);
        if (begin < free)
            continue;
        matches.push_back({{begin, end}, token.id});
        free = end;
    }
    return matches;
}

} // namespace rentune::text
