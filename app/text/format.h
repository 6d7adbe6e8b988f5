// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/units.h"

#include <QDateTime>
#include <QString>

namespace rentune::app {

/// Figures as the window writes them, in the current language. A figure that is unknown is "—", never 0.

QString unknown();

/// "¥16.90", "US$5.40", "EUR 3.20". Bills keep two decimals below 100, none above.
QString money(double amount, const std::string &currency);

/// "¥38–46"; one figure where low and high print alike.
QString moneyRange(const Range<double> &range, const std::string &currency);

/// "20.4" in GiB.
QString gibNumber(Bytes bytes, int decimals = 1);
QString gib(Bytes bytes, int decimals = 1);

/// "52,131".
QString grouped(qint64 value);

/// Parameters and tokens: "7.62 B" in English, "76.2 亿" in Chinese.
QString largeCount(qint64 value);

/// "8 h 40 min"; in tables "8.7 h".
QString span(Seconds seconds);
QString spanHours(Seconds seconds);

/// "4%", "<1%".
QString percent(double share);

/// Difference in per cent with its sign: "+7%", "−1.5%".
QString signedPercent(double share);

/// "1e-4", "3.1e-5", "0.41".
QString smallNumber(double value);

/// Up to `digits` significant digits, grouped: "3,790", "1.106".
QString significant(double value, int digits = 4);

/// "Tue 07:10" within a week, then "Dec 8 07:10".
QString moment(const QDateTime &when, const QDateTime &now);

} // namespace rentune::app
