// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/vram_bar.h"

#include "app/charts/axis.h"
#include "app/text/format.h"
#include "app/text/words.h"
#include "app/widgets/tokens.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QPainter>

#include <array>
#include <vector>

namespace rentune::app {
namespace {

constexpr int barTop = 8, barHeight = 24, axisHeight = 34, labelWidth = 64, valueWidth = 118, legendRow = 22;

using plan::Term;

/// The order in the bar: by family, as in the legend.
constexpr std::array<Term, plan::termCount> drawOrder = {
    Term::Weights,     Term::Adapter, Term::Quantization,  Term::Gradients, Term::Optimizer, Term::Master,
    Term::Activations, Term::Logits,  Term::Communication, Term::Workspace, Term::Reserve,   Term::Context};

struct Family
{
    const char *name;
    std::vector<Term> terms;
};

const std::array<Family, 4> &families()
{
    static const std::array<Family, 4> all = {
        {{QT_TRANSLATE_NOOP("rentune::app::VramBar", "Model"),
          {Term::Weights, Term::Adapter, Term::Quantization}},
         {QT_TRANSLATE_NOOP("rentune::app::VramBar", "Training state"),
          {Term::Gradients, Term::Optimizer, Term::Master}},
         {QT_TRANSLATE_NOOP("rentune::app::VramBar", "Activations"), {Term::Activations, Term::Logits}},
         {QT_TRANSLATE_NOOP("rentune::app::VramBar", "System"),
          {Term::Communication, Term::Workspace, Term::Reserve, Term::Context}}}};
    return all;
}

QBrush brushOf(Term term)
{
    return tokens().terms[size_t(term)];
}

void fillPart(QPainter &painter, const QRectF &rect, Term term)
{
    if (term != Term::Reserve) {
        painter.fillRect(rect, brushOf(term));
        return;
    }
    painter.fillRect(rect, tokens().sunk);
    painter.fillRect(rect, QBrush(brushOf(term).color(), Qt::BDiagPattern));
}

} // namespace

VramBar::VramBar(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::TabFocus);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void VramBar::setPlan(const plan::Plan &plan, const QString &device)
{
    const int before = heightForWidth(width());
    m_plan = plan;
    m_device = device;
    setAccessibleDescription(table());
    if (heightForWidth(width()) != before) // a layout of the page costs more than this painting
        updateGeometry();
    update();
}

double VramBar::scaleEnd() const
{
    const double most = std::max({double(m_plan.capacityBytes), double(m_plan.perGpuBytes.high),
                                  double(m_plan.perGpuBytes.expected), double(MiB)});
    return most * 1.03;
}

QSize VramBar::sizeHint() const
{
    return {760, heightForWidth(760)};
}

QSize VramBar::minimumSizeHint() const
{
    return {420, heightForWidth(std::max(width(), 420))};
}

int VramBar::heightForWidth(int width) const
{
    return barTop + barHeight + axisHeight + layoutLegend(nullptr, 0, width) + 2;
}

void VramBar::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        updateGeometry();
}

void VramBar::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy))
        QGuiApplication::clipboard()->setText(table());
    else
        QWidget::keyPressEvent(event);
}

QString VramBar::table() const
{
    QString text;
    for (const Term term : drawOrder)
        text += termText(term) + QLatin1Char('\t') + gib(m_plan.terms[size_t(term)], 2) + QLatin1Char('\n');
    return text + tr("In all") + QLatin1Char('\t') + gib(m_plan.perGpuBytes.expected, 2) + QLatin1Char('\n') +
           tr("Capacity") + QLatin1Char('\t') + gib(m_plan.capacityBytes, 2) + QLatin1Char('\n');
}

