// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/model/quantized_parameters.h"

#include "trainer/ops/allocator.h"

namespace rentune::trainer {
namespace {

void retagParts(const QuantizedTensor &weight)
{
    retag(weight.packed.storage().data_ptr(), MemoryTerm::Weights);
    for (const at::Tensor &part : {weight.absmax, weight.nestedAbsmax, weight.offset})
        if (part.defined())
            retag(part.storage().data_ptr(), MemoryTerm::Quantization);
}

} // namespace

QuantizedParameters::QuantizedParameters(const Decoder &decoder, NumberFormat format, QuantizedWeights packed,
                                         const InitialValue &initial)
    : PlainParameters(decoder, format,
                      [&](const Weight &weight) {
                          return packed.contains(weight.name) ? at::Tensor() : initial(weight);
                      }),
      m_packed(std::move(packed))
{
    for (const auto &[name, weight] : m_packed)
        retagParts(weight);
}

at::Tensor QuantizedParameters::computeValue(const Parameter &parameter) const
{
    const auto found = m_packed.find(parameter.weight->name);
    if (found == m_packed.end())
        return PlainParameters::computeValue(parameter);
    return dequantize(found->second, kernels::ScaleOrder::Reference).to(format().compute);
}

} // namespace rentune::trainer
