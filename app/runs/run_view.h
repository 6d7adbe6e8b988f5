// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/local/run_follower.h"
#include "app/runs/run_figures.h"

#include <QScrollArea>

#include <memory>

class QLineEdit;
class QSortFilterProxyModel;
class QTableView;

namespace rentune::app {

class LogModel;
class MeasuredTable;
class RunCharts;
class Surface;
class Text;

/// One run, live or over: key figures, curves, log, plan against measured. Reads the run's whole history when
/// it is shown, then follows it.
class RunView final : public QScrollArea
{
    Q_OBJECT
public:
    explicit RunView(const LocalRunner &runner, QWidget *parent = nullptr);

    void show(const RunInfo &run);
    const RunInfo &run() const { return m_run; }
    size_t points() const; ///< loss points drawn

Q_SIGNALS:
    void runChanged(const rentune::app::RunInfo &run); ///< its state or step moved on

protected:
    void changeEvent(QEvent *event) override;

private:
    void takeEvents(const std::vector<wire::Event> &events);
    void takeState(RunState state);
    void refresh();
    void retranslate();

    const LocalRunner &m_runner;
    RunInfo m_run;
    Planned m_planned;
    std::unique_ptr<RunFollower> m_follower;
    QWidget *m_failure;
    Text *m_failureTitle;
    Text *m_failureText;
    RunFigures *m_figures;
    RunCharts *m_charts;
    Surface *m_logPanel;
    QLineEdit *m_filter;
    QTableView *m_log;
    LogModel *m_lines;
    QSortFilterProxyModel *m_filtered;
    MeasuredTable *m_measured;
};

} // namespace rentune::app
