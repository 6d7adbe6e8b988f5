// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/local/run_history.h"
#include "core/base/units.h"

#include <QFrame>

#include <array>

namespace rentune::app {

class Text;

/// What a run was planned to be, as far as its plan says; zeros where it does not.
struct Planned
{
    qint64 steps = 0;
    double stepSeconds = 0;
    double tokensPerSecond = 0;
    double memoryBytes = 0;
    double totalSeconds = 0;
};

/// Reads what plan::planJson wrote; anything else gives zeros.
Planned plannedOf(const Json &plan);

/// The key figures of a run in one row.
class RunFigures final : public QFrame
{
    Q_OBJECT
public:
    explicit RunFigures(QWidget *parent = nullptr);
    void show(const RunHistory &history, const Planned &planned, double smoothedLoss, bool active);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    enum Figure
    {
        Progress,
        Finish,
        Speed,
        Memory,
        Loss,
        FigureCount
    };
    struct Cell
    {
        Text *name, *value, *note;
    };
    std::array<Cell, FigureCount> m_cells;
    double m_progress = 0;
};

} // namespace rentune::app
