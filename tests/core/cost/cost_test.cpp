// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/cost.h"

#include <cmath>
#include <gtest/gtest.h>

namespace rentune::cost {
namespace {

using catalog::Price;
using catalog::PriceClass;
using std::chrono::sys_days;

constexpr Seconds hour = 3600;
const sys_days today = sys_days(std::chrono::year(2026) / 12 / 1);

Price offer(std::string provider, int gpus, double perHour, std::string asOf = "2026-11-25")
{
    Price price;
    price.provider = std::move(provider);
    price.gpu = "a100-sxm4-80";
    price.gpus = gpus;
    price.currency = "CNY";
    price.perHour = perHour;
    price.asOf = std::move(asOf);
    return price;
}

/// The table of reliability figures: minutes between saves and share lost, by hours between interruptions and
/// pause.
TEST(Checkpoint, YoungDalyTable)
{
    struct Row
    {
        double hours;
        Seconds pause;
        double minutes;
        double lost;
    };
    const Row rows[] = {{1, 5, 3.2, 0.053},    {1, 120, 15.5, 0.258}, {4, 30, 15.5, 0.065},
                        {8, 120, 43.8, 0.091}, {24, 30, 37.9, 0.026}, {72, 5, 26.8, 0.006}};
    for (const Row &row : rows) {
        const Seconds between = row.hours * hour;
        const Seconds interval = bestInterval(between, row.pause);
        EXPECT_NEAR(interval / 60, row.minutes, 0.06);
        EXPECT_NEAR(row.pause / interval + interval / (2 * between), row.lost, 0.0006);
    }
}

TEST(Checkpoint, TheBestIntervalIsBest)
{
    const Seconds best = bestInterval(4 * hour, 30);
    const auto total = [](Seconds interval) {
        return withInterruptions(50 * hour, {interval, 30}, 4 * hour, 300);
    };
    EXPECT_LT(total(best), total(best / 2));
    EXPECT_LT(total(best), total(best * 2));
    EXPECT_GT(total(best), 50 * hour);
}

TEST(Cost, OwnedMachineBreaksEven)
{
    OwnedMachine machine;
    machine.purchase = {320000, "CNY"};
    EXPECT_DOUBLE_EQ(*breakEvenHours(machine, 200), 1600);
    machine.kilowatts = 2;
    machine.perKilowattHour = 1.2;
    EXPECT_GT(*breakEvenHours(machine, 200), 1600) << "power makes owning dearer";
    EXPECT_EQ(breakEvenHours(machine, 0), std::nullopt);
}

TEST(Cost, OwnedHourHoldsDepreciationUpkeepAndPower)
{
    OwnedMachine machine;
    machine.purchase = {87600, "CNY"};
    machine.years = 1;
    machine.utilisation = 1;
    machine.upkeepShare = 0;
    EXPECT_DOUBLE_EQ(ownedPerHour(machine), 10);
    machine.utilisation = 0.5;
    EXPECT_DOUBLE_EQ(ownedPerHour(machine), 20);
    machine.kilowatts = 10;
    machine.powerUsage = 1.5;
    machine.perKilowattHour = 1;
    EXPECT_DOUBLE_EQ(ownedPerHour(machine), 35);
}

TEST(Offers, CheapestOfAClassThatHoldsTheLayout)
{
    const auto offers = offersFor({offer("a", 8, 400), offer("b", 4, 200), offer("c", 1, 10)}, 2, 4, today);
    ASSERT_EQ(offers.size(), 1U);
    EXPECT_EQ(offers[0].price.provider, "b") << "one instance a node comes before many put together";
    EXPECT_DOUBLE_EQ(offers[0].perHour, 400);
    EXPECT_EQ(offers[0].instances, 2);
}

TEST(Offers, SingleGpusArePutTogetherWhereNothingElseIsOffered)
{
    const auto offers = offersFor({offer("c", 1, 10)}, 1, 8, today);
    ASSERT_EQ(offers.size(), 1U);
    EXPECT_EQ(offers[0].instances, 8);
    EXPECT_DOUBLE_EQ(offers[0].perHour, 80);
}

TEST(Offers, CurrenciesAndClassesNeverMixAndNoPriceIsNoOffer)
{
    Price spot = offer("a", 1, 3);
    spot.priceClass = PriceClass::Spot;
    Price dollars = offer("a", 1, 2);
    dollars.currency = "USD";
    EXPECT_EQ(offersFor({offer("a", 1, 10), spot, dollars}, 1, 1, today).size(), 3U);
    EXPECT_TRUE(offersFor({}, 1, 1, today).empty());
}

TEST(Offers, AncientPricesCountOnlyWithoutOthers)
{
    const auto offers = offersFor({offer("old", 1, 1, "2020-03-10"), offer("new", 1, 10)}, 1, 1, today);
    ASSERT_EQ(offers.size(), 1U);
    EXPECT_EQ(offers[0].price.provider, "new");
    const auto only = offersFor({offer("old", 1, 1, "2020-03-10")}, 1, 1, today);
    ASSERT_EQ(only.size(), 1U);
    EXPECT_TRUE(only[0].stale);
}

TEST(Notice, ProvidersPromise)
{
    EXPECT_EQ(spotNotice("aws"), 120);
    EXPECT_EQ(spotNotice("gcp"), 30);
    EXPECT_EQ(spotNotice("vast"), 0);
    EXPECT_EQ(spotNotice("somebody"), std::nullopt);
}

} // namespace
} // namespace rentune::cost
