// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace rentune::text {

/// The code point that begins at `position`, which moves behind it. `text` must be UTF-8 and position < its
/// size.
char32_t nextCodePoint(std::string_view text, size_t &position);

/// Begin of the code point that ends before `position` > 0.
size_t previousPosition(std::string_view text, size_t position);

/// `bytes` with every maximal broken part replaced by U+FFFD (Unicode 16, chapter 3.9: substitution of
/// maximal subparts).
std::string replaceInvalidUtf8(std::string bytes);

/// The property White_Space (Unicode's PropList.txt).
bool isWhiteSpace(char32_t c);

} // namespace rentune::text
