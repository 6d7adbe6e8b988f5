// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/follow.h"
#include "app/cli/plan_text.h"
#include "app/cli/progress.h"
#include "app/cli/session.h"
#include "app/local/demo_job.h"
#include "app/text/format.h"
#include "core/catalog/resources.h"
#include "core/throughput/host.h"
#include "core/wire/job_file.h"

#include <QProcess>

#include <optional>

namespace rentune::app {
namespace {

namespace fs = std::filesystem;

QString text(const std::string &words)
{
    return QString::fromStdString(words);
}

/// Imported beside its place and then renamed, so that a half-made model is never taken for one.
Result<void> importModel(const fs::path &gguf, const fs::path &folder)
{
    if (fs::exists(folder / "config.json"))
        return {};
    if (gguf.empty())
        return Error{ErrorCode::FileMissing,
                     "the demo's model is not here yet: ./dev demo obtains it, or give --gguf FILE",
                     folder.string()};
    note(Cli::tr("Importing the model from %1").arg(text(gguf.string())));
    const fs::path partial = folder.string() + ".partial";
    std::error_code failure;
    fs::remove_all(partial, failure);
    RENTUNE_CHECK(systemFileOps().createFolders(folder.parent_path()));
    QProcess trainer;
    trainer.setProcessChannelMode(QProcess::MergedChannels);
    trainer.start(text(trainerProgram().string()), {QStringLiteral("import-gguf"), text(gguf.string()),
                                                    QStringLiteral("--output"), text(partial.string())});
    if (!trainer.waitForStarted())
        return Error{ErrorCode::FileMissing, "the program is missing: build or install it again",
                     trainerProgram().string()};
    trainer.waitForFinished(-1);
    if (trainer.exitStatus() != QProcess::NormalExit || trainer.exitCode() != 0)
        return Error{ErrorCode::GgufFormat, trainer.readAll().trimmed().toStdString(), gguf.string()};
    return systemFileOps().rename(partial, folder);
}

/// The demo run to go on with: one that runs, or one that was interrupted and trains the same job.
std::optional<RunInfo> unfinished(const LocalRunner &runner, const wire::JobSpec &job)
{
    for (const RunInfo &run : runner.list()) {
        const auto before =
            run.name == job.name ? readFile(RunFiles{run.folder}.job(), MiB) : Result<std::string>("");
        if (before && *before == wire::writeJob(job))
            return run.state == RunState::Done || run.state == RunState::Failed ? std::nullopt
                                                                                : std::optional(run);
    }
    return std::nullopt;
}

Result<RunInfo> startOrResume(LocalRunner &runner, const wire::JobSpec &job, const plan::Plan &plan)
{
    const auto earlier = unfinished(runner, job);
    if (!earlier)
        return runner.start(job, plan::planJson(plan));
    note(Cli::tr("Going on with %1 from step %2").arg(text(earlier->id)).arg(earlier->step));
    return isActive(earlier->state) ? Result<RunInfo>(*earlier) : runner.resume(*earlier);
}

/// Draws the run until it ends; Ctrl-C asks it for a checkpoint first.
Result<Followed> watch(LocalRunner &runner, const RunInfo &run, Progress &progress)
{
    FollowOptions options;
    options.show = [&](const std::vector<wire::Event> &, const RunHistory &history) {
        progress.show(history);
    };
    options.interrupt = [&] {
        progress.end();
        note(Cli::tr("Saving a checkpoint; run the demo again to go on"));
        return runner.stop(run).ok();
    };
    Result<Followed> followed = followRun(runner, run, options);
    progress.end();
    return followed;
}

void showResult(const RunInfo &run, const RunHistory &history)
{
    print(Cli::tr("Loss    %1  %2 → %3")
              .arg(sparkline(history.steps(), 48), significant(history.steps().front().loss, 4),
                   significant(history.steps().back().loss, 4)));
    if (history.evals().size() >= 2)
        print(Cli::tr("Loss on the 32 rows held aside: %1 before, %2 after")
                  .arg(significant(history.evals().front().loss, 4),
                       significant(history.evals().back().loss, 4)));
    if (history.samples().size() >= 2) {
        print(Cli::tr("Asked: %1").arg(text(history.samples().front().prompt)));
        print(Cli::tr("Before: %1").arg(text(history.samples().front().text).trimmed()));
        print(Cli::tr("After: %1").arg(text(history.samples().back().text).trimmed()));
    }
    print(Cli::tr("The adapter is in %1").arg(text((run.folder / "adapter").string())));
}

Json resultJson(const RunInfo &run, const Followed &end)
{
    Json evals = Json::array();
    for (const EvalPoint &point : end.history.evals())
        evals.push_back({{"step", point.step}, {"loss", point.loss}});
    return {{"id", run.id},
            {"folder", run.folder.string()},
            {"state", runStateName(end.state)},
            {"step", end.history.lastStep()},
            {"evals", std::move(evals)}};
}

Result<int> demo(const Session &session, const fs::path &gguf, bool prepareOnly)
{
    RENTUNE_CHECK(importModel(gguf, demoModel(session.home)));
    if (prepareOnly)
        return 0;
    RENTUNE_TRY(const fs::path resources, catalog::resourceFolder());
    const wire::JobSpec job = demoJob(session.home, resources, throughput::thisComputer().bf16Instructions);
    RENTUNE_TRY(const plan::Plan plan, planOf(job));
    note(Cli::tr("Plan: %1").arg(planLine(plan)));
    LocalRunner runner(session.home, trainerProgram());
    RENTUNE_TRY(const RunInfo run, startOrResume(runner, job, plan));
    Progress progress(job.training.maxSteps, job.hardware.price, !session.json);
    RENTUNE_TRY(const Followed end, watch(runner, run, progress));
    if (session.json)
        print(resultJson(run, end));
    else if (end.state == RunState::Done)
        showResult(run, end.history);
    if (end.state == RunState::Failed)
        note(Cli::tr("The run failed; %1 tells why").arg(text(RunFiles{run.folder}.log().string())));
    return runner.exitCode(run.folder, end.history);
}

} // namespace

void addDemoVerb(CLI::App &parser, Session &session)
{
    CLI::App *verb = parser.add_subcommand("demo", "The main job on a small real model, in this terminal");
    const auto gguf = std::make_shared<std::string>();
    const auto prepare = std::make_shared<bool>(false);
    verb->add_option("--gguf", *gguf, "SmolLM2-135M-Instruct as a GGUF file, for the first time");
    verb->add_flag("--prepare", *prepare, "import the model and end");
    verb->callback([&session, gguf, prepare] {
        session.action = [&session, gguf, prepare] { return demo(session, *gguf, *prepare); };
    });
}

} // namespace rentune::app
