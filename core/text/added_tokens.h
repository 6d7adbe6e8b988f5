// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/text/pattern.h"
#include "core/text/tokenizer.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rentune::text {

/// An entry of `added_tokens`.
struct AddedToken
{
    TokenId id = 0;
    std::string content;
    bool singleWord = false; ///< only where no letter, digit or underscore touches it
    bool lstrip = false;     ///< takes the blanks before it
    bool rstrip = false;     ///< takes the blanks behind it
    bool normalized = false; ///< looked for in the normalized text
};

/// Finds added tokens in texts: leftmost, then longest. Immutable, thread-safe.
class AddedTokenMatcher
{
public:
    struct Match
    {
        Span span;
        TokenId id;
    };

    void add(const AddedToken &token, std::string_view spelling);

    /// Matches in order, without overlaps. `text` must be UTF-8.
    std::vector<Match> find(std::string_view text) const;

private:
    struct Node
    {
        std::map<unsigned char, size_t> next;
        int token = -1; ///< index into m_tokens
    };

    /// The longest token that begins at `begin`: its index or −1, and its length.
    std::pair<int, size_t> longestAt(std::string_view text, size_t begin) const;

    std::vector<AddedToken> m_tokens;
    std::vector<Node> m_nodes = std::vector<Node>(1);
};

} // namespace rentune::text
