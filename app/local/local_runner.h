// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/local/home.h"
#include "app/local/process.h"
#include "app/local/run_history.h"
#include "core/base/clock.h"
#include "core/base/file_ops.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "core/wire/job_spec.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rentune::app {

enum class RunState
{
    Starting, ///< the trainer lives and has sent nothing yet
    Running,
    Done,
    Stopped, ///< ended on request with a checkpoint: can be resumed
    Failed,
    Interrupted ///< the process is gone without a word (killed, power cut): can be resumed
};

/// The interface's word: "starting", "running", "done", "stopped", "failed", "interrupted".
std::string_view runStateName(RunState state);
bool isActive(RunState state);    ///< starting or running
bool isResumable(RunState state); ///< stopped, failed or interrupted

/// The state of a run out of its events, read after `running` was found out.
RunState runState(bool running, const RunHistory &history);

/// A run as its folder tells it.
struct RunInfo
{
    std::string id;   ///< the folder's name
    std::string name; ///< the job's
    std::filesystem::path folder;
    RunState state = RunState::Failed;
    int64_t step = 0;
    int64_t createdMicros = 0;
};

/// Files of a run's folder.
struct RunFiles
{
    std::filesystem::path folder;

    std::filesystem::path job() const { return folder / "job.yaml"; }
    std::filesystem::path events() const { return folder / "events.jsonl"; }
    std::filesystem::path log() const { return folder / "trainer.log"; } ///< what the trainer printed
    std::filesystem::path run() const
    {
        return folder / "run.json";
    } ///< process, creation time, plan at start
};

/// Runs on this computer. A run is a trainer process of its own that outlives this program; everything about
/// it is in its folder under Home::runs(), so any later program finds it again. No state but the folders';
/// every call reads them. Used from one thread.
class LocalRunner
{
public:
    /// References must outlive the runner. `trainer` is the rentune-trainer program.
    LocalRunner(Home home, std::filesystem::path trainer, FileOps &ops = systemFileOps(),
                const Clock &clock = systemClock());

    /// Makes the folder NAME-TIME, writes the job and `plan` (plan::planJson, or null) into it and starts the
    /// trainer. Errors: job.missing_key (data.train), file.missing (the trainer), disk.*.
    Result<RunInfo> start(const wire::JobSpec &job, const Json &plan = nullptr);

    /// Newest first. Folders that are no runs are left out.
    std::vector<RunInfo> list() const;

    /// By id, by a beginning of it that fits one run only, or by folder. Errors: run.unknown (with the
    /// nearest id).
    Result<RunInfo> find(const std::string &id) const;

    /// Asks the trainer to save a checkpoint and end (`now`: ends it at once, the last checkpoint counts).
    /// Returns without waiting. Errors: run.state if it does not run.
    Result<void> stop(const RunInfo &run, bool now = false);

    /// Asks the trainer for a checkpoint after the step it is in. Returns without waiting. Errors: run.state.
    Result<void> checkpoint(const RunInfo &run);

    /// Goes on from the last checkpoint. Errors: run.state if it runs or is done, and those of start().
    Result<RunInfo> resume(const RunInfo &run);

    /// Whether the run's trainer lives. Ask before reading the events that are to explain its end: a trainer
    /// found dead has written its last one.
    bool isRunning(const std::filesystem::path &folder) const;

    /// Exit code for the program that followed the run to its end: the trainer's, 75 for an interrupted run.
    int exitCode(const std::filesystem::path &folder, const RunHistory &history) const;

    /// The plan that start() was given; null if none.
    Json plan(const std::filesystem::path &folder) const;

private:
    Result<RunInfo> launch(const std::filesystem::path &folder, Json record, bool resume);
    std::optional<RunInfo> read(const std::filesystem::path &folder) const;

    Home m_home;
    std::filesystem::path m_trainer;
    FileOps &m_ops;
    const Clock &m_clock;
};

} // namespace rentune::app
