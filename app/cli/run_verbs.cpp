// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/event_text.h"
#include "app/cli/follow.h"
#include "app/cli/plan_text.h"
#include "app/cli/session.h"
#include "app/store/store.h"
#include "app/text/words.h"
#include "core/wire/job_file.h"

#include <fmt/format.h>

#include <QDateTime>
#include <QFile>
#include <QThread>

namespace rentune::app {
namespace {

QString text(std::string_view words)
{
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

LocalRunner runnerOf(const Session &session)
{
    return LocalRunner(session.home, trainerProgram());
}

/// A store that can't be used never holds up a run: the run's folder has everything.
void remember(const Session &session, const RunInfo &run, const Json &plan)
{
    auto store = Store::open(session.home.store());
    const auto job = readFile(RunFiles{run.folder}.job(), MiB);
    const auto saved = store ? (*store)->saveRun({.id = text(run.id),
                                                  .name = text(run.name),
                                                  .folder = text(run.folder.string()),
                                                  .createdMicros = run.createdMicros,
                                                  .job = text(job ? *job : ""),
                                                  .plan = plan.is_null() ? QString() : text(plan.dump())})
                             : Result<void>(store.error());
    if (!saved)
        note(errorText(saved.error()));
    if (store && !(*store)->movedAside().empty())
        note(storeMovedText((*store)->movedAside().string()));
}

/// Prints events until the run ends; the run's exit code.
Result<int> follow(const Session &session, const LocalRunner &runner, const RunInfo &run, int64_t fromSeq)
{
    const auto show = [&](const std::vector<wire::Event> &events, const RunHistory &) {
        for (const wire::Event &event : events)
            print(session.json ? text(wire::encodeEvent(event)) : eventLine(event));
    };
    RENTUNE_TRY(const Followed end,
                followRun(runner, run, {.fromSeq = fromSeq, .show = show, .interrupt = {}}));
    if (end.history.empty())
        note(Cli::tr("The trainer ended before its first event; %1 tells why")
                 .arg(text(RunFiles{run.folder}.log().string())));
    note(Cli::tr("%1: %2").arg(text(run.id), stateText(text(runStateName(end.state)))));
    return runner.exitCode(run.folder, end.history);
}

Result<int> begun(const Session &session, const LocalRunner &runner, const RunInfo &run, int64_t fromSeq,
                  bool detach)
{
    if (!detach) {
        note(Cli::tr("Run %1 in %2").arg(text(run.id), text(run.folder.string())));
        return follow(session, runner, run, fromSeq);
    }
    if (session.json)
        print(Json{{"id", run.id}, {"folder", run.folder.string()}});
    else
        print(text(run.id));
    return 0;
}

Result<int> start(const Session &session, const std::string &file, const std::vector<std::string> &sets,
                  bool detach)
{
    RENTUNE_TRY(const wire::JobSpec job, wire::readJob(file, sets));
    RENTUNE_CHECK(wire::checkTrainable(job, file));
    const auto plan = planOf(job);
    if (plan)
        note(planLine(*plan));
    LocalRunner runner = runnerOf(session);
    const Json planned = plan ? plan::planJson(*plan) : Json();
    RENTUNE_TRY(const RunInfo run, runner.start(job, planned));
    remember(session, run, planned);
    return begun(session, runner, run, 0, detach);
}

Json runJson(const RunInfo &run)
{
    return {{"id", run.id},
            {"name", run.name},
            {"node", "local"},
            {"state", runStateName(run.state)},
            {"step", run.step},
            {"created", QDateTime::fromMSecsSinceEpoch(run.createdMicros / 1000, Qt::UTC)
                            .toString(Qt::ISODate)
                            .toStdString()}};
}

Result<int> list(const Session &session)
{
    Json runs = Json::array();
    for (const RunInfo &run : runnerOf(session).list()) {
        runs.push_back(runJson(run));
        if (!session.json)
            print(QStringLiteral("%1  %2  %3")
                      .arg(text(run.id), -40)
                      .arg(stateText(text(runStateName(run.state))), -12)
                      .arg(Cli::tr("step %1").arg(run.step)));
    }
    if (session.json)
        print(Json{{"runs", std::move(runs)}});
    else if (runs.empty())
        print(Cli::tr("No runs yet: start one with rentune run JOB"));
    return 0;
}

Result<int> stop(const Session &session, const std::string &id, bool now)
{
    LocalRunner runner = runnerOf(session);
    RENTUNE_TRY(const RunInfo run, runner.find(id));
    RENTUNE_CHECK(runner.stop(run, now));
    if (!now)
        note(Cli::tr("Waiting for the checkpoint"));
    while (runner.isRunning(run.folder))
        QThread::msleep(50);
    RENTUNE_TRY(const RunInfo ended, runner.find(run.folder.string()));
    if (session.json)
        print(runJson(ended));
    else
        print(Cli::tr("%1: %2").arg(text(ended.id), stateText(text(runStateName(ended.state)))));
    return 0;
}

/// Seq of the event that comes next: what a resumed run adds.
int64_t nextSeq(const RunInfo &run)
{
    int64_t next = 0;
    EventReader reader(RunFiles{run.folder}.events());
    for (auto events = reader.readNew(); events && !events->empty(); events = reader.readNew())
        next = events->back().seq + 1;
    return next;
}

/// Asks for a checkpoint and waits for its event.
Result<int> checkpoint(const Session &session, const std::string &id)
{
    LocalRunner runner = runnerOf(session);
    RENTUNE_TRY(const RunInfo run, runner.find(id));
    EventReader reader(RunFiles{run.folder}.events(), nextSeq(run));
    RENTUNE_CHECK(runner.checkpoint(run));
    for (bool running = true; running; QThread::msleep(50)) {
        running = runner.isRunning(run.folder);
        RENTUNE_TRY(const auto events, reader.readNew());
        for (const wire::Event &event : events) {
            if (event.type != "checkpoint")
                continue;
            print(session.json ? text(wire::encodeEvent(event)) : eventLine(event));
            return 0;
        }
    }
    return Error{ErrorCode::RunState, fmt::format("the run {} ended before its next checkpoint", run.id)};
}

Result<int> resume(const Session &session, const std::string &id, bool detach)
{
    LocalRunner runner = runnerOf(session);
    RENTUNE_TRY(const RunInfo run, runner.find(id));
    const int64_t fromSeq = nextSeq(run);
    RENTUNE_TRY(const RunInfo resumed, runner.resume(run));
    return begun(session, runner, resumed, fromSeq, detach);
}

Result<int> logs(const Session &session, const std::string &id)
{
    RENTUNE_TRY(const RunInfo run, runnerOf(session).find(id));
    RENTUNE_TRY(const std::string log, readFile(RunFiles{run.folder}.log(), GiB));
    if (session.json)
        print(Json{{"log", log}});
    else
        print(text(log));
    return 0;
}

} // namespace

void addRunVerbs(CLI::App &parser, Session &session)
{
    struct Options
    {
        std::string subject;
        std::vector<std::string> sets;
        int64_t from = 0;
        bool detach = false;
        bool now = false;
    };
    const auto options = std::make_shared<Options>();
    const auto add = [&](const char *name, const char *what, const char *subject, auto action) {
        CLI::App *verb = parser.add_subcommand(name, what);
        if (subject)
            verb->add_option(subject, options->subject)->required();
        verb->callback([&session, action] { session.action = action; });
        return verb;
    };
    CLI::App *run = add("run", "Start a job and follow it to its end", "JOB", [&session, options] {
        return start(session, options->subject, options->sets, options->detach);
    });
    run->add_option("--set", options->sets, "key=value, over the file's")->allow_extra_args(false);
    run->add_option("--node", "local")->check(CLI::IsMember({"local"}));
    run->add_flag("--detach", options->detach, "print the run's id and return");
    add("list", "Runs, the newest first", nullptr, [&session] { return list(session); });
    CLI::App *attach = add("attach", "Follow a run", "RUN", [&session, options]() -> Result<int> {
        const LocalRunner runner = runnerOf(session);
        RENTUNE_TRY(const RunInfo found, runner.find(options->subject));
        return follow(session, runner, found, options->from);
    });
    attach->add_option("--from", options->from, "sequence number of the first event")
        ->check(CLI::NonNegativeNumber);
    CLI::App *halt = add("stop", "End a run with a checkpoint", "RUN",
                         [&session, options] { return stop(session, options->subject, options->now); });
    halt->add_flag("--now", options->now, "at once, without a checkpoint");
    add("checkpoint", "Save a checkpoint now and go on", "RUN",
        [&session, options] { return checkpoint(session, options->subject); });
    CLI::App *again = add("resume", "Go on from the last checkpoint", "RUN",
                          [&session, options] { return resume(session, options->subject, options->detach); });
    again->add_flag("--detach", options->detach, "return at once");
    add("logs", "What the trainer printed", "RUN",
        [&session, options] { return logs(session, options->subject); });
}

} // namespace rentune::app
