// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/local/local_runner.h"
#include "app/store/store.h"

#include <QFileSystemWatcher>
#include <QWidget>

class QListView;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace rentune::app {

class Chip;
class EmptyRuns;
class PageHeader;
class RunListModel;
class RunView;

/// "Is it going well?": the runs of this computer and the chosen one in full. Runs belong to the machine, not
/// to the window: the list is read from their folders, so those that another program started are there too.
class RunsPage final : public QWidget
{
    Q_OBJECT
public:
    /// `store` may be null: then nothing is remembered beyond the run folders.
    RunsPage(LocalRunner &runner, Home home, Store *store, QWidget *parent = nullptr);

    /// Starts the job with its plan and shows it.
    void startRun(const wire::JobSpec &job, const Json &plan);
    void refresh(); ///< reads the folders again
    void select(const std::string &id);
    const RunView &view() const { return *m_view; }
    RunListModel &runs() { return *m_model; }

Q_SIGNALS:
    void planAsked();
    void activeChanged(int runs);
    void failed(const QString &message);

protected:
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    void stop(bool now);
    void resume();
    void showRun(int row);
    void takeChange(const RunInfo &run);
    void showActions();
    void remember(const RunInfo &run, const wire::JobSpec &job, const Json &plan);
    void retranslate();

    LocalRunner &m_runner;
    Home m_home;
    Store *m_store;
    QFileSystemWatcher m_watcher;
    RunListModel *m_model;
    PageHeader *m_header;
    Chip *m_chip;
    QPushButton *m_stop;
    QPushButton *m_stopNow;
    QPushButton *m_resume;
    QStackedWidget *m_stack;
    EmptyRuns *m_empty;
    QSplitter *m_splitter;
    QListView *m_list;
    RunView *m_view;
};

} // namespace rentune::app
