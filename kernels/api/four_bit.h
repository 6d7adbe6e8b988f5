// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/api/element.h"

namespace rentune::kernels {

/// 4-bit number formats of bitsandbytes: NF4 (arXiv:2305.14314, the quantiles of a normal distribution) and
/// FP4.
enum class FourBit
{
    Nf4,
    Fp4
};

/// A matrix [rows, columns] in 4 bits. Its elements, row after row, are cut into blocks (an even number of
/// elements each, the last one may be shorter); an element is code · scale of its block. Two codes a byte,
/// the first in the high half.
struct FourBitMatrix
{
    FourBit type;
    int64_t rows;
    int64_t columns;
    int64_t block;

    int64_t count() const { return rows * columns; }
    int64_t blocks() const { return (count() + block - 1) / block; }
    int64_t packedBytes() const { return (count() + 1) / 2; }
};

/// Which block's scale an element is read with.
enum class ScaleOrder
{
    Blocks,   ///< its own
    Reference ///< the one bitsandbytes' CPU kernel takes: see four_bit.cpp. The same where columns are whole
              ///< blocks
};

/// Packs blocks [part.begin, part.end) of `x` and writes their largest magnitudes to `absmax`, as
/// bitsandbytes 0.50's quantize_4bit: nearest code of x · (1 / absmax), a tie goes to the lower one.
void quantize_4bit(const float *x, const FourBitMatrix &matrix, Rows part, uint8_t *packed, float *absmax);

/// Writes the elements of rows [part.begin, part.end).
void dequantize_4bit(const uint8_t *packed, const float *scales, const FourBitMatrix &matrix,
                     ScaleOrder order, Rows part, float *y);
void dequantize_4bit(const uint8_t *packed, const float *scales, const FourBitMatrix &matrix,
                     ScaleOrder order, Rows part, Bf16 *y);

} // namespace rentune::kernels
