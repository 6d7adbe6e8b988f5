// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/follow.h"

#include <QEventLoop>
#include <QTimer>

#include <csignal>
#include <optional>
#include <utility>

namespace rentune::app {
namespace {

volatile std::sig_atomic_t interrupted = 0;

/// Hands the first Ctrl-C to `action` while it lives.
class Interrupts
{
public:
    Interrupts(std::function<bool()> action, QEventLoop &loop)
    {
        if (!action)
            return;
        interrupted = 0;
        m_before = std::signal(SIGINT, [](int) { interrupted = 1; });
        QObject::connect(&m_tick, &QTimer::timeout, &loop, [this, &loop, action = std::move(action)] {
            if (!interrupted)
                return;
            m_tick.stop();
            if (!action())
                loop.quit();
        });
        m_tick.start(100);
    }
    ~Interrupts()
    {
        if (m_before != SIG_ERR)
            std::signal(SIGINT, m_before);
    }
    Interrupts(const Interrupts &) = delete;
    Interrupts &operator=(const Interrupts &) = delete;

private:
    QTimer m_tick;
    void (*m_before)(int) = SIG_ERR;
};

} // namespace

Result<Followed> followRun(const LocalRunner &runner, const RunInfo &run, const FollowOptions &options)
{
    RunFollower follower(runner, run.folder, options.fromSeq);
    QEventLoop loop;
    std::optional<Error> failure;
    QObject::connect(
        &follower, &RunFollower::eventsArrived, &loop,
        [&](const std::vector<wire::Event> &events) { options.show(events, follower.history()); });
    QObject::connect(&follower, &RunFollower::stateChanged, &loop, [&](RunState state) {
        if (!isActive(state))
            loop.quit();
    });
    QObject::connect(&follower, &RunFollower::failed, &loop, [&](const Error &error) {
        failure = error;
        loop.quit();
    });
    const Interrupts interrupts(options.interrupt, loop);
    QMetaObject::invokeMethod(&follower, &RunFollower::start, Qt::QueuedConnection);
    loop.exec();
    if (failure)
        return *failure;
    return Followed{follower.state(), follower.history()};
}

} // namespace rentune::app
