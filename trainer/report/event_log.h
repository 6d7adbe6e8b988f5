// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "core/base/file_ops.h"
#include "core/base/json.h"
#include "core/base/result.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace rentune::trainer {

/// A run's append-only events.jsonl. An existing file is continued: `seq` goes on without a gap, `attempt`
/// rises by one, and a last line that a kill or a power cut tore is cut off first. append() stamps the event
/// and hands it to a writing thread, so that a slow disk never holds up a step. Thread-safe.
class EventLog
{
public:
    /// `mirror` is a second place for the lines of this process: "" none, "-" standard output, else a file
    /// that is appended to. `ops` and `clock` must outlive the log. Errors: wire.version (file of a newer
    /// trainer; left untouched), wire.format (no event log), disk.*, file.*.
    static Result<std::unique_ptr<EventLog>>
    open(FileOps &ops, const Clock &clock, const std::filesystem::path &file, const std::string &mirror = {});
    /// Writes what is queued.
    ~EventLog();
    EventLog(const EventLog &) = delete;
    EventLog &operator=(const EventLog &) = delete;

    int attempt() const; ///< 0 for the first process of a run

    /// `fields` as in wire::Event. Errors: the first disk error of an earlier line; every later call repeats
    /// it.
    Result<void> append(std::string_view type, Json fields);

    /// Returns once every line so far is on the disk (fsync). Called before a checkpoint's manifest is
    /// written: a checkpoint of step N implies that the events up to step N are in the log.
    Result<void> flush();

private:
    struct Impl;
    explicit EventLog(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace rentune::trainer
