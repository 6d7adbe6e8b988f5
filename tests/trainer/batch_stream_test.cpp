// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/batch_stream.h"

#include "tests/support/env.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace rentune::trainer {
namespace {

/// A set of `rows` rows; row i holds i % 5 + 2 tokens, all 100 + i.
std::shared_ptr<const SampleSet> makeSamples(int rows, int workers = 1, data::SampleOptions options = {})
{
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "rows.jsonl";
    std::ofstream out(file);
    for (int i = 0; i < rows; ++i) {
        Json ids = Json::array();
        for (int t = 0; t < i % 5 + 2; ++t)
            ids.push_back(100 + i);
        out << Json{{"input_ids", ids}}.dump() << '\n';
    }
    out.close();
    const data::Dataset dataset = data::Dataset::open({file}).value();
    auto set = SampleSet::make(dataset, nullptr, nullptr, options, workers);
    EXPECT_TRUE(set.ok()) << set.error().toString();
    return std::make_shared<const SampleSet>(std::move(set).value());
}

BatchStream makeStream(const std::shared_ptr<const SampleSet> &samples, const BatchOptions &options)
{
    return BatchStream::make(samples, options).value();
}

std::vector<int64_t> rowsOf(const StepBatches &step)
{
    std::vector<int64_t> rows;
    for (const MicroBatch &batch : step.microBatches)
        rows.insert(rows.end(), batch.rowNumbers.begin(), batch.rowNumbers.end());
    return rows;
}

TEST(BatchStream, InOrderAndPadded)
{
    BatchOptions options;
    options.microBatch = 3;
    options.shuffle = false;
    options.padId = 9;
    BatchStream stream = makeStream(makeSamples(3), options);
    const StepBatches step = stream.step(0);
    ASSERT_EQ(step.microBatches.size(), 1u);
    const MicroBatch &batch = step.microBatches[0];
    EXPECT_EQ(batch.rows, 3);
    EXPECT_EQ(batch.length, 4);
    EXPECT_EQ(batch.ids, (std::vector<int64_t>{100, 100, 9, 9, 101, 101, 101, 9, 102, 102, 102, 102}));
    EXPECT_EQ(batch.labels,
              (std::vector<int64_t>{100, 100, -100, -100, 101, 101, 101, -100, 102, 102, 102, 102}));
    EXPECT_EQ(batch.attentionMask, (std::vector<int64_t>{1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1}));
    EXPECT_EQ(batch.tokens, 9);
    EXPECT_EQ(batch.trainedTokens, 6); // the first of a row is never predicted
    EXPECT_TRUE(batch.padded);
    EXPECT_EQ(step.globalTrainedTokens, 6);
    EXPECT_EQ(step.epoch, 1);
}

TEST(BatchStream, KeepsPartialMicroBatchesAndAccumulations)
{
    BatchOptions options;
    options.microBatch = 2;
    options.accumulation = 3;
    options.shuffle = false;
    BatchStream stream = makeStream(makeSamples(9), options); // 5 micro batches: 3 and 2, the last of one row
    EXPECT_EQ(stream.stepsPerEpoch(), 2);
    EXPECT_EQ(stream.totalSteps(), 2);
    EXPECT_EQ(rowsOf(stream.step(0)), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
    const StepBatches last = stream.step(1);
    EXPECT_EQ(rowsOf(last), (std::vector<int64_t>{6, 7, 8}));
    EXPECT_EQ(last.globalMicroBatches, 2);
    EXPECT_EQ(last.microBatches[1].rows, 1);
    EXPECT_EQ(rowsOf(stream.step(2)), rowsOf(stream.step(0))); // wraps round
}

TEST(BatchStream, StepsOfEpochsAndOfMaxSteps)
{
    BatchOptions options;
    options.microBatch = 4;
    const auto samples = makeSamples(9); // 3 steps an epoch
    options.epochs = 1.5;
    EXPECT_EQ(makeStream(samples, options).totalSteps(), 5);
    options.maxSteps = 100;
    EXPECT_EQ(makeStream(samples, options).totalSteps(), 100);
    options.maxSteps = 0;
    options.epochs = 0;
    EXPECT_EQ(BatchStream::make(samples, options).error().code, ErrorCode::JobValue);
    // Three rows for a batch of 32 are one step, not none.
    options.epochs = 1;
    options.microBatch = 8;
    options.accumulation = 4;
    EXPECT_EQ(makeStream(makeSamples(3), options).totalSteps(), 1);
}

TEST(BatchStream, EachEpochTrainsEachRowOnceInItsOwnOrder)
{
    BatchOptions options;
    options.microBatch = 3;
    options.accumulation = 2;
    BatchStream stream = makeStream(makeSamples(50), options);
    std::set<std::vector<int64_t>> orders;
    for (int64_t epoch = 0; epoch < 4; ++epoch) {
        std::vector<int64_t> order;
        for (int64_t s = 0; s < stream.stepsPerEpoch(); ++s)
            for (const int64_t row : rowsOf(stream.step(epoch * stream.stepsPerEpoch() + s)))
                order.push_back(row);
        orders.insert(order);
        std::ranges::sort(order);
        ASSERT_EQ(order.size(), 50u);
        for (int64_t i = 0; i < 50; ++i)
            EXPECT_EQ(order[static_cast<size_t>(i)], i);
    }
    EXPECT_EQ(orders.size(), 4u);
}

TEST(BatchStream, AStepDependsOnItsNumberOnly)
{
    BatchOptions options;
    options.microBatch = 3;
    const auto samples = makeSamples(20);
    BatchStream forwards = makeStream(samples, options);
    std::map<int64_t, std::vector<int64_t>> rows;
    for (int64_t step = 0; step < 30; ++step)
        rows[step] = rowsOf(forwards.step(step));
    BatchStream backwards = makeStream(samples, options);
    for (int64_t step = 29; step >= 0; --step)
        EXPECT_EQ(rowsOf(backwards.step(step)), rows[step]);
    options.seed = 43;
    EXPECT_NE(rowsOf(makeStream(samples, options).step(0)), rows[0]);
}

TEST(BatchStream, FourRanksDoTheWorkOfOneWithAccumulationFour)
{
    const auto samples = makeSamples(45);
    BatchOptions one;
    one.microBatch = 2;
    one.accumulation = 4;
    BatchStream alone = makeStream(samples, one);
    for (int64_t step = 0; step < 2 * alone.stepsPerEpoch(); ++step) {
        const StepBatches expected = alone.step(step);
        std::map<int64_t, std::vector<int64_t>> rows;
        for (int rank = 0; rank < 4; ++rank) {
            BatchOptions options = one;
            options.accumulation = 1;
            options.world = 4;
            options.rank = rank;
            BatchStream stream = makeStream(samples, options);
            EXPECT_EQ(stream.totalSteps(), alone.totalSteps());
            const StepBatches mine = stream.step(step);
            EXPECT_EQ(mine.globalMicroBatches, expected.globalMicroBatches);
            EXPECT_EQ(mine.globalTrainedTokens, expected.globalTrainedTokens);
            for (const MicroBatch &batch : mine.microBatches)
                rows[batch.number] = batch.rowNumbers;
        }
        ASSERT_EQ(rows.size(), expected.microBatches.size());
        for (const MicroBatch &batch : expected.microBatches)
            EXPECT_EQ(rows[batch.number], batch.rowNumbers);
    }
}

TEST(SampleSet, WorkersGiveTheSame)
{
    const auto one = makeSamples(101, 1);
    const auto four = makeSamples(101, 4);
    ASSERT_EQ(one->size(), four->size());
    for (int64_t i = 0; i < one->size(); ++i) {
        ASSERT_EQ(one->length(i), four->length(i));
        EXPECT_TRUE(std::equal(one->ids(i), one->ids(i) + one->length(i), four->ids(i)));
    }
}

TEST(SampleSet, LongRowsAreCutOrDropped)
{
    data::SampleOptions options;
    options.maxLength = 4;
    const auto cut = makeSamples(10, 1, options); // lengths 2 … 6, twice
    EXPECT_EQ(cut->size(), 10);
    EXPECT_EQ(cut->truncated(), 4);
    EXPECT_EQ(cut->length(4), 4);
    options.dropTooLong = true;
    const auto kept = makeSamples(10, 1, options);
    EXPECT_EQ(kept->size(), 6);
    EXPECT_EQ(kept->dropped(), 4);
    EXPECT_EQ(kept->row(3), 5);
}

TEST(EvaluationBatches, EveryRowOnceInOrder)
{
    const auto samples = makeSamples(7);
    const auto batches = evaluationBatches(*samples, 3, 0);
    ASSERT_EQ(batches.size(), 3u);
    EXPECT_EQ(batches[2].rowNumbers, std::vector<int64_t>{6});
    EXPECT_EQ(batches[1].rowNumbers, (std::vector<int64_t>{3, 4, 5}));
}

} // namespace
} // namespace rentune::trainer
