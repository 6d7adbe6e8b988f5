// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runs/run_figures.h"
#include "app/widgets/controls.h"

#include <array>

namespace rentune::app {

/// Planned against measured: one row a figure, with the difference.
class MeasuredTable final : public QWidget
{
    Q_OBJECT
public:
    explicit MeasuredTable(QWidget *parent = nullptr);
    void show(const RunHistory &history, const Planned &planned);

private:
    enum Row
    {
        Header,
        StepTime,
        Speed,
        Memory,
        Total,
        RowCount
    };
    Surface *m_panel;
    std::array<std::array<Text *, 4>, RowCount> m_cells;
};

} // namespace rentune::app
