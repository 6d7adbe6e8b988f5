// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/clock.h"
#include "core/catalog/resources.h"
#include "core/plan/planner.h"

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

} // namespace
} // namespace rentune::plan
