// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/unicode_additions.h"

#include "core/base/text.h"
#include "core/text/utf8.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace rentune::text {
namespace {

enum class Kind
{
    Upper,
    Lower,
    Letter,
    Han,
    Mark,
    Digit,
    Number,
    Punctuation,
    Symbol
};

struct Range
{
    char32_t first;
    char32_t last;
    Kind kind;
};

constexpr Range additions[] = {
#include "core/text/unicode_additions.inc"
};

constexpr char32_t firstAddition = additions[0].first;

struct StandIn
{
    char32_t threeBytes;
    char32_t fourBytes;
};

/// By Kind: characters of the same general category, known since Unicode 7 or earlier.
constexpr StandIn standIns[] = {
    {0x1E00, 0x10400}, {0x1E01, 0x10428}, {0x1000, 0x10280}, {0x4E00, 0x20000}, {0x1AB0, 0x10A01},
    {0x1040, 0x104A0}, {0x2460, 0x10107}, {0x2016, 0x10100}, {0x2300, 0x10137},
};

const Range *findAddition(char32_t c)
{
    const Range *range = std::lower_bound(std::begin(additions), std::end(additions), c,
                                          [](const Range &r, char32_t value) { return r.last < value; });
    return range != std::end(additions) && range->first <= c ? range : nullptr;
}

} // namespace

std::optional<std::string> withOlderCharacters(std::string_view text)
{
    std::optional<std::string> copy;
    for (size_t i = 0; i < text.size();) {
        const size_t begin = i;
        const char32_t c = nextCodePoint(text, i);
        if (c < firstAddition)
            continue;
        const Range *range = findAddition(c);
        if (!range)
            continue;
        if (!copy)
            copy = std::string(text);
        const StandIn &standIn = standIns[static_cast<size_t>(range->kind)];
        std::string bytes;
        appendUtf8(bytes, i - begin == 3 ? standIn.threeBytes : standIn.fourBytes);
        copy->replace(begin, i - begin, bytes);
    }
    return copy;
}

} // namespace rentune::text
