// SPDX-License-Identifier: GPL-3.0-or-later
// Ends the trainer in every way a machine can and checks that what follows is the unbroken run, bit for bit.
#include "core/base/file_ops.h"
#include "tests/support/env.h"
#include "tests/trainer/tiny_run.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <thread>

namespace rentune {
namespace {
namespace fs = std::filesystem;
using test::ChildProcess;
using test::TinyRun;

using test::tinySteps;

/// A step-N folder is being written: it is there and has no manifest yet.
bool insideCheckpoint(const TinyRun &run)
{
    return std::ranges::any_of(run.checkpoints(),
                               [](const fs::path &folder) { return !fs::exists(folder / "manifest.json"); });
}

class ResumeTest : public testing::Test
{
protected:
    static void SetUpTestSuite()
    {
        s_folder = new test::TemporaryFolder;
        test::writeTinyJob(root());
        const TinyRun unbroken = run("unbroken");
        ASSERT_EQ(unbroken.runToEnd(), 0) << unbroken.printed();
        s_reference = new std::map(unbroken.steps());
        ASSERT_EQ(s_reference->size(), static_cast<size_t>(tinySteps));
    }
    static void TearDownTestSuite()
    {
        delete s_reference;
        delete s_folder;
    }

    static const fs::path &root() { return s_folder->path(); }
    static TinyRun run(const std::string &name) { return TinyRun(root() / "job.yaml", root() / name); }
    /// Waits for `moment` and kills; whether the run was still going. The kill lands within a fraction of a
    /// millisecond of the moment.
    static bool killWhen(ChildProcess &child, const std::function<bool()> &moment)
    {
        while (child.running()) {
            if (moment()) {
                child.signal(SIGKILL);
                return child.wait() == 128 + SIGKILL;
            }
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        return false;
    }

    /// Every step of every attempt has the unbroken run's numbers, none is missing, seq has no gap, the
    /// result is equal.
    static void expectUnbroken(const TinyRun &broken)
    {
        std::map<int64_t, int> seen;
        int64_t seq = 0;
        int attempt = 0;
        for (const wire::Event &event : broken.events()) {
            EXPECT_EQ(event.seq, seq++);
            EXPECT_GE(event.attempt, attempt);
            attempt = event.attempt;
            if (event.type != "step")
                continue;
            const int64_t step = event.fields.at("step").get<int64_t>();
            ++seen[step];
            EXPECT_EQ(test::stepNumbers(event), s_reference->at(step))
                << "step " << step << " of attempt " << attempt;
        }
        EXPECT_EQ(seen.size(), s_reference->size());
        const fs::path result = fs::path("adapter") / "adapter_model.safetensors";
        EXPECT_EQ(readFile(broken.folder() / result).value(), readFile(root() / "unbroken" / result).value());
    }

    inline static test::TemporaryFolder *s_folder = nullptr;
    inline static std::map<int64_t, test::StepNumbers> *s_reference = nullptr;
};

TEST_F(ResumeTest, KilledAtTwentyMoments)
{
    int kills = 0;
    int betweenSteps = 0;
    int insideCheckpoints = 0;
    const auto report = [&](const TinyRun &broken, const char *where) {
        const int64_t step = broken.lastStep();
        betweenSteps += step >= 1 && step < tinySteps;
        std::printf("kill %2d %s, last step in the log %lld\n", ++kills, where, static_cast<long long>(step));
    };

    // One run that is killed again and again and never gets far.
    const TinyRun often = run("often");
    bool resume = false;
    const auto leg = [&](const TinyRun &broken, const char *where, const std::function<bool()> &moment) {
        const auto child = broken.start(resume);
        resume = true;
        if (!killWhen(*child, moment))
            return false;
        report(broken, where);
        return true;
    };
    ASSERT_TRUE(
        leg(often, "before the first step", [&] { return fs::exists(often.folder() / "events.jsonl"); }));
    for (int64_t step = 1; step <= 40; step += 3)
        ASSERT_TRUE(leg(often, "between steps", [&] { return often.lastStep() >= step; }));
    EXPECT_EQ(often.runToEnd(true), 0) << often.printed();
    expectUnbroken(often);

    // Runs that are killed in a save; a save takes milliseconds, so a kill now and then comes too late.
    for (int tries = 0; insideCheckpoints < 5 && tries < 40; ++tries) {
        const TinyRun broken = run("save-" + std::to_string(tries));
        resume = false;
        const int64_t after = 9 * tries % tinySteps;
        const bool killed =
            leg(broken, "in a save", [&] { return insideCheckpoint(broken) && broken.lastStep() >= after; });
        if (!killed)
            continue;
        insideCheckpoints += insideCheckpoint(broken);
        EXPECT_EQ(broken.runToEnd(true), 0) << broken.printed();
        expectUnbroken(broken);
    }
    EXPECT_GE(kills, 20);
    EXPECT_GE(betweenSteps, 12);
    EXPECT_GE(insideCheckpoints, 3);
}

TEST_F(ResumeTest, ANoticeSavesAndExits75)
{
    const TinyRun noticed = run("noticed");
    const auto child = noticed.start();
    while (child->running() && noticed.lastStep() < 10)
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    child->signal(SIGTERM);
    EXPECT_EQ(child->wait(), 75) << noticed.printed();
    const int64_t step = noticed.lastStep();
    EXPECT_TRUE(
        fs::exists(noticed.folder() / "checkpoints" / ("step-" + std::to_string(step)) / "manifest.json"));
    EXPECT_EQ(noticed.events().back().type, "done");
    EXPECT_EQ(noticed.events().back().fields.at("exit"), 75);

    EXPECT_EQ(noticed.runToEnd(true), 0) << noticed.printed();
    expectUnbroken(noticed);
    // Nothing was trained twice: the save was of the last step.
    int64_t steps = 0;
    for (const wire::Event &event : noticed.events())
        steps += event.type == "step";
    EXPECT_EQ(steps, tinySteps);
}

TEST_F(ResumeTest, EarlyStoppingCountsOnThroughAKill)
{
    const fs::path job = root() / "early.yaml";
    fs::copy_file(root() / "job.yaml", job);
    test::replaceIn(job, "train: [rows.jsonl]", "train: [rows.jsonl], eval: [rows.jsonl]");
    test::replaceIn(job, "learning_rate: 1e-3",
                    "eval_steps: 5, early_stopping: {patience: 3}, learning_rate: 0"); // 0: nothing falls
    const TinyRun killed(job, root() / "early");
    const auto child = killed.start();
    ASSERT_TRUE(killWhen(*child, [&] { return killed.lastStep() >= 8; }));
    EXPECT_EQ(killed.runToEnd(true), 0) << killed.printed();
    EXPECT_EQ(killed.lastStep(), 15);
    EXPECT_TRUE(fs::exists(killed.folder() / "adapter" / "adapter_model.safetensors"));
}

TEST_F(ResumeTest, AUsedFolderNeedsResume)
{
    const TinyRun again = run("unbroken");
    const std::string before = readFile(again.folder() / "events.jsonl").value();
    EXPECT_EQ(again.runToEnd(), 2);
    EXPECT_THAT(again.printed(), testing::HasSubstr("--resume"));
    EXPECT_EQ(readFile(again.folder() / "events.jsonl").value(), before);
}

TEST_F(ResumeTest, TwoTrainersNeverShareAFolder)
{
    const TinyRun first = run("shared");
    const auto child = first.start();
    while (child->running() && first.lastStep() < 5)
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    const TinyRun second(root() / "job.yaml", first.folder());
    EXPECT_EQ(second.runToEnd(true), 2);
    EXPECT_THAT(second.printed(), testing::HasSubstr("another trainer"));
    EXPECT_EQ(child->wait(), 0);
    expectUnbroken(first);
}

TEST_F(ResumeTest, WithNoCheckpointItStartsAtZero)
{
    const TinyRun fresh = run("fresh");
    EXPECT_EQ(fresh.runToEnd(true), 0) << fresh.printed();
    expectUnbroken(fresh);
}

TEST_F(ResumeTest, ADamagedCheckpointIsPassedOver)
{
    const TinyRun damaged = run("damaged");
    ASSERT_TRUE(killWhen(*damaged.start(), [&] { return damaged.lastStep() >= 20; }));
    int64_t newest = 0;
    for (const auto &entry : fs::directory_iterator(damaged.folder() / "checkpoints"))
        newest = std::max<int64_t>(newest, std::stoll(entry.path().filename().string().substr(5)));
    const fs::path file =
        damaged.folder() / "checkpoints" / ("step-" + std::to_string(newest)) / "optimizer.safetensors";
    fs::resize_file(file, fs::file_size(file) / 2);
    EXPECT_EQ(damaged.runToEnd(true), 0) << damaged.printed();
    expectUnbroken(damaged);
}

} // namespace
} // namespace rentune
