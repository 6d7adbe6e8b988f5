// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

namespace rentune::cost {
namespace {

constexpr Seconds hour = 3600;
constexpr Seconds day = 24 * hour;
constexpr double hoursPerYear = 8760;

/// Preferred first: one instance a node, not older than a year, cheap.
auto rank(const Offer &offer, bool oneInstanceANode, std::chrono::sys_days today)
{
    const auto asOf = catalog::earliestDay(offer.price.asOf);
    const bool ancient = !asOf || today - *asOf > std::chrono::days(365);
    return std::tuple(!oneInstanceANode, ancient, offer.perHour);
}

} // namespace

Range<Seconds> timeBetweenInterruptions(bool spot)
{
    if (spot)
        return {4 * hour, 24 * hour, 72 * hour};
    return {48 * day, 113 * day, 264 * day}; // expected: geometric mean of the two
}

Seconds bestInterval(Seconds between, Seconds pause)
{
    return std::max(pause, std::sqrt(2 * between * pause));
}

Seconds withInterruptions(Seconds work, const CheckpointPlan &plan, Seconds between, Seconds restart)
{
    const double saving = plan.interval > 0 ? plan.pause / plan.interval : 0;
    const Seconds busy = work * (1 + saving);
    const double lost = (plan.interval / 2 + restart) / between;
    return busy * (1 + lost);
}

std::optional<Seconds> spotNotice(std::string_view provider)
{
    constexpr std::array<std::pair<std::string_view, Seconds>, 9> table = {{{"aliyun", 300},
                                                                            {"aws", 120},
                                                                            {"azure", 30},
                                                                            {"gcp", 30},
                                                                            {"runpod", 0},
                                                                            {"runpod-community", 0},
                                                                            {"runpod-secure", 0},
                                                                            {"vast", 0},
                                                                            {"volcengine", 300}}};
    for (const auto &[name, seconds] : table) {
        if (name == provider)
            return seconds;
    }
    return std::nullopt;
}

std::vector<Offer> offersFor(const std::vector<catalog::Price> &prices, int64_t nodes, int64_t gpusPerNode,
                             std::chrono::sys_days today)
{
    using Key = std::tuple<catalog::PriceClass, std::string>;
    std::map<Key, Offer> best;
    const auto better = [&](const Offer &a, const Offer &b) {
        return rank(a, a.price.gpus >= gpusPerNode, today) < rank(b, b.price.gpus >= gpusPerNode, today);
    };
    for (const catalog::Price &price : prices) {
        if (price.gpus < 1)
            continue;
        Offer offer{price, nodes * ((gpusPerNode + price.gpus - 1) / price.gpus), 0,
                    catalog::isStale(price, today)};
        offer.perHour = static_cast<double>(offer.instances) * price.perHour;
        const auto [at, first] = best.try_emplace({price.priceClass, price.currency}, offer);
        if (!first && better(offer, at->second))
            at->second = offer;
    }
    std::vector<Offer> offers;
    for (auto &[key, offer] : best)
        offers.push_back(std::move(offer));
    return offers;
}

double ownedPerHour(const OwnedMachine &machine)
{
    const double perYear =
        machine.purchase.amount * ((1 - machine.residualShare) / machine.years + machine.upkeepShare);
    const double power = machine.kilowatts * machine.powerUsage * machine.perKilowattHour;
    return perYear / (hoursPerYear * machine.utilisation) + power;
}

std::optional<double> breakEvenHours(const OwnedMachine &machine, double rentPerHour)
{
    const double saved = rentPerHour - machine.kilowatts * machine.powerUsage * machine.perKilowattHour;
    if (saved <= 0)
        return std::nullopt;
    return machine.purchase.amount / saved;
}

} // namespace rentune::cost
