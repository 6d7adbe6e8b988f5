// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/clock.h"
#include "core/catalog/resources.h"
#include "core/plan/planner.h"
#include "tests/support/env.h"

#include <fstream>

#include <gtest/gtest.h>

namespace rentune::plan {
namespace {

const catalog::Catalog &shipped()
{
    static const catalog::Catalog catalog =
        catalog::loadCatalog(*catalog::resourceFolder() / "catalog").value();
    return catalog;
}

TEST(Facts, UnknownIdsAreRefusedWithTheNearest)
{
    wire::JobSpec job;
    job.model.id = "Qwen/Qwen2.5-7b";
    const auto model = gatherFacts(job, shipped(), systemClock());
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.error().code, ErrorCode::JobValue);
    EXPECT_NE(model.error().detail.find("Qwen/Qwen2.5-7B"), std::string::npos) << model.error().detail;
    job.model.id = "Qwen/Qwen2.5-7B";
    job.hardware.gpu = "a100-sxm-80";
    const auto gpu = gatherFacts(job, shipped(), systemClock());
    ASSERT_FALSE(gpu.ok());
    EXPECT_NE(gpu.error().detail.find("a100-sxm4-80"), std::string::npos) << gpu.error().detail;
}

TEST(Facts, DeviceCpuMeansThisComputerWhateverCardIsNamed)
{
    wire::JobSpec job;
    job.model.id = "Qwen/Qwen2.5-0.5B";
    job.hardware.gpu = "t4";
    EXPECT_TRUE(gatherFacts(job, shipped(), systemClock())->gpu);
    job.hardware.device = wire::DeviceChoice::Cpu;
    const auto facts = gatherFacts(job, shipped(), systemClock());
    EXPECT_FALSE(facts->gpu);
    EXPECT_GT(facts->host.memory, GiB);
    EXPECT_GE(facts->host.threads, 1);
}

TEST(Facts, WithoutDataEveryRowIsTakenAtFullLength)
{
    wire::JobSpec job;
    job.model.id = "Qwen/Qwen2.5-0.5B";
    const auto facts = gatherFacts(job, shipped(), systemClock());
    EXPECT_EQ(facts->lengths.assumption, "data.none");
    EXPECT_EQ(facts->lengths.rows, 0);
}

/// A job on a file of ready tokens, one row of each length.
class LengthsOfTokens : public testing::Test
{
protected:
    LengthFacts lengthsOf(const std::vector<int64_t> &lengths, wire::DataSpec data)
    {
        const std::filesystem::path file = m_folder.path() / "tokens.jsonl";
        std::ofstream out(file);
        for (const int64_t length : lengths)
            out << Json{{"input_ids", std::vector<int64_t>(static_cast<size_t>(length), 7)}}.dump() << "\n";
        out.close();
        data.train = {file};
        wire::JobSpec job;
        job.model.id = "Qwen/Qwen2.5-0.5B";
        job.data = data;
        return gatherFacts(job, shipped(), systemClock())->lengths;
    }

private:
    test::TemporaryFolder m_folder;
};

TEST_F(LengthsOfTokens, AreMeasuredAndCut)
{
    wire::DataSpec data;
    data.maxLength = 100;
    const LengthFacts facts = lengthsOf({10, 20, 300}, data);
    EXPECT_TRUE(facts.measured);
    EXPECT_EQ(facts.assumption, "");
    EXPECT_EQ(facts.rows, 3);
    EXPECT_EQ(facts.maxTokens, 100);
    EXPECT_DOUBLE_EQ(facts.meanTokens, 130 / 3.0);
    EXPECT_EQ(facts.sample, (std::vector<int64_t>{10, 20, 100}));
}

TEST_F(LengthsOfTokens, DroppedRowsDoNotCount)
{
    wire::DataSpec data;
    data.maxLength = 100;
    data.tooLong = wire::TooLong::Drop;
    const LengthFacts facts = lengthsOf({10, 20, 300}, data);
    EXPECT_EQ(facts.rows, 2);
    EXPECT_EQ(facts.maxTokens, 20);
}

TEST_F(LengthsOfTokens, TheLongestOfManyRowsIsFound)
{
    std::vector<int64_t> lengths(2000, 5);
    lengths[1234] = 90; // not among the evenly spread rows
    const LengthFacts facts = lengthsOf(lengths, {});
    EXPECT_EQ(facts.rows, 2000);
    EXPECT_EQ(facts.maxTokens, 90);
    EXPECT_EQ(facts.sample.size(), 512U);
}

TEST(Facts, TextWithoutATokenizerIsGuessedFromItsBytes)
{
    const test::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "rows.json";
    std::ofstream(file) << R"([{"instruction": "12345678", "output": "1234567890123456"}])";
    wire::JobSpec job;
    job.model.id = "Qwen/Qwen2.5-0.5B";
    job.data.train = {file};
    const LengthFacts facts = gatherFacts(job, shipped(), systemClock())->lengths;
    EXPECT_EQ(facts.assumption, "data.characters");
    EXPECT_FALSE(facts.measured);
    EXPECT_EQ(facts.rows, 1);
    EXPECT_EQ(facts.maxTokens, 24 / 4 + 1);
}

TEST(Facts, DataThatCantBeReadIsAnAssumption)
{
    wire::JobSpec job;
    job.model.id = "Qwen/Qwen2.5-0.5B";
    job.data.train = {"/no/such/file.jsonl"};
    EXPECT_EQ(gatherFacts(job, shipped(), systemClock())->lengths.assumption, "data.unreadable");
}

} // namespace
} // namespace rentune::plan
