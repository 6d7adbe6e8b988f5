// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/local/run_history.h"
#include "core/wire/job_spec.h"

#include <QString>

namespace rentune::app {

/// Loss over the steps in `columns` block characters; steps without a finite loss are blanks.
QString sparkline(const std::vector<StepPoint> &steps, int columns);

/// A bar of `columns` characters.
QString bar(double share, int columns);

/// The progress of a run on stdout: one line drawn over and over on a terminal, a new line each tenth
/// elsewhere.
class Progress
{
public:
    Progress(int64_t totalSteps, wire::PriceSpec price, bool visible);

    void show(const RunHistory &history);
    /// Leaves the line that is drawn over.
    void end();

    /// "[████░░░░] 12/64 · loss 1.83 · 410 tokens/s · 2 min left · ¥0.02 of ¥0.05"
    QString line(const RunHistory &history) const;

private:
    int64_t m_totalSteps;
    wire::PriceSpec m_price;
    bool m_visible;
    bool m_terminal;
    bool m_open = false;
    int64_t m_shownTenth = 0;
};

} // namespace rentune::app
