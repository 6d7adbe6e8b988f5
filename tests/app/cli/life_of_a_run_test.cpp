// SPDX-License-Identifier: GPL-3.0-or-later
// The command line drives a real run of a tiny model, each verb a program of its own.
#include "core/base/json.h"
#include "tests/support/env.h"
#include "tests/trainer/tiny_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace rentune {
namespace {

using testing::HasSubstr;

class LifeOfARunTest : public testing::Test
{
protected:
    void SetUp() override
    {
        test::writeTinyJob(m_folder.path());
        ::setenv("RENTUNE_HOME", (m_folder.path() / "home").c_str(), 1);
        ::setenv("RENTUNE_LANG", "en", 1);
    }

    static test::ProcessResult rentune(std::vector<std::string> words)
    {
        words.insert(words.begin(), (test::binFolder() / "rentune").string());
        return test::runProcess(words);
    }
    static Json json(const test::ProcessResult &result)
    {
        const auto value = parseJson(result.out, "stdout");
        return value ? *value : Json{{"not json", result.out + result.err}};
    }
    static Json newest() { return json(rentune({"list", "--json"})).at("runs").at(0); }
    static void waitForStep(int64_t step)
    {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (newest().at("step").get<int64_t>() < step && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::string job() const { return (m_folder.path() / "job.yaml").string(); }

    const test::TemporaryFolder m_folder;
};

TEST_F(LifeOfARunTest, StartStopResumeAttach)
{
    const auto started = rentune({"run", job(), "--detach", "--set", "training.max_steps=2000", "--json"});
    ASSERT_EQ(started.exitCode, 0) << started.err;
    const std::string id = json(started).at("id").get<std::string>();
    waitForStep(3);
    EXPECT_EQ(newest().at("state"), "running");

    const auto saved = rentune({"checkpoint", id, "--json"});
    EXPECT_EQ(saved.exitCode, 0) << saved.err;
    EXPECT_EQ(json(saved).at("type"), "checkpoint");

    const auto stopped = rentune({"stop", id, "--json"});
    EXPECT_EQ(stopped.exitCode, 0) << stopped.err;
    EXPECT_EQ(json(stopped).at("state"), "stopped");
    EXPECT_EQ(rentune({"stop", id}).exitCode, 2);

    ASSERT_EQ(rentune({"resume", id, "--detach"}).exitCode, 0);
    waitForStep(json(stopped).at("step").get<int64_t>() + 1);
    EXPECT_EQ(rentune({"stop", id, "--now"}).exitCode, 0);
    EXPECT_EQ(newest().at("state"), "interrupted");

    const auto attached = rentune({"attach", id, "--json"});
    EXPECT_EQ(attached.exitCode, 75) << attached.err;
    int64_t seq = 0;
    std::istringstream lines(attached.out);
    for (std::string line; std::getline(lines, line);)
        EXPECT_EQ(Json::parse(line).at("seq"), seq++);
    EXPECT_GT(seq, 5);
}

TEST_F(LifeOfARunTest, RunFollowsToTheEndAndGivesTheExitCode)
{
    const auto done = rentune({"run", job(), "--set", "training.max_steps=4"});
    EXPECT_EQ(done.exitCode, 0) << done.err;
    EXPECT_EQ(newest().at("state"), "done");
    EXPECT_TRUE(std::filesystem::exists(m_folder.path() / "home" / "runs" /
                                        newest().at("id").get<std::string>() / "adapter" /
                                        "adapter_config.json"));

    const auto missing = rentune({"run", job(), "--set", "model.path=/nowhere", "--json"});
    EXPECT_EQ(missing.exitCode, 3) << missing.err;
}

TEST_F(LifeOfARunTest, FailuresAreOneSentenceOrOneObject)
{
    const auto typo = rentune({"plan", job(), "--set", "training.learing_rate=1"});
    EXPECT_EQ(typo.exitCode, 2);
    EXPECT_THAT(typo.err, HasSubstr("learning_rate"));
    EXPECT_EQ(typo.out, "");

    const auto unknown = rentune({"attach", "nothing", "--json"});
    EXPECT_EQ(unknown.exitCode, 2);
    EXPECT_EQ(json(unknown).at("error").at("code"), "run.unknown");

    const auto verb = rentune({"pln", job(), "--json"});
    EXPECT_EQ(verb.exitCode, 2);
    EXPECT_THAT(json(verb).at("error").at("detail").get<std::string>(), HasSubstr("did you mean plan"));
}

TEST_F(LifeOfARunTest, PlanSaysWhatTheJobNeeds)
{
    const auto planned = rentune({"plan", job(), "--json"});
    ASSERT_EQ(planned.exitCode, 0) << planned.err;
    const Json plan = json(planned);
    EXPECT_TRUE(plan.at("feasible").get<bool>());
    EXPECT_GT(plan.at("memory").at("per_gpu_bytes").at("expected").get<int64_t>(), 0);
    EXPECT_EQ(plan.at("layout").at("global_batch"), 8);
}

} // namespace
} // namespace rentune
