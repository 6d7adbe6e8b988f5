// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/widgets/controls.h"
#include "core/plan/plan.h"

class QGridLayout;

namespace rentune::app {

/// What would make an infeasible plan fit, nearest first, each with its own button.
class RelaxList final : public QWidget
{
    Q_OBJECT
public:
    explicit RelaxList(QWidget *parent = nullptr);
    void setPlan(const plan::Plan &plan);

Q_SIGNALS:
    void applied(const rentune::plan::Relax &relax);

private:
    void addRow(int row, const plan::Relax &relax, Bytes capacity);

    Surface *m_panel;
    QGridLayout *m_grid;
};

} // namespace rentune::app
