// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/text/format.h"

#include "app/text/language.h"

#include <QCoreApplication>

#include <cmath>

namespace rentune::app {
namespace {

struct Format
{
    Q_DECLARE_TR_FUNCTIONS(Format)
};

const QChar minus(0x2212);
const QChar enDash(0x2013);

QString number(double value, int decimals)
{
    static const QLocale grouping(QLocale::English, QLocale::UnitedStates);
    const QString text = grouping.toString(std::abs(value), 'f', decimals);
    const bool zero = std::abs(value) < 0.5 * std::pow(10.0, -decimals);
    return value < 0 && !zero ? minus + text : text;
}

QString currencySign(const std::string &currency)
{
    if (currency == "CNY")
        return QStringLiteral("¥");
    if (currency == "USD")
        return QStringLiteral("US$");
    return QString::fromStdString(currency) + QLatin1Char(' ');
}

int rangeDecimals(double amount)
{
    return std::abs(amount) >= 10 ? 0 : std::abs(amount) >= 1 ? 1 : 2;
}

} // namespace

QString unknown()
{
    return QStringLiteral("—");
}

QString money(double amount, const std::string &currency)
{
    return currencySign(currency) + number(amount, std::abs(amount) >= 100 ? 0 : 2);
}

QString moneyRange(const Range<double> &range, const std::string &currency)
{
    const int decimals = rangeDecimals(range.high);
    const QString low = number(range.low, decimals);
    const QString high = number(range.high, decimals);
    return currencySign(currency) + (low == high ? high : low + enDash + high);
}

QString gibNumber(Bytes bytes, int decimals)
{
    return number(double(bytes) / double(GiB), decimals);
}

QString gib(Bytes bytes, int decimals)
{
    return gibNumber(bytes, decimals) + QStringLiteral(" GiB");
}

QString grouped(qint64 value)
{
    return number(double(value), 0);
}

QString largeCount(qint64 value)
{
    const double v = double(value);
    if (currentLanguage() == QLatin1String("zh_CN")) {
        if (v >= 1e8)
            return number(v / 1e8, v >= 1e10 ? 0 : 1) + QStringLiteral(" 亿");
        if (v >= 1e4)
            return number(v / 1e4, v >= 1e6 ? 0 : 1) + QStringLiteral(" 万");
        return grouped(value);
    }
    if (v >= 1e9)
        return number(v / 1e9, 2) + QStringLiteral(" B");
    if (v >= 1e6)
        return number(v / 1e6, 1) + QStringLiteral(" M");
    return v >= 1e4 ? number(v / 1e3, 1) + QStringLiteral(" K") : grouped(value);
}

QString span(Seconds seconds)
{
    if (!std::isfinite(seconds) || seconds < 0)
        return unknown();
    if (seconds < 60)
        return Format::tr("%1 s").arg(number(seconds, seconds < 10 ? 1 : 0));
    const qint64 minutes = std::llround(seconds / 60);
    if (minutes < 60)
        return Format::tr("%1 min").arg(minutes);
    const qint64 hours = minutes / 60;
    if (hours < 48)
        return minutes % 60 ? Format::tr("%1 h %2 min").arg(hours).arg(minutes % 60)
                            : Format::tr("%1 h").arg(hours);
    return Format::tr("%1 d %2 h").arg(hours / 24).arg(hours % 24);
}

QString spanHours(Seconds seconds)
{
    const double hours = seconds / 3600;
    return std::isfinite(hours) ? number(hours, hours < 1 ? 2 : hours < 100 ? 1 : 0) : unknown();
}

QString percent(double share)
{
    if (!std::isfinite(share))
        return unknown();
    return share > 0 && share < 0.01 ? QStringLiteral("<1%") : number(share * 100, 0) + QLatin1Char('%');
}

QString signedPercent(double share)
{
    if (!std::isfinite(share))
        return unknown();
    const int decimals = std::abs(share) < 0.0995 ? 1 : 0;
    const QString text = number(share * 100, decimals) + QLatin1Char('%');
    return share > 0 ? QLatin1Char('+') + text : text;
}

QString smallNumber(double value)
{
    if (!std::isfinite(value))
        return unknown();
    if (value == 0)
        return QStringLiteral("0");
    if (std::abs(value) >= 1e-3)
        return significant(value, 3);
    const int exponent = int(std::floor(std::log10(std::abs(value)) + 1e-9));
    const double mantissa = value / std::pow(10.0, exponent);
    return QLocale::c().toString(mantissa, 'g', 3) + QLatin1Char('e') + QString::number(exponent);
}

QString significant(double value, int digits)
{
    if (!std::isfinite(value))
        return unknown();
    if (value == 0)
        return QStringLiteral("0");
    const int whole = int(std::floor(std::log10(std::abs(value)))) + 1;
    return number(value, std::clamp(digits - std::max(whole, 1), 0, 6));
}

QString moment(const QDateTime &when, const QDateTime &now)
{
    if (!when.isValid())
        return unknown();
    const QLocale locale = currentLocale();
    const QString time = when.toString(QStringLiteral("HH:mm"));
    if (when.date() == now.date())
        return Format::tr("today %1").arg(time);
    const QString day = std::abs(now.daysTo(when)) < 7 ? locale.toString(when.date(), QStringLiteral("ddd"))
                                                       : locale.toString(when.date(), Format::tr("MMM d"));
    return day + QLatin1Char(' ') + time;
}

} // namespace rentune::app
