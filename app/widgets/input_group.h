// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/widgets/controls.h"

class QGridLayout;
class QPushButton;
class QVBoxLayout;

namespace rentune::app {

/// A titled group of input rows: labels in one column, fields in the other. Widgets belong to the column's
/// widget.
struct InputGroup
{
    Text *title = nullptr;
    QPushButton *link = nullptr; ///< beside the title, if asked for
    QGridLayout *grid = nullptr;

    /// A row with one field or two; returns its label, still without words.
    Text *addRow(QWidget *first, QWidget *second = nullptr) const;
    /// A widget over both columns.
    void addWide(QWidget *widget) const;
};

/// Appends an empty group to a column, with a line above it unless it is the first.
InputGroup addInputGroup(QVBoxLayout *column, bool link = false);

} // namespace rentune::app
