// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/api/element.h"

#include <bit>

// Functions marked so are compiled for several instruction sets and chosen when the program starts.
// Sanitizers instrument the choosing code before they are ready, so their builds take the plain version.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RENTUNE_MULTIVERSION __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define RENTUNE_MULTIVERSION
#endif
#define RENTUNE_INLINE inline __attribute__((always_inline))

namespace rentune::kernels {

RENTUNE_INLINE float load(float value)
{
    return value;
}
RENTUNE_INLINE float load(Bf16 value)
{
    return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

RENTUNE_INLINE void store(float &place, float value)
{
    place = value;
}
RENTUNE_INLINE void store(Bf16 &place, float value)
{
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    const bool isNan = (bits & 0x7fffffff) > 0x7f800000;
    place.bits = static_cast<uint16_t>(isNan ? (bits >> 16) | 0x40 : rounded);
}

/// e^x to about 1 unit in the last place, in plain arithmetic that compilers vectorise: x = n·ln2 + r with
/// |r| ≤ ln2/2, Taylor's series to r⁷ (next term < 6e-9), then the exponent is set by bits. Below −87 it
/// gives e^−87, above 88 e^88.
RENTUNE_INLINE float fastExp(float x)
{
    constexpr float log2e = 1.44269504f;
    constexpr float ln2High = 0.693359375f;
    constexpr float ln2Low = -2.12194440e-4f;
    constexpr float roundingShift = 12582912.0f; // 1.5 · 2^23: adding it rounds to an integer
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    const float shifted = x * log2e + roundingShift;
    const float n = shifted - roundingShift;
    const float r = (x - n * ln2High) - n * ln2Low;
    float series = 1.0f / 5040;
    series = series * r + 1.0f / 720;
    series = series * r + 1.0f / 120;
    series = series * r + 1.0f / 24;
    series = series * r + 1.0f / 6;
    series = series * r + 0.5f;
    series = series * r + 1.0f;
    series = series * r + 1.0f;
    const int32_t exponent = (static_cast<int32_t>(n) + 127) << 23;
    return series * std::bit_cast<float>(exponent);
}

RENTUNE_INLINE float sigmoid(float x)
{
    return 1.0f / (1.0f + fastExp(-x));
}

} // namespace rentune::kernels
