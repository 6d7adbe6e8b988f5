// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/model/plain_parameters.h"

#include "trainer/ops/allocator.h"
#include "trainer/torch/threads.h"

namespace rentune::trainer {

NumberFormat NumberFormat::bf16()
{
    return {at::kBFloat16, hasBf16Units() ? at::kBFloat16 : at::kFloat};
}

bool isAdapterWeight(const Weight &weight)
{
    return weight.name.starts_with("base_model.") || weight.name.starts_with("prompt_");
}

PlainParameters::PlainParameters(const Decoder &decoder, NumberFormat format, const InitialValue &initial)
    : m_decoder(decoder), m_format(format)
{
    for (const WeightPtr &weight : decoder.weights()) {
        const bool adapter = isAdapterWeight(*weight);
        const at::ScalarType dtype = adapter ? at::kFloat : format.storage;
        m_indexOf[weight.get()] = m_parameters.size();
        at::Tensor value = initial(*weight);
        if (value.defined()) {
            value = value.to(dtype).contiguous();
            retag(value.storage().data_ptr(), adapter ? MemoryTerm::Adapter : MemoryTerm::Weights);
        }
        m_parameters.push_back({weight, value, {}});
    }
}

void PlainParameters::acquire(int unit, Pass pass)
{
    const TermScope term(MemoryTerm::Workspace);
    for (const WeightPtr &weight : m_decoder.unitWeights(unit)) {
        Parameter &p = parameter(weight);
        weight->tensor = computeValue(p);
        if (pass == Pass::Backward && weight->tensor.is_same(p.value))
            weight->gradient = p.gradient; // the backward pass adds in place
    }
}

at::Tensor PlainParameters::computeValue(const Parameter &p) const
{
    return isAdapterWeight(*p.weight) ? p.value : p.value.to(m_format.compute);
}

void PlainParameters::release(int unit, Pass pass)
{
    const TermScope term(MemoryTerm::Gradients);
    for (const WeightPtr &weight : m_decoder.unitWeights(unit)) {
        weight->tensor.reset();
        if (pass == Pass::Forward || !weight->gradient.defined())
            continue;
        Parameter &p = parameter(weight);
        if (weight->gradient.scalar_type() == p.value.scalar_type())
            p.gradient = weight->gradient;
        else if (p.gradient.defined())
            p.gradient.add_(weight->gradient.to(p.value.scalar_type()));
        else
            p.gradient = weight->gradient.to(p.value.scalar_type());
        retag(p.gradient.storage().data_ptr(), MemoryTerm::Gradients);
        weight->gradient.reset();
    }
}

std::vector<Parameter *> PlainParameters::trainable()
{
    std::vector<Parameter *> result;
    for (Parameter &p : m_parameters)
        if (p.weight->trainable)
            result.push_back(&p);
    return result;
}

void PlainParameters::clearGradients()
{
    for (Parameter &p : m_parameters)
        p.gradient.reset();
}

} // namespace rentune::trainer
