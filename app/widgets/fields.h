// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSpinBox>

namespace rentune::app {

/// Number fields without arrow buttons: arrow keys step, the wheel only with the focus; values group by
/// thousands.
QSpinBox *countField(int low, int high);
QDoubleSpinBox *realField(double low, double high, int decimals);

/// A combo box whose width does not follow its longest item; the wheel changes it only with the focus.
QComboBox *choiceField(const QString &name);

/// Replaces the items' texts (after a change of language) and keeps the choice.
void refillChoices(QComboBox *box, const QStringList &texts);

} // namespace rentune::app
