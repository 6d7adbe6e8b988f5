// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <algorithm>
#include <numeric>

namespace rentune {
namespace {

/// Length of the well-formed sequence at `i`, 0 if there is none. Unicode 15, table 3-7.
size_t sequenceLength(std::string_view s, size_t i)
{
    const auto at = [&](size_t k) { return k < s.size() ? static_cast<unsigned char>(s[k]) : 0u; };
    const auto tail = [&](size_t k) { return (at(k) & 0xC0) == 0x80; };
    const unsigned a = at(i);
    const unsigned b = at(i + 1);
    if (a < 0x80)
        return 1;
    if (a >= 0xC2 && a <= 0xDF)
        return tail(i + 1) ? 2 : 0;
    if (a >= 0xE0 && a <= 0xEF) {
        const bool overlong = a == 0xE0 && b < 0xA0;
        const bool surrogate = a == 0xED && b > 0x9F;
        return tail(i + 1) && tail(i + 2) && !overlong && !surrogate ? 3 : 0;
    }
    if (a >= 0xF0 && a <= 0xF4) {
        const bool outside = (a == 0xF0 && b < 0x90) || (a == 0xF4 && b > 0x8F);
        return tail(i + 1) && tail(i + 2) && tail(i + 3) && !outside ? 4 : 0;
    }
    return 0;
}

/// Edits (insert, delete, replace, swap of neighbours) between two words: optimal string alignment.
size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<size_t> before(b.size() + 1);
    std::vector<size_t> last(b.size() + 1);
    std::vector<size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

} // namespace

size_t firstInvalidUtf8(std::string_view bytes)
{
    for (size_t i = 0; i < bytes.size();) {
        const size_t length = sequenceLength(bytes, i);
        if (length == 0)
            return i;
        i += length;
    }
    return std::string_view::npos;
}

void appendUtf8(std::string &out, char32_t c)
{
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | (c >> 6));
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0 | (c >> 12));
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | (c >> 18));
        out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    }
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string> &candidates)
{
    if (word.size() > 100)
        return std::nullopt;
    const std::string *best = nullptr;
    size_t bestDistance = std::max<size_t>(2, word.size() / 3) + 1;
    for (const std::string &candidate : candidates) {
        const size_t distance = editDistance(word, candidate);
        if (distance < bestDistance && distance < candidate.size()) {
            best = &candidate;
            bestDistance = distance;
        }
    }
    return best ? std::optional(*best) : std::nullopt;
}

} // namespace rentune
