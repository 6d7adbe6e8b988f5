// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/catalog.h"
#include "core/catalog/resources.h"
#include "tests/support/env.h"

#include <fstream>
#include <gtest/gtest.h>

namespace rentune::catalog {
namespace {

namespace fs = std::filesystem;
using std::chrono::days;
using std::chrono::sys_days;

const Catalog &shipped()
{
    static const Catalog catalog = [] {
        auto loaded = loadCatalog(*resourceFolder() / "catalog");
        EXPECT_TRUE(loaded.ok()) << loaded.error().toString();
        return std::move(loaded).value();
    }();
    return catalog;
}

TEST(Catalog, ShipsWholeTables)
{
    EXPECT_EQ(shipped().gpus.size(), 53U);
    EXPECT_EQ(shipped().models.size(), 82U);
    EXPECT_GT(shipped().prices.size(), 900U);
}

TEST(Catalog, TellsCardsOfOneNameApartByMemory)
{
    ASSERT_TRUE(shipped().findGpu("a100-sxm4-80"));
    EXPECT_EQ(shipped().findGpu("a100-sxm4-80")->memory, 81920 * MiB);
    EXPECT_EQ(shipped().findGpu("a100-pcie-40")->memory, 40960 * MiB);
    EXPECT_EQ(shipped().findGpu("t4")->memory, 15360 * MiB) << "the driver's figure, not the nominal 16 GiB";
    EXPECT_EQ(shipped().findGpu("l4")->memory, 23034 * MiB);
    EXPECT_EQ(shipped().findGpu("no-such-card"), nullptr);
}

TEST(Catalog, Bf16StartsWithComputeCapability8)
{
    for (const char *without : {"t4", "v100-sxm2-32", "p100-pcie-16", "rtx-2080-ti"})
        EXPECT_FALSE(shipped().findGpu(without)->supportsBf16()) << without;
    for (const char *with :
         {"a100-pcie-40", "a100-sxm4-80", "l4", "h100-sxm5-80", "rtx-5090", "rtx-pro-4500-bw-server"})
        EXPECT_TRUE(shipped().findGpu(with)->supportsBf16()) << with;
    for (const Gpu &gpu : shipped().gpus) {
        if (gpu.vendor == "NVIDIA" && gpu.fp8) {
            EXPECT_GE(std::stod(gpu.computeCapability), 8.9) << gpu.id;
        }
    }
}

TEST(Catalog, AbsentPricesAreAbsentNeverZero)
{
    for (const Price &price : shipped().prices)
        EXPECT_GT(price.perHour, 0) << price.source;
    for (const Price &price : shipped().prices)
        EXPECT_NE(price.priceClass, PriceClass::Reserved) << "no source gives one";
}

TEST(Catalog, NewestOfEqualOffersWins)
{
    int found = 0;
    for (const Price &price : shipped().pricesOf("h100-sxm5-80")) {
        if (price.instanceType == "p5.48xlarge" && price.region == "us-east-1" &&
            price.priceClass == PriceClass::OnDemand) {
            EXPECT_EQ(price.asOf, "2026-11-09");
            ++found;
        }
    }
    EXPECT_EQ(found, 1);
}

TEST(Catalog, ParameterCountsAgreeWithTheModelReader)
{
    int read = 0;
    for (const Model &model : shipped().models) {
        const auto config = modelConfig(model);
        if (!config.ok()) {
            EXPECT_EQ(config.error().code, ErrorCode::ModelUnsupported) << config.error().toString();
            continue;
        }
        EXPECT_EQ(hf::parameterCount(*config), model.parameters) << model.id;
        ++read;
    }
    EXPECT_GE(read, 45);
}

TEST(Catalog, MixturesOfExpertsAreRefusedByName)
{
    const auto config = modelConfig(*shipped().findModel("Qwen/Qwen3-30B-A3B"));
    ASSERT_FALSE(config.ok());
    EXPECT_NE(config.error().detail.find("mixture of experts"), std::string::npos);
}

/// A copy of the shipped tables with one file replaced.
class BrokenCatalog : public testing::Test
{
protected:
    Error errorWith(const std::string &file, const std::string &content)
    {
        const fs::path source = *resourceFolder() / "catalog";
        for (const char *name : {"gpus.csv", "models.csv", "prices.csv"})
            fs::copy_file(source / name, m_folder.path() / name, fs::copy_options::overwrite_existing);
        std::ofstream(m_folder.path() / file, std::ios::binary) << content;
        const auto catalog = loadCatalog(m_folder.path());
        EXPECT_FALSE(catalog.ok());
        return catalog.ok() ? Error{ErrorCode::Internal, "accepted"} : catalog.error();
    }
    static constexpr const char *priceHeader =
        "provider,region,instance_type,gpu,gpus,vcpus,ram_gib,network_gbps,rdma,currency,on_demand_per_hour,"
        "spot_per_hour,reserved_1y_per_hour,as_of_date,source\n";

private:
    test::TemporaryFolder m_folder;
};

TEST_F(BrokenCatalog, NamesUnknownAndMissingColumns)
{
    const Error unknown = errorWith("prices.csv", "provider,regoin\n");
    EXPECT_EQ(unknown.line, 1);
    EXPECT_NE(unknown.detail.find("did you mean \"region\""), std::string::npos) << unknown.detail;
    const Error missing = errorWith("prices.csv", "provider,region\n");
    EXPECT_NE(missing.detail.find("\"instance_type\" is missing"), std::string::npos) << missing.detail;
}

TEST_F(BrokenCatalog, RefusesPricesThatMakeNoSense)
{
    const std::string header = priceHeader;
    const Error zero = errorWith("prices.csv", header + "a,r,i,t4,1,,,,,USD,0,,,2026-10-10,s\n");
    EXPECT_NE(zero.detail.find("price of 0"), std::string::npos) << zero.detail;
    EXPECT_EQ(zero.line, 2);
    const Error date = errorWith("prices.csv", header + "a,r,i,t4,1,,,,,USD,1,,,2026-13-01,s\n");
    EXPECT_NE(date.detail.find("2026-13-01"), std::string::npos) << date.detail;
    const Error gpu = errorWith("prices.csv", header + "a,r,i,t5,1,,,,,USD,1,,,2026-10-10,s\n");
    EXPECT_NE(gpu.detail.find("\"t5\""), std::string::npos) << gpu.detail;
    const Error negative = errorWith("prices.csv", header + "a,r,i,t4,1,,,,,USD,-1,,,2026-10-10,s\n");
    EXPECT_NE(negative.detail.find("on_demand_per_hour"), std::string::npos) << negative.detail;
}

TEST(Catalog, DatesMayLackDayOrMonth)
{
    EXPECT_EQ(earliestDay("2026-10-10"), sys_days(std::chrono::year(2026) / 10 / 10));
    EXPECT_EQ(earliestDay("2026-10"), sys_days(std::chrono::year(2026) / 10 / 1));
    EXPECT_EQ(earliestDay("2026"), sys_days(std::chrono::year(2026) / 1 / 1));
    for (const char *bad : {"", "26", "2026-2-30", "2026-02-30", "2026/10/10", "2026-10-1x", "-026-01-01"})
        EXPECT_EQ(earliestDay(bad), std::nullopt) << bad;
}

TEST(Catalog, SpotAndMarketPricesAgeFasterThanLists)
{
    Price price;
    price.provider = "aws";
    price.asOf = "2026-10-01";
    const sys_days day = *earliestDay(price.asOf);
    EXPECT_FALSE(isStale(price, day + days(60)));
    EXPECT_TRUE(isStale(price, day + days(61)));
    price.priceClass = PriceClass::Spot;
    EXPECT_FALSE(isStale(price, day + days(14)));
    EXPECT_TRUE(isStale(price, day + days(15)));
    price.priceClass = PriceClass::OnDemand;
    price.provider = "vast";
    EXPECT_TRUE(isStale(price, day + days(15)));
}

} // namespace
} // namespace rentune::catalog
