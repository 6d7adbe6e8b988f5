// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/model/decoder.h"

#include <vector>

namespace rentune::trainer {

enum class Pass
{
    Forward,
    Backward
};

/// A tensor as training keeps it between passes.
struct Parameter
{
    WeightPtr weight;
    at::Tensor value;      ///< in the storage dtype
    at::Tensor gradient;   ///< in the storage dtype; undefined before a backward pass has left one
    double rateFactor = 1; ///< times the learning rate
};

/// Where weights come from: the one seam for everything that keeps them otherwise than plain in memory
/// (sharded, quantised, offloaded). Called by one thread, in the order of the passes.
class ParameterSource
{
public:
    virtual ~ParameterSource() = default;
    /// Fills the `tensor` of the unit's weights, full and in the compute dtype, before a pass of the unit.
    virtual void acquire(int unit, Pass pass) = 0;
    /// The pass is over: tensors may go. After Backward, gradients are taken out of the weights and added to
    /// the parameters'.
    virtual void release(int unit, Pass pass) = 0;
    /// The trainable parameters this process updates, in the model's order. Pointers stay valid.
    virtual std::vector<Parameter *> trainable() = 0;
    /// Drops all gradients.
    virtual void clearGradients() = 0;
};

/// Holds a unit for the time of a pass.
class UnitLease
{
public:
    UnitLease(ParameterSource &source, int unit, Pass pass) : m_source(source), m_unit(unit), m_pass(pass)
    {
        m_source.acquire(unit, pass);
    }
    ~UnitLease() { m_source.release(m_unit, m_pass); }
    UnitLease(const UnitLease &) = delete;
    UnitLease &operator=(const UnitLease &) = delete;

private:
    ParameterSource &m_source;
    int m_unit;
    Pass m_pass;
};

} // namespace rentune::trainer
