// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/local/run_follower.h"

#include <chrono>

namespace rentune::app {

RunFollower::RunFollower(const LocalRunner &runner, std::filesystem::path folder, int64_t fromSeq,
                         QObject *parent)
    : QObject(parent), m_runner(runner), m_folder(std::move(folder)), m_fromSeq(fromSeq),
      m_reader(RunFiles{m_folder}.events())
{
    m_timer.setInterval(std::chrono::milliseconds(200));
    connect(&m_timer, &QTimer::timeout, this, &RunFollower::poll);
}

void RunFollower::start()
{
    m_timer.start();
    poll();
}

void RunFollower::poll()
{
    const bool running = m_runner.isRunning(m_folder);
    if (!readAll())
        return;
    const RunState state = runState(running, m_history);
    if (m_stateKnown && state == m_state)
        return;
    m_stateKnown = true;
    m_state = state;
    emit stateChanged(state);
}

bool RunFollower::readAll()
{
    for (;;) {
        auto events = m_reader.readNew();
        if (!events) {
            m_timer.stop();
            emit failed(events.error());
            return false;
        }
        if (events->empty())
            return true;
        for (const wire::Event &event : *events)
            m_history.add(event);
        std::erase_if(*events, [this](const wire::Event &event) { return event.seq < m_fromSeq; });
        if (!events->empty())
            emit eventsArrived(*events);
    }
}

} // namespace rentune::app
