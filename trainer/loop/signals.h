// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace rentune::trainer {

/// What the outside asks of a run, seen between two steps.
struct Requests
{
    virtual ~Requests() = default;
    virtual bool stop() = 0;       ///< save and end; stays set
    virtual bool checkpoint() = 0; ///< save and go on; true once for each time asked
};

/// SIGTERM and SIGINT ask to stop, SIGUSR1 asks for a checkpoint. One object a process.
class SignalRequests final : public Requests
{
public:
    SignalRequests();
    bool stop() override;
    bool checkpoint() override;
};

} // namespace rentune::trainer
