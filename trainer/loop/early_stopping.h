// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/wire/job_spec.h"

#include <limits>

namespace rentune::trainer {

/// Ends a run whose evaluation loss no longer falls, as transformers' EarlyStoppingCallback: `patience`
/// evaluations in a row that are not more than `delta` below the lowest before them.
class EarlyStopping
{
public:
    explicit EarlyStopping(wire::EarlyStoppingSpec spec) : m_spec(spec) {}

    void note(double loss)
    {
        m_without = loss < m_best && m_best - loss > m_spec.delta ? 0 : m_without + 1;
        m_best = loss < m_best ? loss : m_best;
    }
    bool reached() const { return m_spec.patience > 0 && m_without >= m_spec.patience; }

    Json state() const
    {
        return {{"best", m_without == noneSeen ? Json() : Json(m_best)}, {"without", m_without}};
    }
    void restore(const Json &state)
    {
        if (state.is_object() && state.value("best", Json()).is_number()) {
            m_best = state["best"].get<double>();
            m_without = state.value("without", 0);
        }
    }

private:
    static constexpr int noneSeen = -1; ///< the first evaluation is the one to beat
    wire::EarlyStoppingSpec m_spec;
    double m_best = std::numeric_limits<double>::max();
    int m_without = noneSeen;
};

} // namespace rentune::trainer
