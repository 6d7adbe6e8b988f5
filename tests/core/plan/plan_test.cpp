// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/resources.h"
#include "core/plan/planner.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace rentune::plan {
namespace {

const catalog::Catalog &shipped()
{
    static const catalog::Catalog catalog =
        catalog::loadCatalog(*catalog::resourceFolder() / "catalog").value();
    return catalog;
}

/// 1 December 2026.
class FixedClock : public Clock
{
public:
    int64_t nowMicros() const override { return int64_t{1796083200} * 1'000'000; }
    double monotonicSeconds() const override { return 0; }
};

/// LoRA of Qwen2.5-7B on one A100-80G, bf16, 1000 rows of 512 tokens.
wire::JobSpec loraJob(std::string gpu = "a100-sxm4-80")
{
    wire::JobSpec job;
    job.name = "t";
    job.model.id = "Qwen/Qwen2.5-7B";
    job.method.type = wire::MethodType::Lora;
    job.method.targets = {"q_proj", "k_proj", "v_proj", "o_proj"};
    job.training.precision = wire::Precision::Bf16;
    job.hardware.gpu = std::move(gpu);
    return job;
}

PlanFacts factsOf(const wire::JobSpec &job)
{
    auto facts = gatherFacts(job, shipped(), FixedClock());
    EXPECT_TRUE(facts.ok()) << facts.error().toString();
    facts->lengths = {1000, 512, 512, std::vector<int64_t>(100, 512), true, ""};
    return std::move(facts).value();
}

Plan planOf(const wire::JobSpec &job)
{
    auto plan = makePlan(job, factsOf(job));
    EXPECT_TRUE(plan.ok()) << plan.error().toString();
    return std::move(plan).value();
}

const Reason *find(const std::vector<Reason> &reasons, std::string_view code)
{
    const auto at =
        std::find_if(reasons.begin(), reasons.end(), [code](const Reason &r) { return r.code == code; });
    return at == reasons.end() ? nullptr : &*at;
}

TEST(Plan, AnswersAllThatAUserAsks)
{
    const Plan plan = planOf(loraJob());
    EXPECT_TRUE(plan.feasible);
    EXPECT_TRUE(plan.reasons.empty());
    EXPECT_EQ(plan.parameters, 7615616512);
    EXPECT_EQ(plan.trainableParameters, 28 * 8 * (3584 + 3584 + 2 * (3584 + 512) + 3584 + 3584));
    EXPECT_EQ(plan.terms.total(), plan.perGpuBytes.expected);
    EXPECT_EQ(plan.capacityBytes, 81920 * MiB);
    EXPECT_EQ(plan.totalSteps, 250);
    EXPECT_GT(plan.tokensPerSecond, 500);
    EXPECT_LE(plan.totalSeconds.low, plan.totalSeconds.expected);
    EXPECT_LE(plan.totalSeconds.expected, plan.totalSeconds.high);
    ASSERT_FALSE(plan.cost.empty());
    for (const CostLine &line : plan.cost) {
        EXPECT_GT(line.perHour, 0);
        EXPECT_FALSE(line.asOf.empty());
        EXPECT_FALSE(line.provider.empty());
        EXPECT_LE(line.total.low, line.total.expected);
        EXPECT_LE(line.total.expected, line.total.high);
    }
}

TEST(Plan, JsonHoldsTheContract)
{
    const Json json = planJson(planOf(loraJob()));
    for (const char *key :
         {"feasible", "reasons", "memory", "host_bytes", "disk_bytes", "step_seconds", "tokens_per_second",
          "total_seconds", "layout", "trainable_parameters", "parameters", "cost", "checkpoint"})
        EXPECT_TRUE(json.contains(key)) << key;
    for (const char *term : {"weights", "gradients", "optimizer", "master", "adapter", "quantization",
                             "activations", "logits", "communication", "workspace", "reserve", "context"})
        EXPECT_TRUE(json["memory"]["terms"][term].is_number_integer()) << term;
    for (const char *bound : {"low", "expected", "high"})
        EXPECT_TRUE(json["memory"]["per_gpu_bytes"][bound].is_number_integer()) << bound;
    EXPECT_EQ(json["layout"], (Json{{"strategy", "none"},
                                    {"nodes", 1},
                                    {"gpus_per_node", 1},
                                    {"micro_batch", 4},
                                    {"grad_accumulation", 1},
                                    {"global_batch", 4}}));
    EXPECT_TRUE(json["checkpoint"].contains("interval_seconds"));
    EXPECT_TRUE(json["checkpoint"].contains("pause_seconds"));
    EXPECT_TRUE(json["checkpoint"].contains("fits_notice"));
    EXPECT_TRUE(json["total_seconds"].is_number());
}

TEST(Plan, ACardOfUnknownSpeedHasMemoryButNoTimeAndNoCost)
{
    wire::JobSpec job = loraJob();
    job.hardware.gpu = "rtx-pro-4500-bw-server";
    const Plan plan = planOf(job);
    EXPECT_GT(plan.perGpuBytes.expected, 0);
    EXPECT_GT(plan.totalSteps, 0);
    EXPECT_TRUE(plan.cost.empty());
    EXPECT_NE(find(plan.notes, "hardware.speed_unknown"), nullptr);
    const Json json = planJson(plan);
    for (const char *key : {"step_seconds", "tokens_per_second", "total_seconds", "total_seconds_range"})
        EXPECT_TRUE(json[key].is_null()) << key;
}

TEST(Plan, AJobsOwnPriceIsANodesAndComesFirst)
{
    wire::JobSpec job = loraJob();
    job.hardware.price = {"on_demand", "CNY", 200};
    job.parallel.gpusPerNode = 4;
    job.parallel.nodes = 2;
    job.parallel.strategy = wire::Strategy::Ddp;
    const Plan plan = planOf(job);
    ASSERT_FALSE(plan.cost.empty());
    EXPECT_DOUBLE_EQ(plan.cost[0].perHour, 400);
    EXPECT_NEAR(plan.cost[0].total.expected, 400 * plan.totalSeconds.expected / 3600, 1e-9);
    for (size_t i = 1; i < plan.cost.size(); ++i)
        EXPECT_FALSE(plan.cost[i].priceClass == "on_demand" && plan.cost[i].currency == "CNY");
}

TEST(Plan, NoPriceIsNoLine)
{
    wire::JobSpec job = loraJob("rtx-6000-ada");
    EXPECT_TRUE(planOf(job).cost.empty());
    EXPECT_TRUE(planJson(planOf(job))["cost"].empty());
}

TEST(Plan, AnOwnedMachineHasItsClassAndBreaksEven)
{
    wire::JobSpec job = loraJob();
    job.hardware.price = {"on_demand", "CNY", 200};
    PlanFacts facts = factsOf(job);
    facts.owned.emplace();
    facts.owned->purchase = {320000, "CNY"};
    const Plan plan = *makePlan(job, facts);
    EXPECT_EQ(plan.cost.back().priceClass, "owned");
    EXPECT_DOUBLE_EQ(plan.cost.back().perHour, cost::ownedPerHour(*facts.owned));
    EXPECT_DOUBLE_EQ(plan.breakEvenHours.value(), 1600);
    facts.owned->purchase.currency = "EUR";
    EXPECT_FALSE(makePlan(job, facts)->breakEvenHours) << "currencies never mix";
}

TEST(Plan, TheFolderToStartFromDecidesTheAdapter)
{
    wire::JobSpec job = loraJob();
    PlanFacts facts = factsOf(job);
    const int64_t own = makePlan(job, facts)->trainableParameters;
    hf::LoraConfig lora;
    lora.rank = 16;
    lora.targets = job.method.targets;
    facts.initFrom = lora;
    EXPECT_EQ(makePlan(job, facts)->trainableParameters, 2 * own);
}

TEST(Plan, SpotCostsInterruptionsToo)
{
    wire::JobSpec job = loraJob();
    job.training.maxSteps = 100000;
    const Plan onDemand = planOf(job);
    job.hardware.price = {"spot", "CNY", 10};
    const Plan spot = planOf(job);
    EXPECT_GT(spot.totalSeconds.expected, onDemand.totalSeconds.expected);
    EXPECT_LT(spot.checkpointInterval, onDemand.checkpointInterval);
}

TEST(Plan, DoesNotFitIsAnAnswerWithWaysOut)
{
    wire::JobSpec job = loraJob("rtx-4090");
    job.training.microBatch = 16;
    job.data.maxLength = 512;
    const Plan plan = planOf(job);
    ASSERT_FALSE(plan.feasible);
    const Reason *reason = find(plan.reasons, "memory.capacity");
    ASSERT_TRUE(reason);
    EXPECT_NE(reason->text.find("GiB"), std::string::npos);
    ASSERT_FALSE(reason->relax.empty());
    for (const Relax &relax : reason->relax) {
        EXPECT_GT(relax.perGpuBytes, 0);
        EXPECT_FALSE(relax.key.empty());
        EXPECT_FALSE(relax.value.empty());
    }
    EXPECT_EQ(reason->relax.front().code, "gradient_checkpointing") << "the least intrusive comes first";
}

/// Every single change that is said to fit does, when the job is planned with it.
TEST(Plan, RemediesHoldWhatTheySay)
{
    wire::JobSpec job = loraJob("rtx-4090");
    job.training.microBatch = 16;
    const Reason reason = *find(planOf(job).reasons, "memory.capacity");
    int tried = 0;
    for (const Relax &relax : reason.relax) {
        wire::JobSpec altered = job;
        if (relax.code == "gradient_checkpointing")
            altered.training.gradientCheckpointing = true;
        else if (relax.code == "quantization.nf4")
            altered.method.quantization.type = wire::QuantizationType::Nf4;
        else if (relax.code == "gpu")
            altered.hardware.gpu = relax.value;
        else if (relax.code == "micro_batch")
            altered.training.microBatch = std::stoll(relax.value);
        else
            continue;
        ++tried;
        const Plan plan = planOf(altered);
        EXPECT_TRUE(plan.feasible) << relax.code;
        EXPECT_NEAR(static_cast<double>(plan.perGpuBytes.expected), static_cast<double>(relax.perGpuBytes),
                    0.02 * static_cast<double>(relax.perGpuBytes))
            << relax.code;
    }
    EXPECT_GE(tried, 3);
}

struct Verdict
{
    const char *name;
    void (*alter)(wire::JobSpec &);
    const char *code; ///< of a reason, or of a note if `feasible`
    bool feasible;
};

TEST(Plan, CombinationsThatCantWorkSaySo)
{
    const Verdict verdicts[] = {
        {"bf16 on V100", [](wire::JobSpec &j) { j.hardware.gpu = "v100-sxm2-32"; }, "precision.unsupported",
         false},
        {"bf16 on T4", [](wire::JobSpec &j) { j.hardware.gpu = "t4"; }, "precision.unsupported", false},
        {"fp16 on V100",
         [](wire::JobSpec &j) {
             j.hardware.gpu = "v100-sxm2-32";
             j.training.precision = wire::Precision::Fp16;
         },
         "precision.fp16_range", true},
        {"full 70B on one card",
         [](wire::JobSpec &j) {
             j.model.id = "Qwen/Qwen2.5-72B";
             j.method.type = wire::MethodType::Full;
             j.hardware.gpu = "rtx-4090";
         },
         "memory.capacity", false},
        {"packed weights that train",
         [](wire::JobSpec &j) {
             j.method.type = wire::MethodType::Full;
             j.method.quantization.type = wire::QuantizationType::Nf4;
         },
         "quantization.trained_weights", false},
        {"qlora under ZeRO-3 by another engine",
         [](wire::JobSpec &j) {
             j.engine = wire::Engine::Swift;
             j.method.quantization.type = wire::QuantizationType::Nf4;
             j.parallel.strategy = wire::Strategy::Zero3;
             j.parallel.gpusPerNode = 4;
         },
         "quantization.zero3", false},
        {"qlora under ZeRO-3",
         [](wire::JobSpec &j) {
             j.method.quantization.type = wire::QuantizationType::Nf4;
             j.parallel.strategy = wire::Strategy::Zero3;
             j.parallel.gpusPerNode = 4;
         },
         nullptr, true},
        {"prefix with checkpointing",
         [](wire::JobSpec &j) {
             j.method.type = wire::MethodType::Prefix;
             j.training.gradientCheckpointing = true;
         },
         "method.checkpointing", false},
        {"ZeRO-1 on one GPU", [](wire::JobSpec &j) { j.parallel.strategy = wire::Strategy::Zero1; },
         "parallel.no_saving", true},
        {"AMD", [](wire::JobSpec &j) { j.hardware.gpu = "mi300x"; }, "hardware.vendor", false},
        {"CUDA without a card",
         [](wire::JobSpec &j) {
             j.hardware.gpu = "";
             j.model.id = "Qwen/Qwen2.5-0.5B";
             j.hardware.device = wire::DeviceChoice::Cuda;
         },
         "hardware.gpu_missing", false},
        {"cost cap",
         [](wire::JobSpec &j) {
             j.hardware.price = {"on_demand", "CNY", 50};
             j.budget.maxCost = 0.01;
         },
         "budget.cost", false},
        {"time cap", [](wire::JobSpec &j) { j.budget.maxHours = 1e-6; }, "budget.hours", false},
    };
    for (const Verdict &verdict : verdicts) {
        wire::JobSpec job = loraJob();
        verdict.alter(job);
        const Plan plan = planOf(job);
        EXPECT_EQ(plan.feasible, verdict.feasible) << verdict.name;
        EXPECT_EQ(plan.feasible, plan.reasons.empty()) << verdict.name;
        if (verdict.code) {
            EXPECT_TRUE(find(verdict.feasible ? plan.notes : plan.reasons, verdict.code)) << verdict.name;
        }
    }
}

TEST(Plan, PrefixCountsKeyHeadsNotQueryHeads)
{
    wire::JobSpec job = loraJob();
    job.method.type = wire::MethodType::Prefix;
    job.method.virtualTokens = 20;
    EXPECT_EQ(planOf(job).trainableParameters, 20 * 28 * 2 * 4 * 128);
}

TEST(Plan, StepsCountPartialBatchesAndEpochs)
{
    wire::JobSpec job = loraJob();
    PlanFacts facts = factsOf(job);
    facts.lengths.rows = 3;
    job.training.microBatch = 8;
    job.training.gradAccumulation = 4;
    EXPECT_EQ(makePlan(job, facts)->totalSteps, 1);
    job.training.microBatch = 2;
    job.training.gradAccumulation = 1;
    job.training.epochs = 3;
    EXPECT_EQ(makePlan(job, facts)->totalSteps, 6);
    job.training.maxSteps = 10;
    EXPECT_EQ(makePlan(job, facts)->totalSteps, 10);
}

TEST(Plan, PaddingIsTheMeanLongestOfABatch)
{
    LengthFacts lengths;
    lengths.sample = {1, 2, 3, 4};
    EXPECT_DOUBLE_EQ(lengths.paddedTokens(1), 2.5);
    EXPECT_DOUBLE_EQ(lengths.paddedTokens(2), (1 * 1 + 3 * 2 + 5 * 3 + 7 * 4) / 16.0);
    EXPECT_NEAR(lengths.paddedTokens(1000), 4, 1e-9);
}

TEST(Plan, CheckpointIntervalIsStatedOrYoungAndDalys)
{
    wire::JobSpec job = loraJob();
    const Plan best = planOf(job);
    EXPECT_GT(best.checkpointPause, 0);
    EXPECT_GT(best.checkpointInterval, best.checkpointPause);
    job.checkpoint.everyMinutes = 30;
    EXPECT_DOUBLE_EQ(planOf(job).checkpointInterval, 1800);
    job.checkpoint.everySteps = 10;
    EXPECT_DOUBLE_EQ(planOf(job).checkpointInterval, 10 * planOf(job).stepSeconds);
}

TEST(Plan, AnAdapterSavesWithinASpotNoticeAFullModelDoesNot)
{
    wire::JobSpec job = loraJob();
    PlanFacts facts = factsOf(job);
    facts.prices.resize(1);
    facts.prices[0].provider = "gcp";
    facts.prices[0].priceClass = catalog::PriceClass::Spot;
    EXPECT_EQ(makePlan(job, facts)->fitsNotice, true);
    job.method.type = wire::MethodType::Full;
    EXPECT_EQ(makePlan(job, facts)->fitsNotice, false);
    facts.prices[0].provider = "somebody";
    EXPECT_EQ(makePlan(job, facts)->fitsNotice, std::nullopt);
}

TEST(Plan, CheckpointingCostsTimeAndSavesMemory)
{
    wire::JobSpec job = loraJob();
    const Plan without = planOf(job);
    job.training.gradientCheckpointing = true;
    const Plan with = planOf(job);
    EXPECT_LT(with.perGpuBytes.expected, without.perGpuBytes.expected);
    const double dearer = with.stepSeconds / without.stepSeconds;
    EXPECT_GT(dearer, 1.15);
    EXPECT_LT(dearer, 1.55);
}

TEST(Plan, ThisComputerHasItsMemoryForCapacity)
{
    wire::JobSpec job = loraJob("");
    job.model.id = "HuggingFaceTB/SmolLM2-135M";
    const Plan plan = planOf(job);
    EXPECT_EQ(plan.capacityBytes, throughput::thisComputer().memory);
    EXPECT_EQ(plan.terms[Term::Context], 0);
    EXPECT_GT(plan.stepSeconds, 0);
    EXPECT_TRUE(plan.cost.empty()) << "a computer that is there anyway has no price";
}

TEST(Plan, AMeasuredRateReplacesTheGuess)
{
    wire::JobSpec job = loraJob("");
    job.model.id = "HuggingFaceTB/SmolLM2-135M";
    PlanFacts facts = factsOf(job);
    facts.measuredFlops = 1e11;
    const Plan slow = *makePlan(job, facts);
    facts.measuredFlops = 2e11;
    const Plan fast = *makePlan(job, facts);
    EXPECT_NEAR(slow.stepSeconds, 2 * fast.stepSeconds, 1e-9 * slow.stepSeconds);
    facts.measuredFlops = *usefulFlops(job, facts, 3.5);
    EXPECT_NEAR(makePlan(job, facts)->stepSeconds, 3.5, 1e-9) << "a run's own speed is planned again";
}

} // namespace
} // namespace rentune::plan
