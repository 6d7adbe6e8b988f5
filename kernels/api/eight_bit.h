// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/api/element.h"

namespace rentune::kernels {

inline constexpr int64_t eightBitCodes = 256;

/// Values of the signed dynamic 8-bit format in ascending order, [256] (arXiv:1511.04561, as bitsandbytes
/// builds it): up to seven exponent digits of ten, the rest of the bits a fraction.
const float *dynamic_code();

/// Blocks [part.begin, part.end) of `count` elements as codes of x / absmax, and their largest magnitudes:
/// the bytes of bitsandbytes 0.50's CPU kernel, which are nearest to within 2⁻¹⁶. The last block may be
/// shorter.
void quantize_8bit(const float *x, int64_t count, int64_t block, Rows part, uint8_t *codes, float *absmax);

/// code · absmax of its block.
void dequantize_8bit(const uint8_t *codes, const float *absmax, int64_t count, int64_t block, Rows part,
                     float *y);

} // namespace rentune::kernels
