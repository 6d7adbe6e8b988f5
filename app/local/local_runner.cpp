// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/local/local_runner.h"

#include "app/local/event_reader.h"
#include "core/base/text.h"
#include "core/wire/job_file.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <ctime>

namespace rentune::app {
namespace {

namespace fs = std::filesystem;

constexpr size_t maxNameBytes = 80;

/// A job's name as a folder name: separators, blanks and control characters become "-".
std::string folderName(std::string name)
{
    for (char &c : name)
        if (static_cast<unsigned char>(c) <= ' ' ||
            std::string_view("/\\:*?\"<>|\x7f").find(c) != std::string_view::npos)
            c = '-';
    if (name.size() > maxNameBytes)
        name.resize(maxNameBytes);
    if (const size_t cut = firstInvalidUtf8(name); cut != std::string::npos)
        name.resize(cut);
    if (name.empty() || name.front() == '.' || name.front() == '-')
        name.insert(0, "run");
    return name;
}

Json processJson(const ProcessId &process)
{
    return {{"pid", process.pid}, {"start_ticks", process.startTicks}, {"boot", process.boot}};
}

/// Absent or damaged members read as "no process".
ProcessId processOf(const Json &record)
{
    const Json process = record.value("process", Json::object());
    if (!process.is_object() || !process.contains("pid") || !process["pid"].is_number_integer() ||
        !process.contains("start_ticks") || !process["start_ticks"].is_number_integer() ||
        !process.contains("boot") || !process["boot"].is_string())
        return {};
    return {process["pid"], process["start_ticks"], process["boot"]};
}

Json recordOf(const fs::path &folder)
{
    auto record = readJson(RunFiles{folder}.run(), MiB);
    return record && record->is_object() ? std::move(record).value() : Json::object();
}

RunHistory historyOf(const fs::path &folder)
{
    RunHistory history;
    EventReader reader(RunFiles{folder}.events());
    for (auto events = reader.readNew(); events && !events->empty(); events = reader.readNew())
        for (const wire::Event &event : *events)
            history.add(event);
    return history;
}

int64_t createdMicros(const Json &record, const RunHistory &history)
{
    const auto stated = record.find("created_us");
    return stated != record.end() && stated->is_number_integer() ? stated->get<int64_t>()
                                                                 : history.startedMicros();
}

Result<void> signalRun(const RunInfo &run, int number)
{
    const ProcessId process = processOf(recordOf(run.folder));
    if (!isAlive(process))
        return Error{ErrorCode::RunState, fmt::format("the run {} is not running", run.id)};
    sendSignal(process, number);
    return {};
}

} // namespace

std::string_view runStateName(RunState state)
{
    static constexpr std::string_view names[] = {"starting", "running", "done",
                                                 "stopped",  "failed",  "interrupted"};
    return names[static_cast<size_t>(state)];
}

bool isActive(RunState state)
{
    return state == RunState::Starting || state == RunState::Running;
}

bool isResumable(RunState state)
{
    return !isActive(state) && state != RunState::Done;
}

RunState runState(bool running, const RunHistory &history)
{
    const RunEnding &ending = history.ending();
    if (running)
        return history.empty() ? RunState::Starting : RunState::Running;
    if (ending.exit) {
        const std::string_view end = wire::endState(*ending.exit);
        return end == "done" ? RunState::Done : end == "stopped" ? RunState::Stopped : RunState::Failed;
    }
    return history.empty() || !ending.errorCode.empty() ? RunState::Failed : RunState::Interrupted;
}

LocalRunner::LocalRunner(Home home, fs::path trainer, FileOps &ops, const Clock &clock)
    : m_home(std::move(home)), m_trainer(std::move(trainer)), m_ops(ops), m_clock(clock)
{
}

Result<RunInfo> LocalRunner::start(const wire::JobSpec &job, const Json &plan)
{
    RENTUNE_CHECK(wire::checkTrainable(job, ""));
    RENTUNE_CHECK(m_ops.createFolders(m_home.runs()));
    const int64_t now = m_clock.nowMicros();
    const std::time_t seconds = now / 1'000'000;
    const std::string base =
        fmt::format("{}-{:%Y%m%d-%H%M%S}", folderName(job.name), fmt::localtime(seconds));
    fs::path folder = m_home.runs() / base;
    std::error_code failure;
    for (int n = 2; !fs::create_directory(folder, failure) && !failure; ++n)
        folder = m_home.runs() / fmt::format("{}-{}", base, n);
    if (failure)
        return Error{ErrorCode::DiskWrite, failure.message(), folder.string()};
    const auto begin = [&]() -> Result<RunInfo> {
        RENTUNE_CHECK(atomicReplace(m_ops, RunFiles{folder}.job(), wire::writeJob(job)));
        return launch(folder, {{"name", job.name}, {"created_us", now}, {"plan", plan}}, false);
    };
    auto run = begin();
    if (!run)
        fs::remove_all(folder, failure);
    return run;
}

Result<RunInfo> LocalRunner::launch(const fs::path &folder, Json record, bool resume)
{
    const RunFiles files{folder};
    std::vector<std::string> command{m_trainer, "train", files.job(), "--run-dir", folder};
    if (resume)
        command.push_back("--resume");
    RENTUNE_TRY(const ProcessId process, startDetached(command, files.log()));
    record["process"] = processJson(process);
    if (auto written = atomicReplace(m_ops, files.run(), record.dump(2) + "\n"); !written) {
        sendSignal(process, SIGKILL); // nobody would find it again
        return std::move(written).error();
    }
    return read(folder).value();
}

std::optional<RunInfo> LocalRunner::read(const fs::path &folder) const
{
    const Json record = recordOf(folder);
    const bool running = isAlive(processOf(record));
    const RunHistory history = historyOf(folder);
    if (record.empty() && history.empty())
        return std::nullopt;
    const std::string id = folder.filename().string();
    const auto name = record.find("name");
    return RunInfo{.id = id,
                   .name = name != record.end() && name->is_string() ? name->get<std::string>() : id,
                   .folder = folder,
                   .state = runState(running, history),
                   .step = history.lastStep(),
                   .createdMicros = createdMicros(record, history)};
}

std::vector<RunInfo> LocalRunner::list() const
{
    std::vector<RunInfo> runs;
    std::error_code none;
    for (fs::directory_iterator each(m_home.runs(), none), end; !none && each != end; each.increment(none))
        if (auto run = read(each->path()))
            runs.push_back(std::move(*run));
    std::sort(runs.begin(), runs.end(), [](const RunInfo &a, const RunInfo &b) {
        return std::tie(a.createdMicros, a.id) > std::tie(b.createdMicros, b.id);
    });
    return runs;
}

Result<RunInfo> LocalRunner::find(const std::string &id) const
{
    std::error_code none;
    if (id.find('/') != std::string::npos && fs::is_directory(id, none))
        if (auto run = read(fs::canonical(id, none)))
            return std::move(*run);
    std::vector<std::string> ids;
    std::vector<RunInfo> fitting;
    for (RunInfo &run : list()) {
        ids.push_back(run.id);
        if (run.id == id)
            return std::move(run);
        if (run.id.starts_with(id))
            fitting.push_back(std::move(run));
    }
    if (fitting.size() == 1)
        return std::move(fitting.front());
    const auto near = nearest(id, ids);
    const std::string hint = !fitting.empty() ? fmt::format(": {} runs begin so", fitting.size())
                             : near           ? fmt::format(": did you mean {}?", *near)
                                              : "";
    return Error{ErrorCode::RunUnknown, fmt::format("no run \"{}\"{}; rentune list shows them", id, hint)};
}

Result<void> LocalRunner::stop(const RunInfo &run, bool now)
{
    return signalRun(run, now ? SIGKILL : SIGTERM);
}

Result<void> LocalRunner::checkpoint(const RunInfo &run)
{
    return signalRun(run, SIGUSR1);
}

Result<RunInfo> LocalRunner::resume(const RunInfo &run)
{
    Json record = recordOf(run.folder);
    const bool running = isAlive(processOf(record));
    const RunState current = runState(running, historyOf(run.folder));
    if (!isResumable(current))
        return Error{ErrorCode::RunState, fmt::format("the run {} is {}", run.id, runStateName(current))};
    return launch(run.folder, std::move(record), true);
}

bool LocalRunner::isRunning(const fs::path &folder) const
{
    return isAlive(processOf(recordOf(folder)));
}

int LocalRunner::exitCode(const fs::path &folder, const RunHistory &history) const
{
    // the process's own word first: a resumed trainer may have ended before its first event
    if (const auto code = exitCodeOf(processOf(recordOf(folder))); code && *code < 128)
        return *code;
    if (history.ending().exit)
        return *history.ending().exit;
    return rentune::exitCode(ErrorClass::Notice);
}

Json LocalRunner::plan(const fs::path &folder) const
{
    return recordOf(folder).value("plan", Json());
}

} // namespace rentune::app
