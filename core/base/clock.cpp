// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/clock.h"

#include <chrono>

namespace rentune {
namespace {

class SystemClock : public Clock
{
public:
    int64_t nowMicros() const override
    {
        using namespace std::chrono;
        return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
    }

    double monotonicSeconds() const override
    {
        using namespace std::chrono;
        return duration<double>(steady_clock::now().time_since_epoch()).count();
    }
};

} // namespace

const Clock &systemClock()
{
    static const SystemClock clock;
    return clock;
}

} // namespace rentune
