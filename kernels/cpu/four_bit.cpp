// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/api/four_bit.h"

#include "kernels/cpu/vector_math.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rentune::kernels {
namespace {

constexpr int codes = 16;
constexpr float leastScale = 1e-38f; ///< divides a block of zeros

/// Values of the 16 codes; bitsandbytes 0.50, backends/utils.py.
constexpr std::array<float, codes> nf4{-1.0f,
                                       -0.6961928009986877f,
                                       -0.5250730514526367f,
                                       -0.39491748809814453f,
                                       -0.28444138169288635f,
                                       -0.18477343022823334f,
                                       -0.09105003625154495f,
                                       0.0f,
                                       0.07958029955625534f,
                                       0.16093020141124725f,
                                       0.24611230194568634f,
                                       0.33791524171829224f,
                                       0.44070982933044434f,
                                       0.5626170039176941f,
                                       0.7229568362236023f,
                                       1.0f};
constexpr std::array<float, codes> fp4{
    0.0f, 0.0052083333f,  0.6666667f,  1.0f,  0.33333334f,  0.5f,  0.16666667f,  0.25f,
    0.0f, -0.0052083333f, -0.6666667f, -1.0f, -0.33333334f, -0.5f, -0.16666667f, -0.25f};

const std::array<float, codes> &valuesOf(FourBit type)
{
    return type == FourBit::Nf4 ? nf4 : fp4;
}

/// The codes by value, and the midpoints between neighbours.
struct Ladder
{
    std::array<uint8_t, codes> code{};
    std::array<float, codes - 1> bound{};

    explicit Ladder(const std::array<float, codes> &values)
    {
        for (int i = 0; i < codes; ++i)
            code[static_cast<size_t>(i)] = static_cast<uint8_t>(i);
        std::stable_sort(code.begin(), code.end(),
                         [&](uint8_t a, uint8_t b) { return values[a] < values[b]; });
        for (size_t i = 0; i + 1 < code.size(); ++i)
            bound[i] = (values[code[i]] + values[code[i + 1]]) / 2;
    }

    RENTUNE_INLINE uint8_t nearest(float x) const
    {
        size_t above = 0;
        for (const float each : bound)
            above += x > each;
        return code[above];
    }
};

const Ladder &ladderOf(FourBit type)
{
    static const Ladder ladders[] = {Ladder(nf4), Ladder(fp4)};
    return ladders[static_cast<size_t>(type)];
}

/// The block whose scale element (row, column) is read with. bitsandbytes' AVX-512 kernel, which it takes for
/// columns that are multiples of 16, counts blocks row by row with columns / block of them to a row; where a
/// row is not whole blocks this is another block's scale. Our CPU twin repeats it, because "exact" is what
/// the reference computes. No row of a known model's linear layers is other than whole blocks of 64.
int64_t scaleIndex(const FourBitMatrix &matrix, ScaleOrder order, int64_t row, int64_t column)
{
    if (order == ScaleOrder::Reference && matrix.columns % 16 == 0)
        return row * (matrix.columns / matrix.block) + column / matrix.block;
    return (row * matrix.columns + column) / matrix.block;
}

/// How many elements from `column` on are read with the same scale.
int64_t runLength(const FourBitMatrix &matrix, ScaleOrder order, int64_t row, int64_t column)
{
    const bool byRow = order == ScaleOrder::Reference && matrix.columns % 16 == 0;
    const int64_t place = byRow ? column : row * matrix.columns + column;
    return std::min(matrix.columns - column, matrix.block - place % matrix.block);
}

template <typename T>
void dequantize(const uint8_t *packed, const float *scales, const FourBitMatrix &matrix, ScaleOrder order,
                Rows part, T *y)
{
    const std::array<float, codes> &values = valuesOf(matrix.type);
    for (int64_t row = part.begin; row < part.end; ++row) {
        for (int64_t column = 0; column < matrix.columns;) {
            const float scale = scales[scaleIndex(matrix, order, row, column)];
            std::array<T, codes> table;
            for (size_t c = 0; c < codes; ++c)
                store(table[c], values[c] * scale);
            const int64_t begin = row * matrix.columns + column;
            const int64_t end = begin + runLength(matrix, order, row, column);
            for (int64_t i = begin; i < end; ++i)
                y[i] = table[i % 2 ? packed[i / 2] & 15 : packed[i / 2] >> 4];
            column += end - begin;
        }
    }
}

} // namespace

void quantize_4bit(const float *x, const FourBitMatrix &matrix, Rows part, uint8_t *packed, float *absmax)
{
    const Ladder &ladder = ladderOf(matrix.type);
    for (int64_t block = part.begin; block < part.end; ++block) {
        const int64_t begin = block * matrix.block;
        const int64_t end = std::min(matrix.count(), begin + matrix.block);
        const bool whole = end - begin == matrix.block;
        float largest = 0;
        for (int64_t i = begin; i < end; ++i)
            largest = std::max(largest, std::abs(x[i]));
        const float divisor = std::max(largest, leastScale);
        const float factor = 1.0f / divisor;
        const auto code = [&](int64_t i) {
            if (i >= end)
                return ladder.nearest(0);
            return ladder.nearest(std::clamp(whole ? x[i] * factor : x[i] / divisor, -1.0f, 1.0f));
        };
        for (int64_t i = begin; i < end; i += 2)
            packed[i / 2] = static_cast<uint8_t>(code(i) << 4 | code(i + 1));
        absmax[block] = whole ? largest : divisor;
    }
}

void dequantize_4bit(const uint8_t *packed, const float *scales, const FourBitMatrix &matrix,
                     ScaleOrder order, Rows part, float *y)
{
    dequantize(packed, scales, matrix, order, part, y);
}

void dequantize_4bit(const uint8_t *packed, const float *scales, const FourBitMatrix &matrix,
                     ScaleOrder order, Rows part, Bf16 *y)
{
    dequantize(packed, scales, matrix, order, part, y);
}

} // namespace rentune::kernels
