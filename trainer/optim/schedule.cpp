// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rentune::trainer {

LearningRate::LearningRate(const wire::TrainingSpec &training, int64_t totalSteps)
    : m_scheduler(training.scheduler), m_base(training.learningRate), m_warmup(training.warmupSteps),
      m_total(totalSteps)
{
    if (m_warmup <= 0)
        m_warmup = static_cast<int64_t>(std::ceil(training.warmupRatio * static_cast<double>(totalSteps)));
}

double LearningRate::at(int64_t step) const
{
    if (step < m_warmup)
        return m_base * static_cast<double>(step) / static_cast<double>(std::max<int64_t>(1, m_warmup));
    const double progress =
        static_cast<double>(step - m_warmup) / static_cast<double>(std::max<int64_t>(1, m_total - m_warmup));
    switch (m_scheduler) {
    case wire::Scheduler::Cosine:
        return m_base * std::max(0.0, 0.5 * (1 + std::cos(std::numbers::pi * progress)));
    case wire::Scheduler::Linear:
        return m_base * std::max(0.0, 1 - progress);
    case wire::Scheduler::Constant:
        break;
    }
    return m_base;
}

} // namespace rentune::trainer
