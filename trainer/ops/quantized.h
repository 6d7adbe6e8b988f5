// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/api/four_bit.h"
#include "trainer/torch/torch.h"

#include <map>
#include <string>
#include <vector>

namespace rentune::trainer {

/// The words of job files and command lines: "nf4", "fp4".
const std::map<std::string, kernels::FourBit> &fourBitNames();

/// How a weight is packed.
struct Quantization
{
    kernels::FourBit type = kernels::FourBit::Nf4;
    int64_t block = 64;  ///< elements that share a scale; even
    bool nested = false; ///< scales themselves in 8 bits (double quantisation)
};

/// A weight in 4 bits, its parts as bitsandbytes names them.
struct QuantizedTensor
{
    Quantization how;
    std::vector<int64_t> shape;
    at::ScalarType dtype = at::kFloat; ///< of the weight before: what dequantised values are rounded to
    at::Tensor packed;                 ///< uint8 [⌈elements / 2⌉]
    at::Tensor absmax;                 ///< fp32 [blocks]; nested: uint8 codes of absmax − offset
    at::Tensor nestedAbsmax;           ///< fp32 [⌈blocks / 256⌉], undefined if not nested
    at::Tensor offset;                 ///< fp32 [1], mean of the scales; undefined if not nested

    kernels::FourBitMatrix matrix() const;
};

/// Bytes identical to bitsandbytes 0.50's. `weight`: fp32, bf16 or fp16, at least one element.
QuantizedTensor quantize(const at::Tensor &weight, const Quantization &how);

/// The weight's values in its dtype.
at::Tensor dequantize(const QuantizedTensor &weight, kernels::ScaleOrder order);

} // namespace rentune::trainer
