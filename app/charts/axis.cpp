// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/axis.h"

#include <cmath>

namespace rentune::app {

QList<double> niceTicks(double low, double high, int count)
{
    if (!(high > low) || !std::isfinite(low) || !std::isfinite(high) || count < 1)
        return {low};
    const double rough = (high - low) / count;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
        if (factor * power >= rough * (1 - 1e-9)) {
            step = factor * power;
            break;
        }
    }
    QList<double> ticks;
    for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
        ticks.append(i * step);
    return ticks.isEmpty() ? QList<double>{low} : ticks;
}

} // namespace rentune::app
