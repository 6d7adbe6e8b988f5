// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/aligned_text.h"

#include <algorithm>

namespace rentune::text {

size_t AlignedText::toSource(size_t position) const
{
    if (position >= m_text.size())
        return m_sourceEnd;
    return m_source.empty() ? m_sourceBegin + position : m_source[position];
}

AlignedText AlignedText::slice(Span part) const
{
    AlignedText result;
    result.m_text = view(part);
    result.m_sourceBegin = toSource(part.begin);
    result.m_sourceEnd = toSource(part.end);
    if (!m_source.empty())
        result.m_source.assign(m_source.begin() + static_cast<std::ptrdiff_t>(part.begin),
                               m_source.begin() + static_cast<std::ptrdiff_t>(part.end));
    return result;
}

AlignedWriter::AlignedWriter(const AlignedText &from) : m_from(from)
{
    m_to.m_sourceBegin = from.toSource(0);
    m_to.m_sourceEnd = from.m_sourceEnd;
    m_to.m_text.reserve(from.m_text.size() + from.m_text.size() / 4);
    m_to.m_source.reserve(m_to.m_text.capacity());
}

void AlignedWriter::keep(Span part)
{
    rewrite(m_from.view(part), part);
}

void AlignedWriter::put(std::string_view bytes, size_t at)
{
    m_to.m_text += bytes;
    m_to.m_source.insert(m_to.m_source.end(), bytes.size(), static_cast<uint32_t>(m_from.toSource(at)));
}

void AlignedWriter::rewrite(std::string_view bytes, Span of)
{
    m_to.m_text += bytes;
    for (size_t i = 0; i < bytes.size(); ++i)
        m_to.m_source.push_back(static_cast<uint32_t>(m_from.toSource(std::min(of.begin + i, of.end))));
}

} // namespace rentune::text
