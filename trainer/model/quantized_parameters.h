// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/model/plain_parameters.h"
#include "trainer/ops/quantized.h"

#include <string>
#include <unordered_map>

namespace rentune::trainer {

/// Frozen weights in 4 bits, by name.
using QuantizedWeights = std::unordered_map<std::string, QuantizedTensor>;

/// A base whose linear layers are kept packed and unpacked for the time of their unit's pass; everything else
/// as in PlainParameters. Packed weights are not trained.
class QuantizedParameters final : public PlainParameters
{
public:
    /// `initial` is asked for the weights that `packed` does not hold.
    QuantizedParameters(const Decoder &decoder, NumberFormat format, QuantizedWeights packed,
                        const InitialValue &initial);

protected:
    at::Tensor computeValue(const Parameter &parameter) const override;

private:
    QuantizedWeights m_packed;
};

} // namespace rentune::trainer
