// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/message_bar.h"

#include "app/widgets/controls.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>

namespace rentune::app {

MessageBar::MessageBar(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("messageBar"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(44, 6, metrics::margin, 6);
    m_text = new Text(Type::Body, Text::Role::Primary);
    m_text->setObjectName(QStringLiteral("message"));
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_dismiss = linkButton();
    m_dismiss->setText(tr("Dismiss"));
    row->addWidget(m_text, 1);
    row->addWidget(m_dismiss);
    connect(m_dismiss, &QPushButton::clicked, this, &QWidget::hide);
    hide();
}

void MessageBar::showMessage(const QString &message)
{
    m_text->setText(message);
    show();
}

void MessageBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), tokens().errorSoft);
    icon(QStringLiteral("warning"), Tint::Error).paint(&painter, QRect(16, (height() - 18) / 2, 18, 18));
}

void MessageBar::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        m_dismiss->setText(tr("Dismiss"));
}

} // namespace rentune::app
