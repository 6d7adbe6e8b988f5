// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/charts/series.h"

#include <QWidget>

#include <vector>

namespace rentune::app {

/// What stands on the time axis of a run.
struct Mark
{
    enum class Kind
    {
        Checkpoint,
        Notice,
        Failure,
        Rewind
    };
    Kind kind = Kind::Checkpoint;
    double x = 0;
    QString text{};
};

/// A curve that grows while a run goes on: raw values at 28 %, the smoothed curve over it, an optional second
/// curve (evaluation), marks, and a crosshair. Wheel zooms at the cursor, dragging selects a stretch, double
/// click shows all, the arrow keys move the crosshair. Large: with axis titles and legend-worthy detail;
/// small: for a column of them.
class LiveChart final : public QWidget
{
    Q_OBJECT
public:
    enum class Size
    {
        Large,
        Small
    };
    explicit LiveChart(Size size, QWidget *parent = nullptr);

    void setTitle(const QString &title);
    void setColors(int curve, int second = 3); ///< indices into Tokens::curves
    void setSmoothed(bool smoothed);           ///< shows the smoothed curve over the raw one
    void setEndX(double end);                  ///< where the run will end; 0 if unknown
    void setPlanned(double value);             ///< a dashed line; 0 = none
    void setMarks(std::vector<Mark> marks);
    void setLogAxis(bool logarithmic);
    void setRawShown(bool shown);

    Series &series() { return m_series; }
    Series &second() { return m_second; }
    void dataChanged(); ///< after appending to a series
    void clear();

    /// The crosshair's position, shared by the charts of a view; a NaN hides it.
    void setCrosshair(double x);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void crosshairMoved(double x);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void leaveEvent(QEvent *event) override;

private:
    struct View
    {
        QRectF plot;
        double fromX = 0, toX = 1, lowY = 0, highY = 1;
        bool logarithmic = false;
        double px(double x) const;
        double py(double y) const;
    };
    View view() const;
    double xAt(double pixel) const;
    void paintAxes(QPainter &painter, const View &v) const;
    void paintCurves(QPainter &painter, const View &v) const;
    void paintRaw(QPainter &painter, const View &v, const QColor &color) const;
    void paintMarks(QPainter &painter, const View &v) const;
    void paintCrosshair(QPainter &painter, const View &v) const;

    Size m_size;
    QString m_title;
    int m_color = 0;
    int m_secondColor = 3;
    bool m_smoothed = false;
    bool m_raw = true;
    bool m_log = false;
    double m_endX = 0;
    double m_planned = 0;
    std::vector<Mark> m_marks;
    Series m_series;
    Series m_second;
    double m_crosshair;
    double m_zoomFrom = 0;
    double m_zoomTo = 0; ///< equal to m_zoomFrom: everything is shown
    double m_dragFrom;
};

} // namespace rentune::app
