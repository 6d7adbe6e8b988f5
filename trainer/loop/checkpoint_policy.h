// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/units.h"
#include "core/wire/job_spec.h"

#include <cstdint>

namespace rentune::trainer {

/// Decides after which steps a checkpoint is due: every N steps, every N minutes, whichever comes first; with
/// neither stated, by Young's interval √(2 · M · C) with M the mean time between failures and C the time of a
/// save.
class CheckpointPolicy
{
public:
    /// M where nothing is known of the machine: a failure a day.
    static constexpr Seconds meanTimeBetweenFailures = 24 * 3600;

    CheckpointPolicy(const wire::CheckpointSpec &spec, Seconds now);

    /// `step`: optimizer steps done so far.
    bool due(int64_t step, Seconds now) const;
    void saved(Seconds now, Seconds duration);

private:
    int64_t m_everySteps;
    Seconds m_everySeconds; ///< 0: none stated
    bool m_young;
    Seconds m_last;
    Seconds m_cost = 1; ///< a guess until the first save is measured
};

} // namespace rentune::trainer
