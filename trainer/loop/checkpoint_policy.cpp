// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/loop/checkpoint_policy.h"

#include <cmath>

namespace rentune::trainer {

CheckpointPolicy::CheckpointPolicy(const wire::CheckpointSpec &spec, Seconds now)
    : m_everySteps(spec.everySteps), m_everySeconds(spec.everyMinutes * 60),
      m_young(spec.everySteps <= 0 && spec.everyMinutes <= 0), m_last(now)
{
}

bool CheckpointPolicy::due(int64_t step, Seconds now) const
{
    if (m_young)
        return now - m_last >= std::sqrt(2 * meanTimeBetweenFailures * m_cost);
    return (m_everySteps > 0 && step % m_everySteps == 0) ||
           (m_everySeconds > 0 && now - m_last >= m_everySeconds);
}

void CheckpointPolicy::saved(Seconds now, Seconds duration)
{
    m_last = now;
    m_cost = duration;
}

} // namespace rentune::trainer
