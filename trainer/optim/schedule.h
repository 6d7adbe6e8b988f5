// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/wire/job_spec.h"

#include <cstdint>

namespace rentune::trainer {

/// Learning rates as transformers' get_{constant,linear,cosine}_schedule_with_warmup give them.
class LearningRate
{
public:
    /// Warm-up steps beat the ratio; the ratio counts ⌈ratio · totalSteps⌉ steps.
    LearningRate(const wire::TrainingSpec &training, int64_t totalSteps);

    /// The rate used in optimizer step `step`, counted from 0. Rises linearly from 0 over the warm-up.
    double at(int64_t step) const;

private:
    wire::Scheduler m_scheduler;
    double m_base;
    int64_t m_warmup;
    int64_t m_total;
};

} // namespace rentune::trainer
