// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/wire/event.h"

#include <QAbstractTableModel>

#include <deque>

namespace rentune::app {

/// A run's events as lines, the newest on top; the oldest beyond a limit are dropped.
class LogModel final : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column
    {
        Time,
        Kind,
        Message,
        ColumnCount
    };
    static constexpr int limit = 5000;

    using QAbstractTableModel::QAbstractTableModel;
    void add(const std::vector<wire::Event> &events);
    void clear();
    void retranslate();

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;

private:
    std::deque<wire::Event> m_lines; ///< newest first
};

/// The line of an event: its figures in the window's spelling.
QString logMessage(const wire::Event &event);

} // namespace rentune::app
