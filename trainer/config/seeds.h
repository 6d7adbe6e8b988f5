// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <initializer_list>

namespace rentune::trainer {

/// What random numbers are drawn for. Values are part of a checkpoint's meaning: never renumber.
enum class RandomPurpose : uint64_t
{
    Shuffle = 1,
    AdapterInit = 2,
    Dropout = 3,
    Sampling = 4
};

/// The seed of one independent stream. Nothing in the trainer carries a generator's state from step to step:
/// every draw comes from a generator seeded here with its coordinates, so a resumed run needs only the step
/// to draw the same numbers, and the order of evaluation (checkpointed layers, ranks) does not matter.
/// Coordinates: Shuffle {epoch}; AdapterInit {module number}; Dropout {step, global micro batch number within
/// the step, module number}; Sampling {token position}.
uint64_t deriveSeed(uint64_t seed, RandomPurpose purpose, std::initializer_list<uint64_t> coordinates);

/// SplitMix64 (Steele, Lea, Flood 2014): small, portable, the same numbers on every machine.
class SplitMix64
{
public:
    explicit SplitMix64(uint64_t seed) : m_state(seed) {}
    uint64_t next();
    /// Uniform in [0, bound), without bias. Precondition: bound > 0.
    uint64_t below(uint64_t bound);

private:
    uint64_t m_state;
};

} // namespace rentune::trainer
