// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/api/eight_bit.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rentune::kernels {
namespace {

using Codes = std::array<float, eightBitCodes>;

/// The i-th of `count` points from 0.1 to 1, rounded as torch.linspace rounds: the far half counts from the
/// end.
float point(int i, int count)
{
    const float step = (1.0f - 0.1f) / static_cast<float>(count - 1);
    return i < count / 2 ? std::fma(step, static_cast<float>(i), 0.1f)
                         : std::fma(-step, static_cast<float>(count - 1 - i), 1.0f);
}

/// Exponent digit e has 2^e means of neighbouring points, of either sign; then zero and one.
Codes dynamicCodes()
{
    constexpr int digits = 7;
    Codes codes{};
    size_t next = 0;
    for (int e = 0; e < digits; ++e) {
        const float power = static_cast<float>(std::pow(10.0, e - (digits - 1)));
        for (int i = 0; i < 1 << e; ++i) {
            const int count = (1 << e) + 1;
            const float mean = (point(i, count) + point(i + 1, count)) / 2;
            codes[next++] = power * mean;
            codes[next++] = -power * mean;
        }
    }
    codes[next++] = 0;
    codes[next++] = 1;
    std::sort(codes.begin(), codes.end());
    return codes;
}

const Codes &codesInOrder()
{
    static const Codes codes = dynamicCodes();
    return codes;
}

/// The nearest code of each of 65,536 points from −1 to 1; a tie goes to the lower one. bitsandbytes' CPU
/// kernel looks numbers up in such a table, so zero becomes the code nearest to the point beside it, not
/// zero: repeated here, because packed bytes are to be the same.
constexpr int64_t points = 65536;
constexpr float pointsPerUnit = (points - 1) / 2.0f;

std::array<uint8_t, points> nearestCodes()
{
    std::array<uint8_t, points> table{};
    const Codes &codes = codesInOrder();
    size_t code = 0;
    for (size_t i = 0; i < table.size(); ++i) {
        const double x = static_cast<double>(i) / (points - 1) * 2 - 1;
        while (code + 1 < codes.size() && x > (static_cast<double>(codes[code]) + codes[code + 1]) / 2)
            ++code;
        table[i] = static_cast<uint8_t>(code);
    }
    return table;
}

/// `x` from −1 to 1.
uint8_t nearest(float x)
{
    static const std::array<uint8_t, points> table = nearestCodes();
    const auto index = static_cast<int64_t>((x + 1.0f) * pointsPerUnit + 0.5f);
    return table[static_cast<size_t>(std::clamp<int64_t>(index, 0, points - 1))];
}

} // namespace

const float *dynamic_code()
{
    return codesInOrder().data();
}

void quantize_8bit(const float *x, int64_t count, int64_t block, Rows part, uint8_t *codes, float *absmax)
{
    for (int64_t b = part.begin; b < part.end; ++b) {
        const int64_t end = std::min(count, (b + 1) * block);
        float largest = 0;
        for (int64_t i = b * block; i < end; ++i)
            largest = std::max(largest, std::abs(x[i]));
        absmax[b] = largest;
        for (int64_t i = b * block; i < end; ++i)
            codes[i] = largest > 0 ? nearest(x[i] / largest) : 0;
    }
}

void dequantize_8bit(const uint8_t *codes, const float *absmax, int64_t count, int64_t block, Rows part,
                     float *y)
{
    for (int64_t b = part.begin; b < part.end; ++b)
        for (int64_t i = b * block; i < std::min(count, (b + 1) * block); ++i)
            y[i] = codesInOrder()[codes[i]] * absmax[b];
}

} // namespace rentune::kernels