void VramBar::paintEvent(QPaintEvent *)
{
    const Tokens &t = tokens();
    QPainter painter(this);
    const QRectF plot(labelWidth, barTop, width() - labelWidth - valueWidth, barHeight);
    painter.setFont(typeFont(Type::Note));
    painter.setPen(t.text2);
    painter.drawText(QRectF(0, barTop, labelWidth - 6, barHeight), Qt::AlignVCenter, m_device);

    const bool over = m_plan.perGpuBytes.expected > m_plan.capacityBytes;
    const QString total = gibNumber(m_plan.perGpuBytes.expected);
    QRectF value(plot.right() + 20, barTop, valueWidth - 20, barHeight);
    painter.setFont(typeFont(Type::Body, true));
    painter.setPen(over ? t.error : t.text1);
    painter.drawText(value, Qt::AlignVCenter, total);
    value.adjust(painter.fontMetrics().horizontalAdvance(total), 0, 0, 0);
    painter.setFont(typeFont(Type::Body));
    painter.setPen(t.text2);
    painter.drawText(value, Qt::AlignVCenter, QStringLiteral(" / ") + gibNumber(m_plan.capacityBytes));

    paintAxis(painter, plot);
    paintBar(painter, plot);
    layoutLegend(&painter, barTop + barHeight + axisHeight, width());
    if (hasFocus()) {
        painter.setPen(QPen(t.accentText, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void VramBar::paintBar(QPainter &painter, const QRectF &plot) const
{
    const Tokens &t = tokens();
    const double perByte = plot.width() / scaleEnd();
    const double capacityX = std::round(plot.left() + double(m_plan.capacityBytes) * perByte);
    painter.fillRect(QRectF(plot.left(), plot.top(), capacityX - plot.left(), plot.height()), t.sunk);

    double bytes = 0;
    painter.setFont(typeFont(Type::Note, true));
    for (const Term term : drawOrder) {
        const double next = bytes + double(m_plan.terms[size_t(term)]);
        const double left = std::round(plot.left() + bytes * perByte);
        const double right = std::round(plot.left() + next * perByte);
        bytes = next;
        if (right <= left)
            continue;
        const QRectF part(left, plot.top(), std::max(right - left - 1, 1.0), plot.height());
        fillPart(painter, part, term);
        const QString full = termText(term) + QLatin1Char(' ') + gibNumber(m_plan.terms[size_t(term)], 2);
        const QString figure = gibNumber(m_plan.terms[size_t(term)], 2);
        const QColor ground = brushOf(term).color();
        painter.setPen(contrast(Qt::white, ground) >= 4.5 ? Qt::white : Qt::black);
        const int room = int(part.width()) - 14;
        const QFontMetrics fm = painter.fontMetrics();
        const QString &label = fm.horizontalAdvance(full) <= room ? full : figure;
        if (term != Term::Reserve && fm.horizontalAdvance(label) <= room)
            painter.drawText(part.adjusted(7, 0, 0, 0), Qt::AlignVCenter, label);
    }

    painter.fillRect(QRectF(capacityX - 1, plot.top() - 5, 2, plot.height() + 10), t.error);

    const double low = std::round(plot.left() + double(m_plan.perGpuBytes.low) * perByte) + 0.5;
    const double high = std::round(plot.left() + double(m_plan.perGpuBytes.high) * perByte) + 0.5;
    const double y = plot.bottom() + 5.5;
    painter.setPen(QPen(t.text1, 1));
    painter.drawLine(QPointF(low, y), QPointF(high, y));
    painter.drawLine(QPointF(low, y - 3), QPointF(low, y + 3));
    painter.drawLine(QPointF(high, y - 3), QPointF(high, y + 3));
}

void VramBar::paintAxis(QPainter &painter, const QRectF &plot) const
{
    const Tokens &t = tokens();
    const double end = scaleEnd() / double(GiB);
    const double capacity = double(m_plan.capacityBytes) / double(GiB);
    painter.setFont(typeFont(Type::Axis));
    const QRectF strip(plot.left(), plot.bottom() + 11, plot.width(), 16);
    const auto label = [&](double gibs, const QString &text) {
        const double x = plot.left() + gibs / end * plot.width();
        painter.drawText(QRectF(x - 50, strip.top(), 100, strip.height()), Qt::AlignCenter, text);
    };
    for (const double tick : niceTicks(0, end, 6)) {
        const double x = std::round(plot.left() + tick / end * plot.width()) + 0.5;
        painter.setPen(t.line);
        painter.drawLine(QPointF(x, plot.top() - 4), QPointF(x, plot.bottom() + 4));
        painter.setPen(t.text3);
        if (std::abs(tick - capacity) / end * plot.width() > 46)
            label(tick, QLocale::c().toString(tick, 'g', 6));
    }
    painter.setFont(typeFont(Type::Axis, true));
    painter.setPen(t.text1);
    label(std::min(capacity, end - 24 / plot.width() * end), gib(m_plan.capacityBytes, 0));
}

int VramBar::layoutLegend(QPainter *painter, int top, int width) const
{
    const QFont plain = typeFont(Type::Note);
    const QFont bold = typeFont(Type::Note, true);
    const QFontMetrics plainMetrics(plain);
    const QFontMetrics boldMetrics(bold);
    int familyWidth = 0;
    for (const Family &family : families())
        familyWidth = std::max(familyWidth, plainMetrics.horizontalAdvance(tr(family.name)) + 14);

    int x = 0;
    int y = top;
    for (const Family &family : families()) {
        int needed = familyWidth;
        for (const Term term : family.terms) {
            if (m_plan.terms[size_t(term)] > 0)
                needed += 42 + plainMetrics.horizontalAdvance(termText(term)) +
                          boldMetrics.horizontalAdvance(gibNumber(m_plan.terms[size_t(term)], 2));
        }
        if (needed == familyWidth)
            continue;
        if (x > 0 && x + needed > width) {
            x = 0;
            y += legendRow;
        }
        if (painter) {
            int at = x;
            const auto put = [&](const QFont &font, const QColor &color, const QString &text) {
                painter->setFont(font);
                painter->setPen(color);
                painter->drawText(QRect(at, y, 400, legendRow), Qt::AlignVCenter, text);
            };
            put(plain, tokens().text2, tr(family.name));
            at += familyWidth;
            for (const Term term : family.terms) {
                if (m_plan.terms[size_t(term)] <= 0)
                    continue;
                fillPart(*painter, QRectF(at, y + 6, 10, 10), term);
                at += 16;
                put(plain, tokens().text1, termText(term));
                at += plainMetrics.horizontalAdvance(termText(term)) + 6;
                const QString figure = gibNumber(m_plan.terms[size_t(term)], 2);
                put(bold, tokens().text1, figure);
                at += boldMetrics.horizontalAdvance(figure) + 20;
            }
        }
        x += needed + 16;
    }
    return y - top + legendRow;
}

} // namespace rentune::app
