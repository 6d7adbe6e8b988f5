// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/planner/relax_list.h"

#include "app/text/format.h"
#include "app/text/words.h"

#include <QGridLayout>

namespace rentune::app {
namespace {

constexpr size_t shownRows = 4;

} // namespace

RelaxList::RelaxList(QWidget *parent) : QWidget(parent), m_panel(new Surface(true, this))
{
    setObjectName(QStringLiteral("relaxList"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_panel);
    m_grid = new QGridLayout;
    m_grid->setHorizontalSpacing(24);
    m_grid->setColumnStretch(0, 1);
    m_panel->body()->addLayout(m_grid);
}

void RelaxList::setPlan(const plan::Plan &plan)
{
    while (QLayoutItem *item = m_grid->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    m_panel->setTitle(tr("Give way in one point and it fits"), tr("nearest to the present plan first"));
    int row = 0;
    for (const plan::Reason &reason : plan.reasons) {
        for (size_t i = 0; i < reason.relax.size() && size_t(row) < shownRows; ++i)
            addRow(row++, reason.relax[i], plan.capacityBytes);
    }
    setVisible(row > 0);
}

void RelaxList::addRow(int row, const plan::Relax &relax, Bytes capacity)
{
    auto *what = new Text(Type::Body, Text::Role::Primary, true);
    what->setText(relaxText(relax));
    auto *memory = new Text(Type::Body, Text::Role::Secondary);
    if (relax.perGpuBytes > 0)
        memory->setText(tr("%1 of %2 per card").arg(gib(relax.perGpuBytes), gib(capacity)));
    auto *apply = row == 0 ? primaryButton() : new QPushButton;
    apply->setObjectName(QStringLiteral("applyRelax%1").arg(row));
    apply->setText(tr("Apply"));
    apply->setAccessibleName(tr("Apply: %1").arg(what->text()));
    connect(apply, &QPushButton::clicked, this, [this, relax] { Q_EMIT applied(relax); });
    m_grid->addWidget(what, row, 0);
    m_grid->addWidget(memory, row, 1, Qt::AlignRight);
    m_grid->addWidget(apply, row, 2);
}

} // namespace rentune::app
