// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/rail.h"

#include "app/widgets/icon.h"
#include "app/widgets/tokens.h"

#include <QButtonGroup>
#include <QPainter>
#include <QVBoxLayout>

namespace rentune::app {

RailButton::RailButton(const QString &iconName, QWidget *parent) : QAbstractButton(parent), m_icon(iconName)
{
    setCheckable(true);
    setFixedSize(64, 56);
}

void RailButton::setBadge(int count)
{
    m_badge = count;
    setAccessibleDescription(count > 0 ? tr("%n running", nullptr, count) : QString());
    update();
}

void RailButton::paintEvent(QPaintEvent *)
{
    const Tokens &t = tokens();
    QPainter painter(this);
    if (isChecked()) {
        painter.fillRect(rect(), t.surf);
        painter.fillRect(0, 0, 3, height(), t.accentText);
    } else if (underMouse()) {
        painter.fillRect(rect(), t.line);
    }
    app::icon(m_icon, isChecked() ? Tint::Accent : Tint::Quiet).paint(&painter, QRect(22, 8, 20, 20));
    painter.setFont(typeFont(Type::Note, isChecked()));
    painter.setPen(isChecked() ? t.accentText : t.text2);
    painter.drawText(QRect(0, 30, width(), 20), Qt::AlignCenter, text());
    if (m_badge > 0) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.accent);
        const QRect badge(38, 4, 16, 16);
        painter.drawEllipse(badge);
        painter.setFont(typeFont(Type::Axis, true));
        painter.setPen(t.onAccent);
        painter.drawText(badge, Qt::AlignCenter, QString::number(m_badge));
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.accentText, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

Rail::Rail(QWidget *parent)
    : QWidget(parent), m_group(new QButtonGroup(this)), m_column(new QVBoxLayout(this))
{
    setFixedWidth(64);
    m_column->setContentsMargins(0, 6, 0, 6);
    m_column->setSpacing(0);
    m_column->addStretch(1);
    connect(m_group, &QButtonGroup::idClicked, this, &Rail::chosen);
}

RailButton *Rail::addPage(const QString &objectName, const QString &iconName)
{
    auto *button = new RailButton(iconName, this);
    button->setObjectName(objectName);
    const int index = int(m_group->buttons().size());
    m_group->addButton(button, index);
    m_column->insertWidget(index, button);
    return button;
}

void Rail::setCurrent(int index)
{
    m_group->button(index)->setChecked(true);
}

void Rail::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), tokens().rail);
    painter.fillRect(width() - 1, 0, 1, height(), tokens().line);
}

} // namespace rentune::app
