// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_list_model.h"

#include "app/text/format.h"
#include "app/text/words.h"

#include <QDateTime>

#include <algorithm>

namespace rentune::app {

void RunListModel::setRuns(std::vector<RunInfo> runs)
{
    const bool sameRows = std::equal(runs.begin(), runs.end(), m_runs.begin(), m_runs.end(),
                                     [](const RunInfo &a, const RunInfo &b) { return a.id == b.id; });
    if (!sameRows) {
        beginResetModel();
        m_runs = std::move(runs);
        endResetModel();
        return;
    }
    for (const RunInfo &run : runs)
        update(run);
}

void RunListModel::update(const RunInfo &run)
{
    const int row = rowOf(run.id);
    if (row < 0)
        return;
    RunInfo &known = m_runs[size_t(row)];
    if (known.state == run.state && known.step == run.step)
        return;
    known = run;
    Q_EMIT dataChanged(index(row), index(row));
}

int RunListModel::rowOf(const std::string &id) const
{
    const auto found =
        std::find_if(m_runs.begin(), m_runs.end(), [&](const RunInfo &r) { return r.id == id; });
    return found == m_runs.end() ? -1 : int(found - m_runs.begin());
}

int RunListModel::activeCount() const
{
    return int(
        std::count_if(m_runs.begin(), m_runs.end(), [](const RunInfo &r) { return isActive(r.state); }));
}

void RunListModel::retranslate()
{
    if (!m_runs.empty())
        Q_EMIT dataChanged(index(0), index(rowCount() - 1));
}

int RunListModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_runs.size());
}

QVariant RunListModel::data(const QModelIndex &index, int role) const
{
    const RunInfo &run = m_runs[size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return QString::fromStdString(run.name);
    case IdRole:
        return QString::fromStdString(run.id);
    case StateRole:
        return int(run.state);
    case DetailRole: {
        const QDateTime created = QDateTime::fromMSecsSinceEpoch(run.createdMicros / 1000);
        return tr("%1 · step %2 · %3")
            .arg(stateText(QString::fromUtf8(runStateName(run.state).data())), grouped(run.step),
                 moment(created, QDateTime::currentDateTime()));
    }
    case Qt::ToolTipRole:
        return QString::fromStdString(run.folder.string());
    case Qt::AccessibleTextRole:
        return QString::fromStdString(run.name) + QStringLiteral(", ") + data(index, DetailRole).toString();
    default:
        return {};
    }
}

} // namespace rentune::app
