// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/measured_table.h"

#include "app/text/format.h"

#include <QGridLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <functional>

namespace rentune::app {
namespace {

/// A difference of more than this is worth a colour.
constexpr double noteworthy = 0.05;

double medianStep(const std::vector<StepPoint> &steps, double StepPoint::*field)
{
    std::vector<double> values;
    for (const StepPoint &step : steps) {
        if (std::isfinite(step.*field))
            values.push_back(step.*field);
    }
    if (values.empty())
        return 0;
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace

MeasuredTable::MeasuredTable(QWidget *parent) : QWidget(parent), m_panel(new Surface(true, this))
{
    setObjectName(QStringLiteral("measuredTable"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_panel);
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(14);
    grid->setColumnStretch(0, 1);
    m_panel->body()->addLayout(grid);
    for (int row = 0; row < RowCount; ++row) {
        for (int cell = 0; cell < 4; ++cell) {
            const auto role = row == Header || cell == 0 ? Text::Role::Secondary : Text::Role::Primary;
            auto *text = new Text(row == Header ? Type::Note : Type::Body, role);
            text->setAlignment(Qt::AlignVCenter | (cell == 0 ? Qt::AlignLeft : Qt::AlignRight));
            grid->addWidget(text, row, cell);
            m_cells[size_t(row)][size_t(cell)] = text;
        }
    }
}

void MeasuredTable::show(const RunHistory &history, const Planned &planned)
{
    m_panel->setTitle(tr("Plan vs measured"));
    const auto put = [this](Row row, int cell, const QString &text) {
        m_cells[size_t(row)][size_t(cell)]->setText(text);
    };
    put(Header, 1, tr("Plan"));
    put(Header, 2, tr("Measured"));
    put(Header, 3, tr("Diff."));
    const auto line = [&](Row row, const QString &name, double plan, double measured,
                          const std::function<QString(double)> &spell) {
        put(row, 0, name);
        put(row, 1, plan > 0 ? spell(plan) : unknown());
        put(row, 2, measured > 0 ? spell(measured) : unknown());
        const bool both = plan > 0 && measured > 0;
        const double share = both ? measured / plan - 1 : 0;
        put(row, 3, both ? signedPercent(share) : unknown());
        m_cells[size_t(row)][3]->setRole(std::abs(share) > noteworthy ? Text::Role::Warn
                                                                      : Text::Role::Primary);
    };
    const double elapsed = double(history.lastMicros() - history.startedMicros()) / 1e6;
    const bool whole = history.ending().exit == 0;
    line(StepTime, tr("Step time"), planned.stepSeconds, medianStep(history.steps(), &StepPoint::seconds),
         [](double v) { return significant(v, 3) + QStringLiteral(" s"); });
    line(Speed, tr("Tokens/s"), planned.tokensPerSecond,
         medianStep(history.steps(), &StepPoint::tokensPerSecond),
         [](double v) { return significant(v, 3); });
    line(Memory, tr("Memory peak"), planned.memoryBytes, history.peakMemoryBytes(),
         [](double v) { return gib(Bytes(v), 2); });
    line(Total, tr("In all"), planned.totalSeconds, whole ? elapsed : 0, [](double v) { return span(v); });
}

} // namespace rentune::app
