// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/live_chart.h"

#include "app/charts/axis.h"
#include "app/text/format.h"
#include "app/widgets/tokens.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QWheelEvent>

#include <cmath>
#include <limits>

namespace rentune::app {
namespace {

constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
constexpr double smallestLog = 1e-12;

QColor markColor(Mark::Kind kind)
{
    const Tokens &t = tokens();
    switch (kind) {
    case Mark::Kind::Checkpoint:
        return t.ok;
    case Mark::Kind::Notice:
        return t.warn;
    case Mark::Kind::Failure:
        return t.error;
    case Mark::Kind::Rewind:
        return t.curves[0];
    }
    return t.text1;
}

QString tickText(double value, double span)
{
    if (value != 0 && std::abs(value) < 1e-3)
        return smallNumber(value);
    const int decimals = span >= 20 ? 0 : span >= 2 ? 1 : span >= 0.2 ? 2 : 3;
    static const QLocale grouping(QLocale::English, QLocale::UnitedStates);
    return grouping.toString(value, 'f', decimals);
}

} // namespace

double LiveChart::View::px(double x) const
{
    return plot.left() + (x - fromX) / (toX - fromX) * plot.width();
}

double LiveChart::View::py(double y) const
{
    const double value = logarithmic ? std::log10(std::max(y, smallestLog)) : y;
    return plot.bottom() - (value - lowY) / (highY - lowY) * plot.height();
}

LiveChart::LiveChart(Size size, QWidget *parent)
    : QWidget(parent), m_size(size), m_crosshair(nowhere), m_dragFrom(nowhere)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void LiveChart::setTitle(const QString &title)
{
    m_title = title;
    setAccessibleName(title);
    update();
}

void LiveChart::setColors(int curve, int second)
{
    m_color = curve;
    m_secondColor = second;
}

void LiveChart::setSmoothed(bool smoothed)
{
    m_smoothed = smoothed;
    update();
}

void LiveChart::setEndX(double end)
{
    m_endX = end;
    update();
}

void LiveChart::setPlanned(double value)
{
    m_planned = value;
    update();
}

void LiveChart::setMarks(std::vector<Mark> marks)
{
    m_marks = std::move(marks);
    update();
}

void LiveChart::setLogAxis(bool logarithmic)
{
    m_log = logarithmic;
    update();
}

void LiveChart::setRawShown(bool shown)
{
    m_raw = shown;
    update();
}

void LiveChart::dataChanged()
{
    if (!m_series.empty())
        setAccessibleDescription(
            tr("%1 points, now %2").arg(grouped(qint64(m_series.size())), significant(m_series.lastY())));
    update();
}

void LiveChart::clear()
{
    m_series.clear();
    m_second.clear();
    m_marks.clear();
    m_zoomFrom = m_zoomTo = 0;
    m_endX = m_planned = 0;
    update();
}

void LiveChart::setCrosshair(double x)
{
    m_crosshair = x;
    update();
}

QSize LiveChart::sizeHint() const
{
    return m_size == Size::Large ? QSize(800, 300) : QSize(320, 108);
}

QSize LiveChart::minimumSizeHint() const
{
    return m_size == Size::Large ? QSize(320, 160) : QSize(200, 84);
}

LiveChart::View LiveChart::view() const
{
    View v;
    const bool large = m_size == Size::Large;
    v.plot = QRectF(large ? 48 : 50, large ? 10 : 28, width() - (large ? 62 : 62), 0);
    v.plot.setBottom(height() - (large ? 24 : 20));
    v.logarithmic = m_log;
    if (m_zoomTo > m_zoomFrom) {
        v.fromX = m_zoomFrom;
        v.toX = m_zoomTo;
    } else {
        v.fromX = m_series.empty() || m_series.firstX() <= 1 ? 0 : m_series.firstX();
        v.toX = std::max({m_endX, m_series.empty() ? 0 : m_series.lastX(), v.fromX + 1});
    }
    double low = 0, high = 1;
    bool any = m_series.bounds(v.fromX, v.toX, low, high);
    if (double l, h; m_second.bounds(v.fromX, v.toX, l, h)) {
        low = any ? std::min(low, l) : l;
        high = any ? std::max(high, h) : h;
        any = true;
    }
    if (!any)
        low = 0, high = 1;
    if (m_planned > 0) {
        low = std::min(low, m_planned);
        high = std::max(high, m_planned);
    }
    if (m_log) {
        low = std::log10(std::max(low, smallestLog));
        high = std::log10(std::max(high, smallestLog));
    } else if (!large) {
        low = std::min(low, 0.0);
    }
    const double pad = std::max((high - low) * 0.06, std::max(std::abs(high) * 1e-3, 1e-12));
    v.lowY = !m_log && low >= 0 && low - pad < 0 ? 0 : low - pad;
    v.highY = high + pad;
    return v;
}

double LiveChart::xAt(double pixel) const
{
    const View v = view();
    return v.fromX + (pixel - v.plot.left()) / v.plot.width() * (v.toX - v.fromX);
}

void LiveChart::paintEvent(QPaintEvent *)
{
    const Tokens &t = tokens();
    QPainter painter(this);
    const View v = view();
    if (v.plot.width() < 20 || v.plot.height() < 10)
        return;
    if (m_size == Size::Small) {
        painter.setFont(typeFont(Type::Note));
        painter.setPen(t.text2);
        painter.drawText(QRect(0, 0, width(), 24), Qt::AlignVCenter, m_title);
        painter.setFont(typeFont(Type::Body, true));
        painter.setPen(t.text1);
        painter.drawText(QRect(0, 0, width(), 24), Qt::AlignVCenter | Qt::AlignRight,
                         m_series.empty() ? unknown() : smallNumber(m_series.lastY()));
    }
    paintAxes(painter, v);
    painter.save();
    painter.setClipRect(v.plot.adjusted(-1, -2, 1, 1));
    paintCurves(painter, v);
    painter.restore();
    paintMarks(painter, v);
    paintCrosshair(painter, v);
    if (hasFocus()) {
        painter.setPen(QPen(t.accentText, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void LiveChart::paintAxes(QPainter &painter, const View &v) const
{
    const Tokens &t = tokens();
    const bool large = m_size == Size::Large;
    if (large && !m_series.empty() && m_series.lastX() < v.toX && m_series.lastX() >= v.fromX)
        painter.fillRect(QRectF(QPointF(v.px(m_series.lastX()), v.plot.top()), v.plot.bottomRight()), t.sunk);
    painter.setFont(typeFont(Type::Axis));
    const double spanY = v.highY - v.lowY;
    for (const double tick : niceTicks(v.lowY, v.highY, large ? 6 : 2)) {
        const double y = std::round(v.plot.bottom() - (tick - v.lowY) / spanY * v.plot.height()) + 0.5;
        painter.setPen(t.line);
        painter.drawLine(QPointF(v.plot.left(), y), QPointF(v.plot.right(), y));
        painter.setPen(t.text3);
        const QString text = v.logarithmic ? smallNumber(std::pow(10.0, tick)) : tickText(tick, spanY);
        painter.drawText(QRectF(0, y - 8, v.plot.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter, text);
    }
    painter.setPen(t.line2);
    painter.drawLine(QPointF(v.plot.left(), std::round(v.plot.bottom()) + 0.5),
                     QPointF(v.plot.right(), std::round(v.plot.bottom()) + 0.5));
    painter.setPen(t.text3);
    const auto ticks = niceTicks(v.fromX, v.toX, large ? 6 : 2);
    for (const double tick : ticks) {
        QRectF place(v.px(tick) - 40, v.plot.bottom() + 3, 80, 16);
        place.moveRight(std::min(place.right(), double(width())));
        painter.drawText(place, Qt::AlignHCenter, grouped(qint64(std::llround(tick))));
    }
    if (m_planned > 0) {
        painter.setPen(QPen(t.text3, 1, Qt::DashLine));
        const double y = std::round(v.py(m_planned)) + 0.5;
        painter.drawLine(QPointF(v.plot.left(), y), QPointF(v.plot.right(), y));
    }
}

void LiveChart::paintRaw(QPainter &painter, const View &v, const QColor &color) const
{
    const auto columns = m_series.columns(v.fromX, v.toX, int(v.plot.width()));
    QList<QPointF> line;
    line.reserve(qsizetype(columns.size()) * 4);
    for (const Column &column : columns) {
        const double x = v.plot.left() + column.pixel + 0.5;
        line.append({x, v.py(column.first)});
        if (column.high != column.low) {
            line.append({x, v.py(column.low)});
            line.append({x, v.py(column.high)});
        }
        line.append({x, v.py(column.last)});
    }
    painter.setPen(QPen(color, 1));
    painter.drawPolyline(line.constData(), int(line.size()));
    if (columns.size() == 1)
        painter.fillRect(QRectF(line.front() - QPointF(1.5, 1.5), QSizeF(3, 3)), color);
}

void LiveChart::paintCurves(QPainter &painter, const View &v) const
{
    QColor color = tokens().curves[size_t(m_color)];
    QColor faint = color;
    faint.setAlphaF(0.28F);
    painter.setPen(QPen(faint, 1, Qt::DashLine));
    for (const auto &stretch : m_series.overwritten()) {
        QList<QPointF> line;
        const size_t stride = std::max<size_t>(1, stretch.size() / 400);
        for (size_t i = 0; i < stretch.size(); i += stride)
            line.append({v.px(stretch[i].x()), v.py(stretch[i].y())});
        painter.drawPolyline(line.constData(), int(line.size()));
    }
    if (m_raw || !m_smoothed)
        paintRaw(painter, v, m_smoothed ? faint : color);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_smoothed) {
        QList<QPointF> line;
        for (const QPointF &point : m_series.smoothedColumns(v.fromX, v.toX, int(v.plot.width())))
            line.append({v.plot.left() + point.x(), v.py(point.y())});
        painter.setPen(QPen(color, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPolyline(line.constData(), int(line.size()));
    }
    if (!m_second.empty()) {
        const QColor other = tokens().curves[size_t(m_secondColor)];
        QList<QPointF> line;
        for (const Column &column : m_second.columns(v.fromX, v.toX, int(v.plot.width())))
            line.append({v.plot.left() + column.pixel + 0.5, v.py(column.last)});
        painter.setPen(QPen(other, 1.5, Qt::DashLine));
        painter.drawPolyline(line.constData(), int(line.size()));
        for (const QPointF &point : line)
            painter.fillRect(QRectF(point - QPointF(3, 3), QSizeF(6, 6)), other);
    }
}

void LiveChart::paintMarks(QPainter &painter, const View &v) const
{
    if (m_size == Size::Small)
        return;
    painter.setFont(typeFont(Type::Note));
    int row = 0; // neighbours write on different rows
    for (const Mark &mark : m_marks) {
        if (mark.x < v.fromX || mark.x > v.toX)
            continue;
        const double x = std::round(v.px(mark.x)) + 0.5;
        const QColor color = markColor(mark.kind);
        if (mark.kind == Mark::Kind::Checkpoint) {
            painter.fillRect(QRectF(x - 1, v.plot.bottom() - 6, 2, 6), color);
            continue;
        }
        painter.setPen(QPen(color, 1, Qt::DotLine));
        painter.drawLine(QPointF(x, v.plot.top()), QPointF(x, v.plot.bottom()));
        painter.setPen(color);
        const QString sign = mark.kind == Mark::Kind::Notice    ? QStringLiteral("▼ ")
                             : mark.kind == Mark::Kind::Failure ? QStringLiteral("✕ ")
                                                                : QStringLiteral("← ");
        const bool right = x > v.plot.center().x();
        const QRectF place(right ? x - 306 : x + 6, v.plot.top() + 18 * (row++ % 3), 300, 18);
        painter.drawText(place, (right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
                         sign + mark.text);
    }
}

void LiveChart::paintCrosshair(QPainter &painter, const View &v) const
{
    const Tokens &t = tokens();
    if (std::isfinite(m_dragFrom) && std::isfinite(m_crosshair)) {
        QColor tint = t.accentText;
        tint.setAlphaF(0.15F);
        painter.fillRect(
            QRectF(QPointF(v.px(m_dragFrom), v.plot.top()), QPointF(v.px(m_crosshair), v.plot.bottom())),
            tint);
    }
    if (!std::isfinite(m_crosshair) || m_series.empty() || m_crosshair < v.fromX || m_crosshair > v.toX)
        return;
    const size_t index = m_series.nearest(m_crosshair);
    const double x = std::round(v.px(m_series.x(index))) + 0.5;
    painter.setPen(t.text3);
    painter.drawLine(QPointF(x, v.plot.top()), QPointF(x, v.plot.bottom()));
    const double shown = m_smoothed ? double(m_series.smoothed(index)) : m_series.y(index);
    painter.setBrush(t.surf);
    painter.setPen(QPen(tokens().curves[size_t(m_color)], 2));
    painter.drawEllipse(QPointF(x, v.py(shown)), 3.5, 3.5);
    if (m_size == Size::Small)
        return;

    QString text = tr("step %1").arg(grouped(qint64(m_series.x(index)))) + QLatin1Char('\n');
    if (m_smoothed)
        text += tr("smoothed %1").arg(significant(shown)) + QLatin1Char('\n');
    text += tr("raw %1").arg(significant(m_series.y(index)));
    painter.setFont(typeFont(Type::Note));
    QRectF box = painter.boundingRect(QRectF(0, 0, 300, 200), Qt::AlignLeft, text).adjusted(-10, -6, 10, 6);
    box.moveTopLeft({x + 12, v.plot.top() + 24});
    if (box.right() > v.plot.right())
        box.moveRight(x - 12);
    painter.setPen(t.control);
    painter.drawRoundedRect(box, metrics::radius, metrics::radius);
    painter.setPen(t.text1);
    painter.drawText(box.adjusted(10, 6, -10, -6), Qt::AlignLeft, text);
}

void LiveChart::mouseMoveEvent(QMouseEvent *event)
{
    const View v = view();
    const double x = event->position().x();
    setCrosshair(x < v.plot.left() || x > v.plot.right() ? nowhere : xAt(x));
    Q_EMIT crosshairMoved(m_crosshair);
}

void LiveChart::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        m_dragFrom = xAt(event->position().x());
}

void LiveChart::mouseReleaseEvent(QMouseEvent *event)
{
    const double to = xAt(event->position().x());
    const View v = view();
    if (std::isfinite(m_dragFrom) && std::abs(v.px(to) - v.px(m_dragFrom)) > 8) {
        m_zoomFrom = std::min(m_dragFrom, to);
        m_zoomTo = std::max(m_dragFrom, to);
    }
    m_dragFrom = nowhere;
    update();
}

void LiveChart::mouseDoubleClickEvent(QMouseEvent *)
{
    m_zoomFrom = m_zoomTo = 0;
    m_dragFrom = nowhere;
    update();
}

void LiveChart::wheelEvent(QWheelEvent *event)
{
    const View v = view();
    const double at = xAt(event->position().x());
    const double factor = std::pow(0.999, event->angleDelta().y());
    const double from = at - (at - v.fromX) * factor;
    const double to = at + (v.toX - at) * factor;
    if (to - from < 2)
        return;
    m_zoomFrom = std::max(from, 0.0);
    m_zoomTo = to;
    update();
    event->accept();
}

void LiveChart::keyPressEvent(QKeyEvent *event)
{
    const int direction = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (!direction || m_series.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const size_t at = m_series.nearest(std::isfinite(m_crosshair) ? m_crosshair : m_series.lastX());
    const size_t next = direction < 0 ? (at ? at - 1 : 0) : std::min(at + 1, m_series.size() - 1);
    setCrosshair(m_series.x(next));
    Q_EMIT crosshairMoved(m_crosshair);
}

void LiveChart::leaveEvent(QEvent *)
{
    setCrosshair(nowhere);
    Q_EMIT crosshairMoved(nowhere);
}

} // namespace rentune::app
