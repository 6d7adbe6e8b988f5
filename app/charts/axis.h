// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>

namespace rentune::app {

/// Round values (1, 2, 2.5 or 5 times a power of ten) that cover [low, high] in about `count` steps,
/// ascending; never empty. An empty or reversed interval gives `low` alone.
QList<double> niceTicks(double low, double high, int count);

} // namespace rentune::app
