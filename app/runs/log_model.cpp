// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/log_model.h"

#include "app/text/format.h"
#include "app/text/words.h"
#include "app/widgets/tokens.h"

#include <QDateTime>

#include <algorithm>
#include <cmath>

namespace rentune::app {
namespace {

double real(const Json &fields, const char *key)
{
    const auto found = fields.find(key);
    return found != fields.end() && found->is_number() ? found->get<double>() : std::nan("");
}

QString stepMessage(const Json &f)
{
    return QStringLiteral("%1  loss %2  grad %3  lr %4  %5 tokens/s")
        .arg(grouped(qint64(real(f, "step"))), significant(real(f, "loss")),
             significant(real(f, "grad_norm"), 3), smallNumber(real(f, "lr")),
             significant(real(f, "tokens_per_second")));
}

/// Fields as they came, for kinds without a form of their own.
QString plainMessage(const Json &fields)
{
    QString text;
    for (const auto &[key, value] : fields.items()) {
        const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
        text += QString::fromStdString(key + " " + shown + "  ").left(240);
    }
    return text.trimmed();
}

} // namespace

QString logMessage(const wire::Event &event)
{
    const Json &f = event.fields;
    if (event.type == "step")
        return stepMessage(f);
    if (event.type == "eval")
        return QStringLiteral("%1  loss %2")
            .arg(grouped(qint64(real(f, "step"))), significant(real(f, "loss")));
    if (event.type == "error")
        return QString::fromStdString(f.value("code", "") + ": " + f.value("detail", ""));
    return plainMessage(f);
}

void LogModel::add(const std::vector<wire::Event> &events)
{
    const auto first = events.size() > size_t(limit) ? events.end() - limit : events.begin();
    const int count = int(events.end() - first);
    if (count == 0)
        return;
    beginInsertRows({}, 0, count - 1);
    for (auto event = first; event != events.end(); ++event)
        m_lines.push_front(*event);
    endInsertRows();
    if (m_lines.size() > size_t(limit)) {
        beginRemoveRows({}, limit, int(m_lines.size()) - 1);
        m_lines.resize(size_t(limit));
        endRemoveRows();
    }
}

void LogModel::clear()
{
    beginResetModel();
    m_lines.clear();
    endResetModel();
}

void LogModel::retranslate()
{
    if (!m_lines.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int LogModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_lines.size());
}

int LogModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LogModel::data(const QModelIndex &index, int role) const
{
    const wire::Event &line = m_lines[size_t(index.row())];
    if (role == Qt::ForegroundRole) {
        const Tokens &t = tokens();
        if (index.column() == Time)
            return t.text3;
        if (index.column() == Message)
            return t.text1;
        return line.type == "error"        ? t.error
               : line.type == "notice"     ? t.warn
               : line.type == "checkpoint" ? t.ok
               : line.type == "hello"      ? t.info
                                           : t.text2;
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Time:
        return QDateTime::fromMSecsSinceEpoch(line.timeMicros / 1000).toString(QStringLiteral("HH:mm:ss"));
    case Kind:
        return eventText(QString::fromStdString(line.type));
    default:
        return logMessage(line);
    }
}

} // namespace rentune::app
