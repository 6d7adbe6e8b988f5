// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/loop/checkpoint_policy.h"
#include "trainer/loop/early_stopping.h"
#include "trainer/optim/schedule.h"

#include <gtest/gtest.h>

namespace rentune::trainer {
namespace {

wire::TrainingSpec training(wire::Scheduler scheduler, int64_t warmup, double ratio = 0)
{
    wire::TrainingSpec spec;
    spec.learningRate = 1;
    spec.scheduler = scheduler;
    spec.warmupSteps = warmup;
    spec.warmupRatio = ratio;
    return spec;
}

TEST(LearningRate, WarmsUpFromZeroAndFalls)
{
    const LearningRate cosine(training(wire::Scheduler::Cosine, 4), 12);
    EXPECT_EQ(cosine.at(0), 0);
    EXPECT_EQ(cosine.at(2), 0.5);
    EXPECT_EQ(cosine.at(4), 1);
    EXPECT_NEAR(cosine.at(8), 0.5, 1e-15);
    EXPECT_NEAR(cosine.at(12), 0, 1e-15);
    const LearningRate linear(training(wire::Scheduler::Linear, 0), 8);
    EXPECT_EQ(linear.at(0), 1);
    EXPECT_EQ(linear.at(6), 0.25);
    const LearningRate constant(training(wire::Scheduler::Constant, 2), 8);
    EXPECT_EQ(constant.at(1), 0.5);
    EXPECT_EQ(constant.at(7), 1);
}

TEST(LearningRate, StepsBeatTheRatioAndTheRatioRoundsUp)
{
    EXPECT_EQ(LearningRate(training(wire::Scheduler::Constant, 0, 0.25), 10).at(2), 2.0 / 3);
    EXPECT_EQ(LearningRate(training(wire::Scheduler::Constant, 2, 0.25), 10).at(2), 1);
}

TEST(EarlyStopping, CountsEvaluationsThatDoNotFallByMoreThanDelta)
{
    EarlyStopping stopping({.patience = 2, .delta = 0.1});
    for (const double loss : {3.0, 2.5, 2.45, 2.3}) { // 2.45 falls too little, 2.3 enough again
        stopping.note(loss);
        EXPECT_FALSE(stopping.reached()) << loss;
    }
    stopping.note(2.9);
    EarlyStopping resumed({.patience = 2, .delta = 0.1});
    resumed.restore(stopping.state());
    EXPECT_FALSE(resumed.reached());
    resumed.note(2.25);
    EXPECT_TRUE(resumed.reached());
}

TEST(EarlyStopping, WithoutPatienceNothingStops)
{
    EarlyStopping stopping({.patience = 0, .delta = 0});
    for (int i = 0; i < 9; ++i)
        stopping.note(1);
    EXPECT_FALSE(stopping.reached());
    EarlyStopping fresh({.patience = 1, .delta = 0});
    fresh.restore(EarlyStopping({.patience = 1, .delta = 0}).state());
    fresh.note(5);
    EXPECT_FALSE(fresh.reached());
}

TEST(CheckpointPolicy, StatedStepsAndMinutes)
{
    wire::CheckpointSpec spec;
    spec.everySteps = 3;
    spec.everyMinutes = 2;
    CheckpointPolicy policy(spec, 100);
    EXPECT_FALSE(policy.due(1, 101));
    EXPECT_TRUE(policy.due(3, 101));
    EXPECT_TRUE(policy.due(4, 220));
    policy.saved(220, 5);
    EXPECT_FALSE(policy.due(4, 230));
}

TEST(CheckpointPolicy, YoungsIntervalFollowsTheMeasuredCost)
{
    CheckpointPolicy policy({}, 0);
    EXPECT_FALSE(policy.due(1000, 415)); // √(2 · 86400 · 1) ≈ 415.7
    EXPECT_TRUE(policy.due(1000, 416));
    policy.saved(416, 4);
    EXPECT_FALSE(policy.due(1001, 416 + 831));
    EXPECT_TRUE(policy.due(1001, 416 + 832));
}

} // namespace
} // namespace rentune::trainer
