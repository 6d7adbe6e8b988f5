// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/local/event_reader.h"
#include "app/local/local_runner.h"
#include "app/local/run_history.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <vector>

namespace rentune::app {

/// Follows a run's events and state from its first event on, whether it runs or is over, and through resumes.
/// Lives in its owner's thread and signals there.
class RunFollower : public QObject
{
    Q_OBJECT

public:
    /// `runner` must outlive the follower. Events are reported from `fromSeq` on; the history holds all of
    /// them.
    RunFollower(const LocalRunner &runner, std::filesystem::path folder, int64_t fromSeq = 0,
                QObject *parent = nullptr);

    /// Reads what is there (signals come before it returns) and then looks every 200 ms.
    void start();

    const std::filesystem::path &folder() const { return m_folder; }
    const RunHistory &history() const { return m_history; }
    RunState state() const { return m_state; }

signals:
    /// New events, already part of history().
    void eventsArrived(const std::vector<rentune::wire::Event> &events);
    /// Also emitted once by start() with the first state found. Comes after the events that led to it.
    void stateChanged(rentune::app::RunState state);
    /// The event file can't be read on (see EventReader); the follower stops.
    void failed(const rentune::Error &error);

private:
    void poll();
    bool readAll();

    const LocalRunner &m_runner;
    std::filesystem::path m_folder;
    int64_t m_fromSeq;
    EventReader m_reader;
    RunHistory m_history;
    RunState m_state = RunState::Starting;
    bool m_stateKnown = false;
    QTimer m_timer;
};

} // namespace rentune::app
