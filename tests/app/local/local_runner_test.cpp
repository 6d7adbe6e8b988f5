// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/local/local_runner.h"

#include "app/local/run_follower.h"
#include "core/wire/job_file.h"
#include "tests/support/env.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QEventLoop>

#include <csignal>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace rentune::app {
namespace {

namespace fs = std::filesystem;

class LocalRunnerTest : public testing::Test
{
protected:
    static wire::JobSpec job(const std::string &runName, int64_t steps)
    {
        wire::JobSpec spec;
        spec.name = runName;
        spec.model.path = "/m";
        spec.data.train = {"/d.jsonl"};
        spec.training.maxSteps = steps;
        wire::stateChangedKeys(spec);
        return spec;
    }

    RunInfo started(const std::string &runName, int64_t steps)
    {
        auto run = runner.start(job(runName, steps), {{"feasible", true}});
        EXPECT_TRUE(run) << run.error().toString();
        return *run;
    }

    /// Follows until `done` says so; the test's time limit is the guard against a run that never gets there.
    template <typename Condition>
    static void follow(RunFollower &follower, Condition done)
    {
        QEventLoop loop;
        const auto check = [&] {
            if (done())
                loop.quit();
        };
        QObject::connect(&follower, &RunFollower::eventsArrived, &loop, check);
        QObject::connect(&follower, &RunFollower::stateChanged, &loop, check);
        QMetaObject::invokeMethod(
            &loop, [&] { follower.start(); }, Qt::QueuedConnection);
        loop.exec();
    }

    RunState followToEnd(const RunInfo &run)
    {
        RunFollower follower(runner, run.folder);
        follow(follower, [&] { return !isActive(follower.state()); });
        history = follower.history();
        return follower.state();
    }

    int argc = 1;
    char program[5] = "test";
    char *argv[1] = {program};
    QCoreApplication application{argc, argv};
    test::TemporaryFolder home;
    LocalRunner runner{Home{home.path()}, FAKE_TRAINER};
    RunHistory history;
};

} // namespace

TEST_F(LocalRunnerTest, RunsToTheEnd)
{
    const RunInfo run = started("my tune/1", 20);
    EXPECT_TRUE(run.id.starts_with("my-tune-1-")) << run.id;
    EXPECT_EQ(run.name, "my tune/1");
    EXPECT_EQ(followToEnd(run), RunState::Done);
    EXPECT_EQ(history.steps().size(), 20u);
    EXPECT_EQ(runner.exitCode(run.folder, history), 0);
    EXPECT_EQ(runner.plan(run.folder), (Json{{"feasible", true}}));
    const auto runs = runner.list();
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].state, RunState::Done);
    EXPECT_EQ(runs[0].step, 20);
    EXPECT_EQ(runner.resume(runs[0]).error().code, ErrorCode::RunState);
    EXPECT_EQ(runner.stop(runs[0]).error().code, ErrorCode::RunState);
}

TEST_F(LocalRunnerTest, StopsWithACheckpointAndGoesOn)
{
    const RunInfo run = started("long", 300);
    {
        RunFollower follower(runner, run.folder);
        follow(follower, [&] { return follower.history().lastStep() >= 5; });
        EXPECT_EQ(follower.state(), RunState::Running);
    }
    EXPECT_EQ(runner.resume(run).error().code, ErrorCode::RunState);
    ASSERT_TRUE(runner.stop(run));
    EXPECT_EQ(followToEnd(run), RunState::Stopped);
    EXPECT_EQ(runner.exitCode(run.folder, history), 75);
    ASSERT_TRUE(runner.resume(run));
    EXPECT_EQ(followToEnd(run), RunState::Done);
    ASSERT_EQ(history.steps().size(), 300u);
    EXPECT_EQ(history.steps().front().step, 1);
    EXPECT_EQ(history.steps().back().step, 300);
}

TEST_F(LocalRunnerTest, AKilledRunIsInterruptedAndGoesOn)
{
    const RunInfo run = started("long", 300);
    {
        RunFollower follower(runner, run.folder);
        follow(follower, [&] { return follower.history().lastStep() >= 5; });
    }
    ASSERT_TRUE(runner.stop(run, true));
    EXPECT_EQ(followToEnd(run), RunState::Interrupted);
    EXPECT_EQ(runner.exitCode(run.folder, history), 75);
    ASSERT_TRUE(runner.resume(run));
    EXPECT_EQ(followToEnd(run), RunState::Done);
    EXPECT_EQ(history.steps().size(), 300u);
}

TEST_F(LocalRunnerTest, TellsFailuresApart)
{
    const RunInfo crash = started("crash", 3);
    EXPECT_EQ(followToEnd(crash), RunState::Failed);
    EXPECT_EQ(history.ending().errorCode, "numeric.nonfinite");
    EXPECT_EQ(runner.exitCode(crash.folder, history), 8);
    const RunInfo mute = started("mute", 3);
    EXPECT_EQ(followToEnd(mute), RunState::Failed);
    EXPECT_EQ(runner.exitCode(mute.folder, history), 2);
}

TEST_F(LocalRunnerTest, OutlivesTheProgramThatStartedIt)
{
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(runner.start(job("orphan", 100)) ? 0 : 1);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    const auto run = runner.find("orphan");
    ASSERT_TRUE(run);
    EXPECT_TRUE(isActive(run->state));
    EXPECT_EQ(followToEnd(*run), RunState::Done);
    EXPECT_EQ(history.steps().size(), 100u);
}

TEST_F(LocalRunnerTest, APidUsedAgainIsNotTheRun)
{
    const RunInfo run = started("short", 1);
    followToEnd(run);
    auto record = *readJson(RunFiles{run.folder}.run());
    record["process"]["pid"] = ::getpid();
    std::ofstream(RunFiles{run.folder}.run(), std::ios::trunc) << record.dump();
    EXPECT_FALSE(runner.isRunning(run.folder));
}

TEST_F(LocalRunnerTest, FindsRunsByIdBeginningAndFolder)
{
    const RunInfo a = started("alpha", 1);
    const RunInfo b = started("alpha", 1);
    EXPECT_NE(a.id, b.id);
    EXPECT_EQ(runner.find(a.id)->id, a.id);
    EXPECT_EQ(runner.find(b.folder.string())->id, b.id);
    EXPECT_EQ(runner.find("alpha").error().code, ErrorCode::RunUnknown);
    EXPECT_EQ(runner.find("beta").error().code, ErrorCode::RunUnknown);
    EXPECT_EQ(runner.list().front().id, b.id);
    followToEnd(a);
    followToEnd(b);
}

TEST_F(LocalRunnerTest, NamesWhatIsMissing)
{
    LocalRunner broken(Home{home.path()}, "/nowhere/rentune-trainer");
    EXPECT_EQ(broken.start(job("a", 1)).error().code, ErrorCode::FileMissing);
    wire::JobSpec noData = job("a", 1);
    noData.data.train.clear();
    EXPECT_EQ(runner.start(noData).error().code, ErrorCode::JobMissingKey);
    std::ofstream(home.path() / "runs" / "stray.txt") << "x";
    fs::create_directories(home.path() / "runs" / "empty");
    EXPECT_TRUE(runner.list().empty());
}

} // namespace rentune::app
