// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/page_header.h"

#include "app/widgets/controls.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>

namespace rentune::app {

PageHeader::PageHeader(QWidget *parent) : QWidget(parent)
{
    setFixedHeight(48);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(metrics::margin, 0, metrics::margin, 0);
    row->setSpacing(10);
    m_title = new Text(Type::Title, Text::Role::Primary, true);
    m_title->setObjectName(QStringLiteral("pageTitle"));
    m_context = new QHBoxLayout;
    m_context->setSpacing(8);
    m_actions = new QHBoxLayout;
    m_actions->setSpacing(8);
    m_meter = new Text(Type::Note, Text::Role::Secondary);
    m_meter->setObjectName(QStringLiteral("meter"));
    row->addWidget(m_title);
    row->addLayout(m_context);
    row->addStretch(1);
    row->addLayout(m_actions);
    row->addSpacing(6);
    row->addWidget(m_meter);
    retranslate();
}

void PageHeader::setTitle(const QString &title)
{
    m_title->setText(title);
}

void PageHeader::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), tokens().surf);
    painter.fillRect(0, height() - 1, width(), 1, tokens().line);
}

void PageHeader::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

void PageHeader::retranslate()
{
    m_meter->setText(tr("Nothing is billing"));
    m_meter->setToolTip(tr("Runs on this computer cost nothing; rented machines would be counted here"));
}

} // namespace rentune::app
