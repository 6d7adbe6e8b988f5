// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/ops/quantized.h"

#include "kernels/api/eight_bit.h"
#include "trainer/ops/dispatch.h"

namespace rentune::trainer {
namespace {

constexpr int64_t nestedBlock = 256; ///< scales that share a scale of their own

int64_t nestedBlocks(int64_t scales)
{
    return (scales + nestedBlock - 1) / nestedBlock;
}

void nestScales(QuantizedTensor &weight)
{
    weight.offset = weight.absmax.mean().reshape({1});
    const at::Tensor centred = weight.absmax - weight.offset;
    const int64_t count = centred.numel();
    weight.absmax = at::empty({count}, at::kByte);
    weight.nestedAbsmax = at::empty({nestedBlocks(count)}, at::kFloat);
    kernels::quantize_8bit(elements<float>(centred), count, nestedBlock, {0, nestedBlocks(count)},
                           elements<uint8_t>(weight.absmax), elements<float>(weight.nestedAbsmax));
}

/// fp32 [blocks].
at::Tensor scalesOf(const QuantizedTensor &weight)
{
    if (!weight.how.nested)
        return weight.absmax;
    const int64_t count = weight.absmax.numel();
    at::Tensor scales = at::empty({count}, at::kFloat);
    kernels::dequantize_8bit(elements<uint8_t>(weight.absmax), elements<float>(weight.nestedAbsmax), count,
                             nestedBlock, {0, nestedBlocks(count)}, elements<float>(scales));
    return scales.add_(weight.offset);
}

} // namespace

const std::map<std::string, kernels::FourBit> &fourBitNames()
{
    static const std::map<std::string, kernels::FourBit> names = {{"nf4", kernels::FourBit::Nf4},
                                                                  {"fp4", kernels::FourBit::Fp4}};
    return names;
}

kernels::FourBitMatrix QuantizedTensor::matrix() const
{
    int64_t count = 1;
    for (const int64_t size : shape)
        count *= size;
    const int64_t columns = shape.empty() ? 1 : shape.back();
    return {how.type, count / columns, columns, how.block};
}

QuantizedTensor quantize(const at::Tensor &weight, const Quantization &how)
{
    QuantizedTensor result;
    result.how = how;
    result.shape = weight.sizes().vec();
    result.dtype = weight.scalar_type();
    const kernels::FourBitMatrix matrix = result.matrix();
    const at::Tensor values = weight.to(at::kFloat).contiguous();
    result.packed = at::empty({matrix.packedBytes()}, at::kByte);
    result.absmax = at::empty({matrix.blocks()}, at::kFloat);
    parallelRows(matrix.blocks(), matrix.block, [&](kernels::Rows part) {
        kernels::quantize_4bit(elements<float>(values), matrix, part, elements<uint8_t>(result.packed),
                               elements<float>(result.absmax));
    });
    if (how.nested)
        nestScales(result);
    return result;
}

at::Tensor dequantize(const QuantizedTensor &weight, kernels::ScaleOrder order)
{
    const kernels::FourBitMatrix matrix = weight.matrix();
    const at::Tensor scales = scalesOf(weight);
    // fp16 has no kernel of its own: rounding fp32 values gives the same numbers.
    const bool narrow = weight.dtype == at::kBFloat16;
    at::Tensor values = at::empty(weight.shape, narrow ? at::kBFloat16 : at::kFloat);
    withElement(values.scalar_type(), [&](auto element) {
        using T = decltype(element);
        parallelRows(matrix.rows, matrix.columns, [&](kernels::Rows part) {
            kernels::dequantize_4bit(elements<uint8_t>(weight.packed), elements<float>(scales), matrix, order,
                                     part, elements<T>(values));
        });
    });
    return values.to(weight.dtype);
}

} // namespace rentune::trainer
