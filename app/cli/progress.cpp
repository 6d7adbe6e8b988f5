// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress.h"

#include "app/cli/session.h"
#include "app/text/format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace rentune::app {

QString sparkline(const std::vector<StepPoint> &steps, int columns)
{
    static const QString levels = QStringLiteral("▁▂▃▄▅▆▇█");
    double low = INFINITY;
    double high = -INFINITY;
    for (const StepPoint &point : steps) {
        if (!std::isfinite(point.loss))
            continue;
        low = std::min(low, point.loss);
        high = std::max(high, point.loss);
    }
    const auto width = std::min<size_t>(steps.size(), static_cast<size_t>(std::max(columns, 0)));
    QString out;
    for (size_t column = 0; column < width; ++column) {
        double sum = 0;
        int count = 0;
        for (size_t i = column * steps.size() / width; i < (column + 1) * steps.size() / width; ++i) {
            if (std::isfinite(steps[i].loss)) {
                sum += steps[i].loss;
                ++count;
            }
        }
        const double share = count > 0 && high > low ? (sum / count - low) / (high - low) : 0;
        out += count > 0 ? levels[static_cast<int>(std::lround(share * 7))] : QLatin1Char(' ');
    }
    return out;
}

QString bar(double share, int columns)
{
    const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * columns);
    return QStringLiteral("█").repeated(full) + QStringLiteral("░").repeated(columns - full);
}

Progress::Progress(int64_t totalSteps, wire::PriceSpec price, bool visible)
    : m_totalSteps(std::max<int64_t>(totalSteps, 1)), m_price(std::move(price)), m_visible(visible),
      m_terminal(::isatty(STDOUT_FILENO) == 1)
{
}

QString Progress::line(const RunHistory &history) const
{
    const auto &steps = history.steps();
    const double done = static_cast<double>(history.lastStep()) / static_cast<double>(m_totalSteps);
    QStringList parts{
        QStringLiteral("[%1] %2/%3").arg(bar(done, 24)).arg(history.lastStep()).arg(m_totalSteps)};
    if (steps.empty())
        return parts.first() + QStringLiteral(" · ") + Cli::tr("measuring before training");
    double seconds = 0;
    for (const StepPoint &point : steps)
        seconds += std::isfinite(point.seconds) ? point.seconds : 0;
    const double left =
        seconds / static_cast<double>(steps.size()) * static_cast<double>(m_totalSteps - history.lastStep());
    parts << Cli::tr("loss %1").arg(significant(steps.back().loss, 4));
    parts << Cli::tr("%1 tokens/s").arg(significant(steps.back().tokensPerSecond, 3));
    parts << Cli::tr("%1 left").arg(span(left));
    if (!m_price.currency.empty())
        parts << Cli::tr("%1 of %2")
                     .arg(money(seconds / 3600 * m_price.perHour, m_price.currency),
                          money((seconds + left) / 3600 * m_price.perHour, m_price.currency));
    return parts.join(QStringLiteral(" · "));
}

void Progress::show(const RunHistory &history)
{
    const int64_t tenth = history.lastStep() * 10 / m_totalSteps;
    if (!m_visible || (!m_terminal && !history.steps().empty() && tenth == m_shownTenth))
        return;
    if (m_terminal) {
        std::fputs(("\r\x1b[K" + line(history)).toUtf8().constData(), stdout);
        std::fflush(stdout);
        m_open = true;
    } else if (!history.steps().empty()) {
        print(line(history));
    }
    m_shownTenth = tenth;
}

void Progress::end()
{
    if (m_open)
        print(QString());
    m_open = false;
}

} // namespace rentune::app
