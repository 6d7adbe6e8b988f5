// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/charts/live_chart.h"
#include "core/wire/event.h"

#include <array>
#include <vector>

class QCheckBox;
class QLabel;
class QSlider;

namespace rentune::app {

class Surface;
class Text;

/// The curves of one run: loss with its evaluation and marks, and four small charts that share its crosshair.
class RunCharts final : public QObject
{
    Q_OBJECT
public:
    explicit RunCharts(QObject *parent = nullptr);
    QWidget *lossPanel() const;
    QWidget *smallPanel(int index) const; ///< 0…3: tokens/s, memory, gradient norm, learning rate
    static constexpr int smallCount = 4;

    void clear();
    void add(const std::vector<wire::Event> &events);
    void setPlanned(qint64 steps, double tokensPerSecond,
                    double memoryBytes); ///< 0 where the plan says nothing
    const Series &loss() const;
    void retranslate();

private:
    enum Small
    {
        Speed,
        Memory,
        GradNorm,
        LearningRate
    };
    void addStep(const Json &fields);

    Surface *m_lossPanel;
    LiveChart *m_loss;
    QCheckBox *m_raw;
    QCheckBox *m_log;
    QSlider *m_smooth;
    Text *m_smoothLabel;
    QLabel *m_legend;
    std::array<Surface *, smallCount> m_panels;
    std::array<LiveChart *, smallCount> m_small;
    std::vector<Mark> m_marks;
};

} // namespace rentune::app
