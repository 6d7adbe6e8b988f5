// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_charts.h"

#include "app/text/format.h"
#include "app/text/words.h"
#include "app/widgets/controls.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QVBoxLayout>

#include <cmath>

namespace rentune::app {
namespace {

constexpr std::array<int, RunCharts::smallCount> colors = {0, 3, 4, 2};
constexpr int startSmoothing = 93;

double real(const Json &fields, const char *key)
{
    const auto found = fields.find(key);
    return found != fields.end() && found->is_number() ? found->get<double>() : std::nan("");
}

} // namespace

RunCharts::RunCharts(QObject *parent) : QObject(parent)
{
    m_lossPanel = new Surface;
    m_loss = new LiveChart(LiveChart::Size::Large);
    m_loss->setObjectName(QStringLiteral("lossChart"));
    m_loss->setSmoothed(true);
    m_raw = new QCheckBox;
    m_raw->setChecked(true);
    m_log = new QCheckBox;
    m_smoothLabel = new Text(Type::Note, Text::Role::Secondary);
    m_smooth = new QSlider(Qt::Horizontal);
    m_smooth->setRange(0, 99);
    m_smooth->setValue(startSmoothing);
    m_smooth->setFixedWidth(90);
    m_legend = new QLabel;
    m_legend->setTextFormat(Qt::RichText);
    m_legend->setFont(typeFont(Type::Note));
    QHBoxLayout *row = m_lossPanel->headerRight();
    row->addWidget(m_legend);
    row->addWidget(m_raw);
    row->addWidget(m_smoothLabel);
    row->addWidget(m_smooth);
    row->addWidget(m_log);
    m_lossPanel->body()->addWidget(m_loss);
    for (int i = 0; i < smallCount; ++i) {
        m_panels[size_t(i)] = new Surface(false);
        m_small[size_t(i)] = new LiveChart(LiveChart::Size::Small);
        m_small[size_t(i)]->setColors(colors[size_t(i)]);
        m_panels[size_t(i)]->body()->addWidget(m_small[size_t(i)]);
        connect(m_loss, &LiveChart::crosshairMoved, m_small[size_t(i)], &LiveChart::setCrosshair);
        connect(m_small[size_t(i)], &LiveChart::crosshairMoved, m_loss, &LiveChart::setCrosshair);
    }
    connect(m_raw, &QCheckBox::toggled, m_loss, &LiveChart::setRawShown);
    connect(m_log, &QCheckBox::toggled, m_loss, &LiveChart::setLogAxis);
    connect(m_smooth, &QSlider::valueChanged, this, [this](int value) {
        m_loss->series().setSmoothing(value / 100.0);
        m_loss->dataChanged();
    });
    retranslate();
}

QWidget *RunCharts::lossPanel() const
{
    return m_lossPanel;
}

QWidget *RunCharts::smallPanel(int index) const
{
    return m_panels[size_t(index)];
}

const Series &RunCharts::loss() const
{
    return m_loss->series();
}

void RunCharts::clear()
{
    m_marks.clear();
    m_loss->clear();
    m_loss->series().setSmoothing(m_smooth->value() / 100.0);
    for (LiveChart *chart : m_small)
        chart->clear();
}

void RunCharts::setPlanned(qint64 steps, double tokensPerSecond, double memoryBytes)
{
    m_loss->setEndX(double(steps));
    m_small[Speed]->setPlanned(tokensPerSecond);
    m_small[Memory]->setPlanned(memoryBytes / double(GiB));
}

void RunCharts::addStep(const Json &fields)
{
    const double step = real(fields, "step");
    Series &loss = m_loss->series();
    if (!loss.empty() && step <= loss.lastX())
        m_marks.push_back({Mark::Kind::Rewind, step, tr("resumed")});
    loss.append(step, real(fields, "loss"));
    m_small[Speed]->series().append(step, real(fields, "tokens_per_second"));
    m_small[Memory]->series().append(step, real(fields, "mem_bytes") / double(GiB));
    m_small[GradNorm]->series().append(step, real(fields, "grad_norm"));
    m_small[LearningRate]->series().append(step, real(fields, "lr"));
}

void RunCharts::add(const std::vector<wire::Event> &events)
{
    for (const wire::Event &event : events) {
        const double now = m_loss->series().empty() ? 0 : m_loss->series().lastX();
        if (event.type == "step")
            addStep(event.fields);
        else if (event.type == "eval")
            m_loss->second().append(real(event.fields, "step"), real(event.fields, "loss"));
        else if (event.type == "checkpoint")
            m_marks.push_back(
                {Mark::Kind::Checkpoint, event.fields.contains("step") ? real(event.fields, "step") : now});
        else if (event.type == "notice")
            m_marks.push_back({Mark::Kind::Notice, now, eventText(QStringLiteral("notice"))});
        else if (event.type == "error")
            m_marks.push_back(
                {Mark::Kind::Failure, now, QString::fromStdString(event.fields.value("code", ""))});
    }
    m_loss->setMarks(m_marks);
    m_loss->dataChanged();
    for (LiveChart *chart : m_small)
        chart->dataChanged();
}

void RunCharts::retranslate()
{
    m_lossPanel->setTitle(tr("Loss"));
    m_loss->setTitle(tr("Loss"));
    m_raw->setText(tr("Raw"));
    m_log->setText(tr("Log axis"));
    m_smoothLabel->setText(tr("Smooth"));
    m_smooth->setAccessibleName(tr("Smooth"));
    const auto entry = [](const QColor &color, const QString &sign, const QString &name) {
        return QStringLiteral("<span style='color:%1'>%2</span>&nbsp;%3&nbsp;&nbsp;")
            .arg(color.name(), sign, name);
    };
    const Tokens &t = tokens();
    m_legend->setText(entry(t.curves[0], QStringLiteral("━"), tr("train")) +
                      entry(t.curves[3], QStringLiteral("■"), tr("eval")) +
                      entry(t.ok, QStringLiteral("▎"), tr("checkpoint")));
    m_small[Speed]->setTitle(tr("tokens/s"));
    m_small[Memory]->setTitle(tr("Memory GiB"));
    m_small[GradNorm]->setTitle(tr("Gradient norm"));
    m_small[LearningRate]->setTitle(tr("Learning rate"));
}

} // namespace rentune::app
