// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/event_text.h"

#include "app/text/words.h"

#include <QDateTime>
#include <QStringList>

namespace rentune::app {

QString eventLine(const wire::Event &event)
{
    QStringList parts;
    for (const auto &[key, value] : event.fields.items()) {
        const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
        parts << QString::fromStdString(key + "=" + shown);
    }
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(event.timeMicros / 1000);
    return QStringLiteral("%1  %2  %3")
        .arg(when.toString(QStringLiteral("hh:mm:ss")), eventText(QString::fromStdString(event.type)),
             parts.join(QLatin1Char(' ')));
}

} // namespace rentune::app
