// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace rentune::text {

/// Bytes [begin, end) of a text.
struct Span
{
    size_t begin = 0;
    size_t end = 0;
    bool operator==(const Span &) const = default;
    bool overlaps(const Span &other) const { return begin < other.end && other.begin < end; }
};

} // namespace rentune::text
