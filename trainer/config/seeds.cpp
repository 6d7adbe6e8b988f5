// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/config/seeds.h"

#include <limits>

namespace rentune::trainer {
namespace {

uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

} // namespace

uint64_t deriveSeed(uint64_t seed, RandomPurpose purpose, std::initializer_list<uint64_t> coordinates)
{
    uint64_t state = SplitMix64(seed ^ mix(static_cast<uint64_t>(purpose))).next();
    for (const uint64_t coordinate : coordinates)
        state = SplitMix64(state ^ mix(coordinate + 1)).next();
    return state;
}

uint64_t SplitMix64::next()
{
    m_state += 0x9E3779B97F4A7C15ull;
    return mix(m_state);
}

uint64_t SplitMix64::below(uint64_t bound)
{
    // Values from the last, partial run of `bound` would favour small results: draw again.
    const uint64_t limit =
        std::numeric_limits<uint64_t>::max() - std::numeric_limits<uint64_t>::max() % bound;
    uint64_t value = next();
    while (value >= limit)
        value = next();
    return value % bound;
}

} // namespace rentune::trainer
