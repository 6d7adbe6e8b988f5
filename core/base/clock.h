// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace rentune {

/// Time as a constructor argument, so that tests can own it.
class Clock
{
public:
    virtual ~Clock() = default;
    /// Microseconds since the Unix epoch (UTC).
    virtual int64_t nowMicros() const = 0;
    /// Seconds on a clock that never steps back; only differences mean anything.
    virtual double monotonicSeconds() const = 0;
};

/// The machine's clocks. Thread-safe.
const Clock &systemClock();

} // namespace rentune
