// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "core/base/units.h"
#include "core/wire/job_spec.h"

namespace rentune::trainer {

/// When to save: every `every_steps` steps or `every_minutes` minutes, whichever comes first; where the job
/// states neither, at Young's interval √(2·M·C) (Young 1974) with C the pause the last save cost and M the
/// time between interruptions. Steps that end a run are saved by the loop whatever this says.
class SavePolicy
{
public:
    /// `clock` must outlive the policy.
    SavePolicy(const wire::CheckpointSpec &spec, const Clock &clock);

    /// `stepsDone`: optimizer steps finished, ≥ 1.
    bool due(int64_t stepsDone) const;
    /// Tells of a save that just ended and how long training stood still for it.
    void saved(Seconds pause);

private:
    Seconds interval() const;

    int64_t m_everySteps;
    Seconds m_every;
    const Clock &m_clock;
    Seconds m_pause = 1; ///< a guess until the first save is measured
    Seconds m_lastSave;
};

} // namespace rentune::trainer
