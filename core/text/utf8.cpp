// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/utf8.h"

#include "core/base/text.h"

#include <algorithm>

namespace rentune::text {
namespace {

/// Bytes of the broken part at the start of `bytes`: the longest start of a well-formed sequence, at least
/// one byte.
size_t brokenLength(std::string_view bytes)
{
    static constexpr std::string_view tails[] = {"\x80", "\x80\x80", "\xBF", "\xBF\x80", "\x90", "\x90\x80"};
    const size_t most = std::min<size_t>(bytes.size(), 3);
    for (size_t length = most; length > 1; --length) {
        const std::string start(bytes.substr(0, length));
        const auto completes = [&](std::string_view tail) {
            return firstInvalidUtf8(start + std::string(tail)) == std::string_view::npos;
        };
        if (std::any_of(std::begin(tails), std::end(tails), completes))
            return length;
    }
    return 1;
}

} // namespace

char32_t nextCodePoint(std::string_view text, size_t &position)
{
    const auto byte = [&](size_t offset) { return static_cast<unsigned char>(text[position + offset]); };
    const unsigned char first = byte(0);
    if (first < 0x80) {
        ++position;
        return first;
    }
    const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    char32_t c = first & (0x7F >> length);
    for (size_t k = 1; k < length; ++k)
        c = (c << 6) | (byte(k) & 0x3F);
    position += length;
    return c;
}

size_t previousPosition(std::string_view text, size_t position)
{
    do
        --position;
    while (position > 0 && (static_cast<unsigned char>(text[position]) & 0xC0) == 0x80);
    return position;
}

std::string replaceInvalidUtf8(std::string bytes)
{
    if (firstInvalidUtf8(bytes) == std::string::npos)
        return bytes;
    std::string out;
    std::string_view rest = bytes;
    while (true) {
        const size_t invalid = firstInvalidUtf8(rest);
        out.append(rest.substr(0, invalid));
        if (invalid == std::string_view::npos)
            return out;
        rest.remove_prefix(invalid);
        rest.remove_prefix(brokenLength(rest));
        appendUtf8(out, U'\uFFFD');
    }
}

bool isWhiteSpace(char32_t c)
{
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
           c == 0x3000;
}

} // namespace rentune::text
