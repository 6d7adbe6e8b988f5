// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/local/local_runner.h"

#include <QAbstractListModel>

#include <vector>

namespace rentune::app {

/// Runs, newest first. Rows keep their place when only their state or step changes.
class RunListModel final : public QAbstractListModel
{
    Q_OBJECT
public:
    static constexpr int IdRole = Qt::UserRole;
    static constexpr int StateRole = Qt::UserRole + 1;  ///< int: RunState
    static constexpr int DetailRole = Qt::UserRole + 2; ///< QString: state, step and creation time

    using QAbstractListModel::QAbstractListModel;

    /// Takes a new list; only rows that differ are announced.
    void setRuns(std::vector<RunInfo> runs);
    void update(const RunInfo &run); ///< state and step of one run; unknown ids are ignored
    const RunInfo &run(int row) const { return m_runs[size_t(row)]; }
    int rowOf(const std::string &id) const; ///< -1 if absent
    int activeCount() const;
    void retranslate();

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;

private:
    std::vector<RunInfo> m_runs;
};

} // namespace rentune::app
