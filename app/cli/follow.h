// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/local/run_follower.h"

#include <cstdint>
#include <functional>

namespace rentune::app {

/// What a run has come to when its following ends.
struct Followed
{
    RunState state;
    RunHistory history;
};

struct FollowOptions
{
    int64_t fromSeq = 0; ///< of the first event that is shown
    /// New events, already part of the history.
    std::function<void(const std::vector<wire::Event> &, const RunHistory &)> show;
    /// What the first Ctrl-C does; false ends the following at once. Not set: Ctrl-C ends this program, the
    /// run goes on.
    std::function<bool()> interrupt;
};

/// Follows a run until it is no longer active. Errors: those of RunFollower::failed.
Result<Followed> followRun(const LocalRunner &runner, const RunInfo &run, const FollowOptions &options);

} // namespace rentune::app
