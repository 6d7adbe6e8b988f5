// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/save_policy.h"

#include <cmath>
#include <limits>

namespace rentune::trainer {
namespace {

/// Time between interruptions of a spot node is hours, of an own machine weeks; the shorter one is planned
/// for.
constexpr Seconds meanTimeBetweenInterruptions = 4 * 3600;

} // namespace

SavePolicy::SavePolicy(const wire::CheckpointSpec &spec, const Clock &clock)
    : m_everySteps(spec.everySteps), m_every(spec.everyMinutes * 60), m_clock(clock),
      m_lastSave(clock.monotonicSeconds())
{
}

Seconds SavePolicy::interval() const
{
    if (m_every > 0)
        return m_every;
    if (m_everySteps > 0)
        return std::numeric_limits<Seconds>::infinity();
    return std::sqrt(2 * meanTimeBetweenInterruptions * m_pause);
}

bool SavePolicy::due(int64_t stepsDone) const
{
    if (m_everySteps > 0 && stepsDone % m_everySteps == 0)
        return true;
    return m_clock.monotonicSeconds() - m_lastSave >= interval();
}

void SavePolicy::saved(Seconds pause)
{
    m_pause = pause;
    m_lastSave = m_clock.monotonicSeconds();
}

} // namespace rentune::trainer
