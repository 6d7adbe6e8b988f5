// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/local/run_history.h"

#include "app/local/local_runner.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rentune::app {
namespace {

wire::Event event(const std::string &type, Json fields = Json::object())
{
    return {.timeMicros = 5, .type = type, .fields = std::move(fields)};
}

wire::Event step(int64_t number, Json loss)
{
    return event("step", {{"step", number}, {"loss", std::move(loss)}});
}

} // namespace

TEST(RunHistory, RewindsWhenTheStepGoesBack)
{
    RunHistory history;
    for (int i = 1; i <= 5; ++i)
        history.add(step(i, 1.0 * i));
    history.add(event("eval", {{"step", 4}, {"loss", 9.0}}));
    history.add(step(3, 30.0));
    history.add(step(4, 40.0));
    history.add(event("eval", {{"step", 4}, {"loss", 8.0}}));
    std::vector<double> losses;
    for (const StepPoint &point : history.steps())
        losses.push_back(point.loss);
    EXPECT_EQ(losses, (std::vector<double>{1, 2, 30, 40}));
    ASSERT_EQ(history.evals().size(), 1u);
    EXPECT_EQ(history.evals()[0].loss, 8.0);
}

TEST(RunHistory, AnUnstatedFigureIsAGap)
{
    RunHistory history;
    history.add(step(1, nullptr));
    EXPECT_TRUE(std::isnan(history.steps()[0].loss));
    EXPECT_TRUE(std::isnan(history.steps()[0].gradNorm));
}

TEST(RunState, FollowsFromProcessAndEvents)
{
    RunHistory history;
    EXPECT_EQ(runState(true, history), RunState::Starting);
    EXPECT_EQ(runState(false, history), RunState::Failed);
    history.add(event("hello"));
    EXPECT_EQ(runState(true, history), RunState::Running);
    EXPECT_EQ(runState(false, history), RunState::Interrupted);
    history.add(event("done", {{"exit", 75}}));
    EXPECT_EQ(runState(false, history), RunState::Stopped);
    history.add(event("hello"));
    EXPECT_EQ(runState(false, history), RunState::Interrupted);
    history.add(event("error", {{"code", "disk.full"}}));
    EXPECT_EQ(runState(false, history), RunState::Failed);
    history.add(event("done", {{"exit", 6}}));
    EXPECT_EQ(runState(false, history), RunState::Failed);
    history.add(event("hello"));
    history.add(event("done", {{"exit", 0}}));
    EXPECT_EQ(runState(false, history), RunState::Done);
}

} // namespace rentune::app
