// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"

#include <QWidget>

namespace rentune::app {

/// A device's memory as one stacked bar against its capacity: parts in fixed order and colour, the low–high
/// bracket under it, the capacity as a red line that an infeasible plan overshoots, and the legend in four
/// families.
class VramBar final : public QWidget
{
    Q_OBJECT
public:
    explicit VramBar(QWidget *parent = nullptr);
    void setPlan(const plan::Plan &plan, const QString &device);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void paintBar(QPainter &painter, const QRectF &plot) const;
    void paintAxis(QPainter &painter, const QRectF &plot) const;
    int layoutLegend(QPainter *painter, int top,
                     int width) const; ///< returns the height; paints if a painter is given
    QString table() const;
    double scaleEnd() const;

    plan::Plan m_plan;
    QString m_device;
};

} // namespace rentune::app
