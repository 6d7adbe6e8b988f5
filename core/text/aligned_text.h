// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/text/span.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rentune::text {

/// A text made out of another one (the source, below 4 GiB), and which byte of that one each of its bytes
/// stands for.
class AlignedText
{
public:
    /// The source itself.
    explicit AlignedText(std::string_view source) : m_text(source), m_sourceEnd(source.size()) {}

    const std::string &text() const { return m_text; }
    std::string_view view(Span part) const
    {
        return std::string_view(m_text).substr(part.begin, part.end - part.begin);
    }
    /// The source byte that `position` of text() stands for; the end of the source's part at its end.
    size_t toSource(size_t position) const;
    /// A part of it; its places in the source stay what they are.
    AlignedText slice(Span part) const;

private:
    friend class AlignedWriter;
    AlignedText() = default;

    std::string m_text;
    std::vector<uint32_t> m_source; ///< of each byte; empty if byte i stands for m_sourceBegin + i
    size_t m_sourceBegin = 0;
    size_t m_sourceEnd = 0;
};

/// Writes a new version of a text, from left to right, that points to the same source. Borrows `from`.
class AlignedWriter
{
public:
    explicit AlignedWriter(const AlignedText &from);

    void keep(Span part);                          ///< the part as it stands
    void put(std::string_view bytes, size_t at);   ///< new bytes for the place `at` of `from`
    void rewrite(std::string_view bytes, Span of); ///< new bytes for a part, place by place as far as it goes
    size_t size() const { return m_to.m_text.size(); }
    AlignedText finish() && { return std::move(m_to); }

private:
    const AlignedText &m_from;
    AlignedText m_to;
};

} // namespace rentune::text
