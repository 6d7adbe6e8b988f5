// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/planner/price_tiles.h"

#include "app/planner/plan_headline.h"
#include "app/text/format.h"
#include "app/text/words.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPainter>

#include <algorithm>

namespace rentune::app {
namespace {

constexpr std::array<const char *, 4> classes = {"on_demand", "spot", "reserved", "owned"};
constexpr int padding = 14, chipGap = 10;

} // namespace

PriceTile::PriceTile(QWidget *parent) : QAbstractButton(parent)
{
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void PriceTile::show(const QString &name, const QString &chip, bool stale, const QString &sum, bool known,
                     const QString &note)
{
    const QSize before = sizeHint();
    setText(name);
    m_chip = chip;
    m_stale = stale;
    m_sum = sum;
    m_known = known;
    m_note = note;
    setAccessibleName(name + QStringLiteral(": ") + sum);
    setToolTip(note);
    if (sizeHint() != before)
        updateGeometry();
    update();
}

QSize PriceTile::sizeHint() const
{
    const QFontMetrics note(typeFont(Type::Note));
    int top = note.horizontalAdvance(text());
    if (!m_chip.isEmpty())
        top += chipGap + note.horizontalAdvance(m_chip) + 12;
    const int widest = std::max({top, QFontMetrics(typeFont(Type::Key, true)).horizontalAdvance(m_sum),
                                 note.horizontalAdvance(m_note)});
    return {widest + 2 * padding, 92};
}

void PriceTile::paintEvent(QPaintEvent *)
{
    const Tokens &t = tokens();
    QPainter painter(this);
    if (isChecked()) {
        painter.fillRect(rect(), t.accentSoft);
        painter.fillRect(0, 0, width(), 2, t.accentText);
    }
    painter.setFont(typeFont(Type::Note));
    painter.setPen(t.text2);
    const QFontMetrics note = painter.fontMetrics();
    painter.drawText(QRect(padding, 12, width(), 18), Qt::AlignVCenter, text());
    if (!m_chip.isEmpty()) {
        const QRect chip(padding + note.horizontalAdvance(text()) + chipGap, 11,
                         note.horizontalAdvance(m_chip) + 12, 20);
        painter.fillRect(chip, m_stale ? t.warnSoft : t.sunk);
        painter.setPen(m_stale ? t.warn : t.text2);
        painter.drawText(chip, Qt::AlignCenter, m_chip);
    }
    painter.setFont(typeFont(Type::Key, m_known));
    painter.setPen(m_known ? t.text1 : t.text3);
    painter.drawText(QRect(padding, 33, width(), 28), Qt::AlignVCenter, m_sum);
    painter.setFont(typeFont(Type::Note));
    painter.setPen(t.text2);
    painter.drawText(QRect(padding, 63, width(), 18), Qt::AlignVCenter, m_note);
    if (hasFocus()) {
        painter.setPen(QPen(t.accentText, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

PriceTiles::PriceTiles(QWidget *parent) : QWidget(parent), m_group(new QButtonGroup(this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(1, 1, 1, 1);
    row->setSpacing(1);
    for (size_t i = 0; i < m_tiles.size(); ++i) {
        m_tiles[i] = new PriceTile(this);
        m_tiles[i]->setObjectName(QStringLiteral("price_") + QLatin1String(classes[i]));
        m_group->addButton(m_tiles[i], int(i));
        row->addWidget(m_tiles[i]);
    }
    connect(m_group, &QButtonGroup::idClicked, this,
            [this](int index) { Q_EMIT chosen(QLatin1String(classes[size_t(index)])); });
}

void PriceTiles::setAnswer(const PlanAnswer &answer)
{
    if (!answer.plan)
        return;
    const plan::CostLine *selected = chosenCost(answer);
    const std::string shown = selected ? selected->priceClass : answer.job.hardware.price.priceClass;
    for (size_t i = 0; i < classes.size(); ++i) {
        const auto &cost = answer.plan->cost;
        const auto line =
            std::find_if(cost.begin(), cost.end(), [&](const auto &c) { return c.priceClass == classes[i]; });
        const QString name = priceClassText(classes[i]);
        if (line == cost.end()) {
            m_tiles[i]->show(name, {}, false, tr("No price"), false, tr("none in the catalogue"));
        } else {
            const QString from =
                line->provider.empty() ? tr("your own price") : QString::fromStdString(line->provider);
            m_tiles[i]->show(name, QString::fromStdString(line->asOf), line->stale,
                             moneyRange(line->total, line->currency), true,
                             money(line->perHour, line->currency) + tr("/h") + QStringLiteral(" · ") + from);
        }
        m_tiles[i]->setChecked(shown == classes[i]);
    }
}

void PriceTiles::paintEvent(QPaintEvent *)
{
    const Tokens &t = tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(t.line);
    painter.setBrush(t.surf);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), metrics::panelRadius,
                            metrics::panelRadius);
    for (size_t i = 1; i < m_tiles.size(); ++i)
        painter.fillRect(m_tiles[i]->x() - 1, 1, 1, height() - 2, t.line);
}

} // namespace rentune::app
