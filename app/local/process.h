// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rentune::app {

/// Names one process for good: a pid is used again, a pid with its start time since one boot is not.
struct ProcessId
{
    int64_t pid = 0;
    int64_t startTicks = 0; ///< kernel ticks from boot to the process's start
    std::string boot;       ///< the boot's id
};

/// Starts a program in a session of its own that outlives this one, input empty, output appended to `log`.
/// Errors: file.missing for the program, disk.write for the log, internal if the system starts no process.
Result<ProcessId> startDetached(const std::vector<std::string> &command, const std::filesystem::path &log);

bool isAlive(const ProcessId &process);

/// The exit code of an ended process (128 + n for signal n), known only to the program that started it.
std::optional<int> exitCodeOf(const ProcessId &process);

/// Sends `signal` unless the process is gone already.
void sendSignal(const ProcessId &process, int signal);

} // namespace rentune::app
