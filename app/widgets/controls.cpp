// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/controls.h"

#include "app/widgets/style.h"

#include <QButtonGroup>
#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace rentune::app {
namespace {

QColor textColor(Text::Role role)
{
    const Tokens &t = tokens();
    switch (role) {
    case Text::Role::Primary:
        return t.text1;
    case Text::Role::Secondary:
        return t.text2;
    case Text::Role::Tertiary:
        return t.text3;
    case Text::Role::Accent:
        return t.accentText;
    case Text::Role::Ok:
        return t.ok;
    case Text::Role::Warn:
        return t.warn;
    case Text::Role::Error:
        return t.error;
    }
    return t.text1;
}

struct ChipColors
{
    QColor ground, text;
};

ChipColors chipColors(Chip::Kind kind)
{
    const Tokens &t = tokens();
    switch (kind) {
    case Chip::Kind::Neutral:
        return {t.sunk, t.text2};
    case Chip::Kind::Ok:
        return {t.okSoft, t.ok};
    case Chip::Kind::Warn:
        return {t.warnSoft, t.warn};
    case Chip::Kind::Error:
        return {t.errorSoft, t.error};
    case Chip::Kind::Info:
        return {t.infoSoft, t.info};
    }
    return {t.sunk, t.text2};
}

QPushButton *buttonOfRole(const char *role, QWidget *parent)
{
    auto *button = new QPushButton(parent);
    button->setProperty(buttonRole, QLatin1String(role));
    return button;
}

} // namespace

Text::Text(Type type, Role role, bool bold, QWidget *parent) : QLabel(parent), m_role(role)
{
    setFont(typeFont(type, bold));
    setTextFormat(Qt::PlainText);
    applyColor();
}

void Text::setRole(Role role)
{
    m_role = role;
    applyColor();
}

void Text::changeEvent(QEvent *event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyColor();
}

void Text::applyColor()
{
    const QColor color = textColor(m_role);
    if (palette().color(QPalette::WindowText) == color)
        return;
    QPalette own; // Text is what a label on a Base ground is drawn with
    own.setColor(QPalette::WindowText, color);
    own.setColor(QPalette::Text, color);
    setPalette(own);
}

Surface::Surface(bool withHeader, QWidget *parent) : QFrame(parent)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(14, withHeader ? 0 : 10, 14, 10);
    column->setSpacing(0);
    if (withHeader) {
        auto *header = new QHBoxLayout;
        header->setSpacing(10);
        m_title = new Text(Type::Body, Text::Role::Primary, true, this);
        m_note = new Text(Type::Note, Text::Role::Secondary, false, this);
        m_headerRight = new QHBoxLayout;
        m_headerRight->setSpacing(14);
        m_title->setMinimumHeight(36);
        header->addWidget(m_title);
        header->addWidget(m_note);
        header->addStretch(1);
        header->addLayout(m_headerRight);
        column->addLayout(header);
    }
    m_body = new QVBoxLayout;
    m_body->setSpacing(metrics::fieldGap);
    column->addLayout(m_body, 1);
}

void Surface::setTitle(const QString &title, const QString &note)
{
    m_title->setText(title);
    m_note->setText(note);
}

void Surface::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(tokens().line);
    painter.setBrush(tokens().surf);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), metrics::panelRadius,
                            metrics::panelRadius);
}

Segmented::Segmented(int count, QWidget *parent) : QWidget(parent), m_group(new QButtonGroup(this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (int i = 0; i < count; ++i) {
        QPushButton *button = buttonOfRole("segment", this);
        button->setCheckable(true);
        m_group->addButton(button, i);
        row->addWidget(button, 1);
    }
    setFocusProxy(m_group->button(0));
    connect(m_group, &QButtonGroup::idClicked, this, &Segmented::chosen);
}

void Segmented::setTexts(const QStringList &texts)
{
    for (int i = 0; i < texts.size(); ++i)
        m_group->button(i)->setText(texts[i]);
}

int Segmented::current() const
{
    return m_group->checkedId();
}

void Segmented::setCurrent(int index)
{
    m_group->button(index)->setChecked(true);
}

Chip::Chip(QWidget *parent) : QLabel(parent)
{
    setFont(typeFont(Type::Note));
    setTextFormat(Qt::PlainText);
    setContentsMargins(8, 2, 8, 2);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Maximum);
}

void Chip::show(const QString &text, Kind kind)
{
    m_kind = kind;
    setText(text);
    setVisible(!text.isEmpty());
    update();
}

void Chip::paintEvent(QPaintEvent *)
{
    const ChipColors colors = chipColors(m_kind);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.ground);
    painter.drawRoundedRect(rect(), 3, 3);
    painter.setPen(colors.text);
    painter.drawText(contentsRect(), Qt::AlignCenter, text());
}

Separator::Separator(QWidget *parent) : QWidget(parent)
{
    setFixedHeight(1);
}

void Separator::paintEvent(QPaintEvent *)
{
    QPainter(this).fillRect(rect(), tokens().line);
}

QPushButton *linkButton(QWidget *parent)
{
    return buttonOfRole("quiet", parent);
}

QPushButton *primaryButton(QWidget *parent)
{
    QPushButton *button = buttonOfRole("primary", parent);
    button->setFont(typeFont(Type::Body, true));
    return button;
}

} // namespace rentune::app
