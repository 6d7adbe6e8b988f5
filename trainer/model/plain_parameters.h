// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/model/parameter_source.h"

#include <functional>
#include <map>

namespace rentune::trainer {

/// Number formats of a run. Weights are stored in one dtype and computed with in another: on processors
/// without bfloat16 units, products of bf16 weights run in fp32, which is faster there and at least as exact.
struct NumberFormat
{
    at::ScalarType storage = at::kFloat;
    at::ScalarType compute = at::kFloat;

    static NumberFormat fp32() { return {}; }
    /// bf16 storage; computes in bf16 where the processor has units for it.
    static NumberFormat bf16();
};

/// Every parameter whole in this process's memory. Where storage and compute dtype differ, a unit's weights
/// are converted for the time of its pass.
class PlainParameters : public ParameterSource
{
public:
    /// Gives a weight's first value, any float dtype.
    using InitialValue = std::function<at::Tensor(const Weight &)>;

    /// `decoder` must outlive the object. Adapters' weights are kept in fp32. A weight whose first value is
    /// undefined is a derived class's to provide.
    PlainParameters(const Decoder &decoder, NumberFormat format, const InitialValue &initial);

    void acquire(int unit, Pass pass) override;
    void release(int unit, Pass pass) override;
    std::vector<Parameter *> trainable() override;
    void clearGradients() override;

    const std::vector<Parameter> &all() const { return m_parameters; }
    std::vector<Parameter> &all() { return m_parameters; }
    NumberFormat format() const { return m_format; }

protected:
    /// A parameter as the operations take it: its value in the compute dtype.
    virtual at::Tensor computeValue(const Parameter &parameter) const;

private:
    const Decoder &m_decoder;
    NumberFormat m_format;
    std::vector<Parameter> m_parameters;
    std::map<const Weight *, size_t> m_indexOf;

    Parameter &parameter(const WeightPtr &weight) { return m_parameters[m_indexOf.at(weight.get())]; }
};

/// Whether the weight belongs to an adapter rather than to the base model.
bool isAdapterWeight(const Weight &weight);

} // namespace rentune::trainer
