// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/empty_runs.h"

#include "app/widgets/controls.h"

#include <QEvent>
#include <QPainter>
#include <QPainterPath>
#include <QVBoxLayout>

#include <cmath>

namespace rentune::app {

/// The curve that will be drawn here.
class EmptyRuns::Sketch final : public QWidget
{
public:
    Sketch() { setFixedHeight(130); }
    void setCaption(const QString &caption)
    {
        m_caption = caption;
        update();
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        const Tokens &t = tokens();
        QPainter painter(this);
        painter.setPen(t.line);
        for (int y = 10; y < height() - 10; y += 34)
            painter.drawLine(1, y, width(), y);
        painter.setPen(t.line2);
        painter.drawLine(0, 0, 0, height() - 1);
        painter.drawLine(0, height() - 1, width(), height() - 1);
        QPainterPath curve;
        for (int x = 4; x < width() - 4; x += 4) {
            const double y = 12 + (height() - 26) * (1 - std::exp(-5.0 * x / width()));
            x == 4 ? curve.moveTo(x, y) : curve.lineTo(x, y);
        }
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(t.control, 2, Qt::DashLine));
        painter.drawPath(curve);
        painter.setFont(typeFont(Type::Note));
        painter.setPen(t.text2);
        painter.drawText(rect().adjusted(0, 0, -4, -24), Qt::AlignRight | Qt::AlignBottom, m_caption);
    }

private:
    QString m_caption;
};

EmptyRuns::EmptyRuns(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("emptyRuns"));
    auto *holder = new QWidget;
    holder->setFixedWidth(640);
    auto *column = new QVBoxLayout(holder);
    column->setSpacing(metrics::gap);
    m_sketch = new Sketch;
    m_title = new Text(Type::Failure, Text::Role::Primary, true);
    m_text = new Text(Type::Body, Text::Role::Secondary);
    m_text->setWordWrap(true);
    m_plan = primaryButton();
    m_plan->setObjectName(QStringLiteral("goToPlan"));
    column->addWidget(m_sketch);
    column->addSpacing(24);
    column->addWidget(m_title);
    column->addWidget(m_text);
    column->addWidget(m_plan, 0, Qt::AlignLeft);
    auto *outer = new QVBoxLayout(this);
    outer->addStretch(1);
    outer->addWidget(holder, 0, Qt::AlignHCenter);
    outer->addStretch(1);
    connect(m_plan, &QPushButton::clicked, this, &EmptyRuns::planAsked);
    retranslate();
}

void EmptyRuns::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

void EmptyRuns::retranslate()
{
    m_sketch->setCaption(tr("the loss will be drawn here"));
    m_title->setText(tr("No runs yet"));
    m_text->setText(
        tr("Once a run has started, its loss, memory and speed are shown here as they come. Closing the "
           "window does not matter: a run is a process of its own, and its whole curve is there when you "
           "come back."));
    m_plan->setText(tr("Plan a run"));
}

} // namespace rentune::app
