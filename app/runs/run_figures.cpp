// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_figures.h"

#include "app/text/format.h"
#include "app/widgets/controls.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace rentune::app {
namespace {

double real(const Json &json, const char *key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

/// Mean seconds a step over the last hundred: follows changes without jumping.
double recentStepSeconds(const std::vector<StepPoint> &steps)
{
    double sum = 0;
    int count = 0;
    for (size_t i = steps.size(); i > 0 && count < 100; --i) {
        if (std::isfinite(steps[i - 1].seconds)) {
            sum += steps[i - 1].seconds;
            ++count;
        }
    }
    return count ? sum / count : 0;
}

QString difference(double measured, double planned)
{
    return planned > 0 && measured > 0
               ? RunFigures::tr("%1 against plan").arg(signedPercent(measured / planned - 1))
               : QString();
}

} // namespace

Planned plannedOf(const Json &plan)
{
    Planned planned;
    if (!plan.is_object())
        return planned;
    planned.steps = qint64(real(plan, "total_steps"));
    planned.stepSeconds = real(plan, "step_seconds");
    planned.tokensPerSecond = real(plan, "tokens_per_second");
    planned.totalSeconds = real(plan, "total_seconds");
    if (const auto memory = plan.find("memory"); memory != plan.end() && memory->is_object()) {
        if (const auto bytes = memory->find("per_gpu_bytes"); bytes != memory->end() && bytes->is_object())
            planned.memoryBytes = real(*bytes, "expected");
    }
    return planned;
}

RunFigures::RunFigures(QWidget *parent) : QFrame(parent)
{
    setObjectName(QStringLiteral("runFigures"));
    setFixedHeight(84);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (Cell &cell : m_cells) {
        auto *column = new QVBoxLayout;
        column->setContentsMargins(14, 8, 14, 10);
        column->setSpacing(0);
        cell.name = new Text(Type::Note, Text::Role::Secondary);
        cell.value = new Text(Type::Key, Text::Role::Primary, true);
        cell.note = new Text(Type::Note, Text::Role::Secondary);
        column->addWidget(cell.name);
        column->addWidget(cell.value);
        column->addWidget(cell.note);
        row->addLayout(column, 1);
    }
}

void RunFigures::show(const RunHistory &history, const Planned &planned, double smoothedLoss, bool active)
{
    m_cells[Progress].name->setText(tr("Progress"));
    m_cells[Finish].name->setText(active ? tr("Finish") : tr("Took"));
    m_cells[Speed].name->setText(tr("Speed"));
    m_cells[Memory].name->setText(tr("Peak memory"));
    m_cells[Loss].name->setText(tr("Loss (smoothed)"));

    const qint64 step = history.lastStep();
    m_progress = planned.steps > 0 ? std::min(double(step) / double(planned.steps), 1.0) : 0;
    m_cells[Progress].value->setText(planned.steps > 0 ? percent(m_progress) : grouped(step));
    m_cells[Progress].note->setText(
        planned.steps > 0 ? tr("step %1 of %2").arg(grouped(step), grouped(planned.steps)) : tr("steps"));

    const double perStep = recentStepSeconds(history.steps());
    const double elapsed = double(history.lastMicros() - history.startedMicros()) / 1e6;
    if (active && planned.steps > 0 && perStep > 0) {
        const double left = perStep * double(planned.steps - step);
        const QDateTime now = QDateTime::currentDateTime();
        m_cells[Finish].value->setText(moment(now.addSecs(qint64(left)), now));
        m_cells[Finish].note->setText(tr("%1 left").arg(span(left)));
    } else {
        m_cells[Finish].value->setText(history.empty() ? unknown() : span(elapsed));
        m_cells[Finish].note->setText(
            planned.totalSeconds > 0 ? tr("planned %1").arg(span(planned.totalSeconds)) : QString());
    }

    const double speed = history.steps().empty() ? std::nan("") : history.steps().back().tokensPerSecond;
    m_cells[Speed].value->setText(std::isfinite(speed) ? tr("%1 tokens/s").arg(significant(speed, 3))
                                                       : unknown());
    m_cells[Speed].note->setText(difference(speed, planned.tokensPerSecond));
    const double peak = history.peakMemoryBytes();
    m_cells[Memory].value->setText(peak > 0 ? gib(Bytes(peak), 2) : unknown());
    m_cells[Memory].note->setText(difference(peak, planned.memoryBytes));
    m_cells[Loss].value->setText(significant(smoothedLoss));
    m_cells[Loss].note->setText(
        history.evals().empty() ? QString() : tr("eval %1").arg(significant(history.evals().back().loss)));
    update();
}

void RunFigures::paintEvent(QPaintEvent *)
{
    const Tokens &t = tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(t.line);
    painter.setBrush(t.surf);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), metrics::panelRadius,
                            metrics::panelRadius);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double cell = double(width()) / double(int(FigureCount));
    for (int i = 1; i < FigureCount; ++i)
        painter.fillRect(QRectF(std::round(i * cell), 1, 1, height() - 2), t.line);
    const QRectF bar(14, height() - 9, cell - 28, 4);
    painter.fillRect(bar, t.sunk);
    painter.fillRect(QRectF(bar.topLeft(), QSizeF(bar.width() * m_progress, bar.height())), t.accentText);
}

} // namespace rentune::app
