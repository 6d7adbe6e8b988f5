// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/wire/event.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rentune::app {

/// Reads a growing events.jsonl piece by piece: every event once, in order of `seq`, none before it is whole.
class EventReader
{
public:
    explicit EventReader(std::filesystem::path file, int64_t fromSeq = 0);

    /// The events written since the last call; empty if there are none or the file does not exist yet. At
    /// most some megabytes a call: call again while it gives events. Errors: file.read, and, once the events
    /// before it are given and then for good, wire.version or wire.format (a broken line or a gap in `seq`).
    Result<std::vector<wire::Event>> readNew();

private:
    Result<void> readBytes();
    Result<void> take(const std::string &line, std::vector<wire::Event> &events);

    std::filesystem::path m_file;
    int64_t m_fromSeq;
    int64_t m_nextSeq = 0;
    int64_t m_offset = 0; ///< bytes read
    std::string m_tail;   ///< bytes of a line that is not whole yet
};

} // namespace rentune::app
