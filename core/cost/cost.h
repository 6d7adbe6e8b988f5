// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/units.h"
#include "core/catalog/catalog.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rentune::cost {

/// Mean time between interruptions of one node, low to high.
/// Own or on demand: 48 days (Meta's research clusters, arXiv 2410.21680) to 264 (Llama 3, arXiv 2407.21783:
/// one failure in 50,700 GPU hours). Spot: 4 h to 72 h around 24 h; AWS reclaims 5 to 20 % of GPU instances a
/// month in its better pools and more elsewhere, and publishes no hourly rate.
Range<Seconds> timeBetweenInterruptions(bool spot);

/// How a run is kept safe and what that takes.
struct CheckpointPlan
{
    Seconds interval = 0; ///< between the starts of two saves
    Seconds pause = 0;    ///< the run stands still during one
};

/// Young and Daly: the lost time pause/T + T/(2·M) is least at T = √(2·M·pause). `between` is of the whole
/// job: that of one node over the number of nodes. Never shorter than the pause itself.
Seconds bestInterval(Seconds between, Seconds pause);

/// What `work` seconds take with saves and interruptions: work · (1 + pause/T), and for each interruption
/// half an interval of lost work and a restart.
Seconds withInterruptions(Seconds work, const CheckpointPlan &plan, Seconds between, Seconds restart);

/// Seconds between notice and end that a provider promises to spot instances; nullopt where it is unknown, 0
/// where there is none. AWS 120, GCP 30, Azure 30, Aliyun 300, Volcengine 300; RunPod, Vast and container
/// hosts 0.
std::optional<Seconds> spotNotice(std::string_view provider);

/// An offer for a whole layout.
struct Offer
{
    catalog::Price price;
    int64_t instances = 0;
    double perHour = 0; ///< of all instances
    bool stale = false;
};

/// The cheapest offer of each class and currency that holds `nodes` × `gpusPerNode` GPUs of the kind:
/// instances with that many GPUs or more, one a node, else instances put together. Prices older than a year
/// count only where no other is left; stale ones are marked. A class without a price is absent.
std::vector<Offer> offersFor(const std::vector<catalog::Price> &prices, int64_t nodes, int64_t gpusPerNode,
                             std::chrono::sys_days today);

/// A machine that is bought. No default price: public prices of servers in China contradict each other, the
/// user types the quote.
struct OwnedMachine
{
    Money purchase;
    double years = 5; ///< straight line
    double residualShare = 0;
    double kilowatts = 0;
    double powerUsage = 1.3;    ///< PUE
    double perKilowattHour = 0; ///< in the currency of `purchase`
    double utilisation = 0.7;   ///< share of all hours it works
    double upkeepShare = 0.08;  ///< of the purchase, a year
};

/// Depreciation, upkeep and power of one working hour.
double ownedPerHour(const OwnedMachine &machine);

/// Hours of rent that pay for the purchase: 320,000 at 200 an hour are 1,600. Absent if renting costs
/// nothing, or no more than power alone.
std::optional<double> breakEvenHours(const OwnedMachine &machine, double rentPerHour);

} // namespace rentune::cost
