// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/input_group.h"

#include <QGridLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace rentune::app {
namespace {

constexpr int labelWidth = 84;

QWidget *pair(QWidget *first, QWidget *second)
{
    auto *holder = new QWidget;
    auto *row = new QHBoxLayout(holder);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(metrics::fieldGap);
    row->addWidget(first, 1);
    row->addWidget(second, 1);
    return holder;
}

} // namespace

Text *InputGroup::addRow(QWidget *first, QWidget *second) const
{
    auto *label = new Text(Type::Body, Text::Role::Secondary);
    label->setBuddy(first);
    const int row = grid->rowCount();
    grid->addWidget(label, row, 0);
    grid->addWidget(second ? pair(first, second) : first, row, 1);
    return label;
}

void InputGroup::addWide(QWidget *widget) const
{
    grid->addWidget(widget, grid->rowCount(), 0, 1, 2);
}

InputGroup addInputGroup(QVBoxLayout *column, bool link)
{
    if (column->count() > 0)
        column->addWidget(new Separator);
    InputGroup group;
    auto *header = new QHBoxLayout;
    group.title = new Text(Type::Body, Text::Role::Primary, true);
    header->addWidget(group.title);
    header->addStretch(1);
    if (link) {
        group.link = linkButton();
        header->addWidget(group.link);
    }
    column->addLayout(header);
    group.grid = new QGridLayout;
    group.grid->setHorizontalSpacing(8);
    group.grid->setVerticalSpacing(metrics::fieldGap);
    group.grid->setColumnMinimumWidth(0, labelWidth);
    group.grid->setColumnStretch(1, 1);
    column->addLayout(group.grid);
    return group;
}

} // namespace rentune::app
