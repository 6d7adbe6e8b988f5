// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/planner/plan_service.h"

#include <QAbstractTableModel>
#include <QTableView>

#include <vector>

namespace rentune::app {

/// Rows: the job on every card; those that fit come first, the cheapest of each currency on top, then those
/// that miss by least.
class GpuModel final : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column
    {
        Name,
        Memory,
        Hours,
        Cost,
        Risk,
        Limit,
        ColumnCount
    };
    static constexpr int OptionRole = Qt::UserRole;    ///< QString: id of the card
    static constexpr int ShareRole = Qt::UserRole + 1; ///< double: peak / capacity

    using QAbstractTableModel::QAbstractTableModel;
    void setOptions(std::vector<GpuOption> options, const wire::JobSpec &job);
    const GpuOption &option(int row) const { return m_options[size_t(row)]; }
    int fitting() const;
    void retranslate();

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const GpuOption &option, int column) const;

    std::vector<GpuOption> m_options;
    wire::BudgetSpec m_budget;
    std::string m_current;
    std::string m_priceClass;
};

/// The table; Enter or a double click takes the card of a row.
class GpuTable final : public QTableView
{
    Q_OBJECT
public:
    explicit GpuTable(QWidget *parent = nullptr);
    GpuModel &gpus() { return *m_model; }

Q_SIGNALS:
    void taken(const QString &gpu);

protected:
    void changeEvent(QEvent *event) override;

private:
    GpuModel *m_model;
};

} // namespace rentune::app
