// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace rentune {

using Bytes = int64_t;   ///< memory and file sizes
using Seconds = double;  ///< durations
using Flops = double;    ///< floating-point operations (a multiply-add counts 2)

inline constexpr Bytes KiB = 1024;
inline constexpr Bytes MiB = 1024 * KiB;
inline constexpr Bytes GiB = 1024 * MiB;

/// An amount in one currency (ISO 4217 code). Amounts of different currencies never mix silently.
struct Money
{
    double amount = 0;
    std::string currency;
};

/// low ≤ expected ≤ high: how a planned figure is stated.
template <typename T>
struct Range
{
    T low{};
    T expected{};
    T high{};
};

} // namespace rentune
