// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace rentune::wire {

inline constexpr int wireVersion = 1;

/// One line of events.jsonl: the stamp every event carries, and the fields of its type (interface contract).
/// The first event of a run is "hello" and carries the wire version; a reader that meets a newer one stops
/// there.
struct Event
{
    int64_t seq = 0;        ///< rises by one without gaps across restarts
    int64_t timeMicros = 0; ///< key `t_us`
    int attempt = 0;        ///< counts restarts
    std::string
        type; ///< hello, step, memory, checkpoint, eval, sample, cost, state, notice, log, error, done …
    Json fields =
        Json::object(); ///< the type's own keys; floats finite or null with "nonfinite" naming the key
};

/// One JSON line without the newline. Non-finite floats become null and are listed in "nonfinite".
std::string encodeEvent(const Event &event);

/// Errors: wire.format, wire.version (newer than wireVersion).
Result<Event> decodeEvent(std::string_view line);

/// State of a run that ended with `exitCode`: "done", "stopped" (on notice or by its budget: what was saved
/// can be gone on from) or "failed".
std::string_view endState(int exitCode);

/// JSON Schema (2020-12) of an event line.
Json eventSchema();

} // namespace rentune::wire
