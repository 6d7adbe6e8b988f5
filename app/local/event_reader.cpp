// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/local/event_reader.h"

#include "core/base/units.h"

#include <fmt/format.h>

#include <fstream>

namespace rentune::app {
namespace {

constexpr size_t pieceBytes = 4 * MiB;

} // namespace

EventReader::EventReader(std::filesystem::path file, int64_t fromSeq)
    : m_file(std::move(file)), m_fromSeq(fromSeq)
{
}

Result<std::vector<wire::Event>> EventReader::readNew()
{
    RENTUNE_CHECK(readBytes());
    std::vector<wire::Event> events;
    size_t begin = 0;
    for (size_t end = m_tail.find('\n'); end != std::string::npos; end = m_tail.find('\n', begin)) {
        const auto taken = take(m_tail.substr(begin, end - begin), events);
        if (!taken && events.empty())
            return taken.error();
        if (!taken)
            break;
        begin = end + 1;
    }
    m_tail.erase(0, begin);
    return events;
}

/// Appends new bytes to the tail. A resumed trainer cuts a line that a kill had torn: then only the tail is
/// read anew.
Result<void> EventReader::readBytes()
{
    std::error_code missing;
    const auto size = static_cast<int64_t>(std::filesystem::file_size(m_file, missing));
    if (missing || size == m_offset)
        return {};
    if (size < m_offset) {
        m_offset -= static_cast<int64_t>(m_tail.size());
        m_tail.clear();
    }
    std::ifstream stream(m_file, std::ios::binary);
    stream.seekg(m_offset);
    const size_t before = m_tail.size();
    m_tail.resize(before + pieceBytes);
    stream.read(m_tail.data() + before, pieceBytes);
    if (!stream && !stream.eof())
        return Error{ErrorCode::FileRead, "can't be read", m_file.string()};
    m_tail.resize(before + static_cast<size_t>(stream.gcount()));
    m_offset += stream.gcount();
    return {};
}

Result<void> EventReader::take(const std::string &line, std::vector<wire::Event> &events)
{
    auto event = wire::decodeEvent(line);
    if (!event)
        return Error{event.error().code, event.error().detail, m_file.string(), m_nextSeq + 1};
    if (event->seq != m_nextSeq)
        return Error{ErrorCode::WireFormat,
                     fmt::format("event {} stands where {} is due", event->seq, m_nextSeq), m_file.string(),
                     m_nextSeq + 1};
    ++m_nextSeq;
    if (event->seq >= m_fromSeq)
        events.push_back(std::move(event).value());
    return {};
}

} // namespace rentune::app
