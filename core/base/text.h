// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rentune {

/// Offset of the first byte that is not well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms), or npos.
size_t firstInvalidUtf8(std::string_view bytes);

/// Appends a code point (≤ U+10FFFF, no surrogate) as UTF-8.
void appendUtf8(std::string &out, char32_t codePoint);

/// The candidate nearest to `word` by edit distance, if near enough to be a typing slip: for "did you mean".
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string> &candidates);

} // namespace rentune
