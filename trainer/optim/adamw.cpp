// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/optim/adamw.h"

#include "trainer/ops/allocator.h"

#include <cmath>

namespace rentune::trainer {

double gradientNorm(const std::vector<Parameter *> &parameters)
{
    double squares = 0;
    for (const Parameter *p : parameters) {
        if (!p->gradient.defined())
            continue;
        const double norm = at::linalg_vector_norm(p->gradient, 2, {}, false, at::kFloat).item<double>();
        squares += norm * norm;
    }
    return std::sqrt(squares);
}

void clipGradients(const std::vector<Parameter *> &parameters, double norm, double maxNorm)
{
    const double factor = maxNorm / (norm + 1e-6);
    if (factor >= 1)
        return;
    for (Parameter *p : parameters)
        if (p->gradient.defined())
            p->gradient.mul_(factor);
}

AdamW::AdamW(std::vector<Parameter *> parameters, Options options)
    : m_parameters(std::move(parameters)), m_options(options)
{
    const at::NoGradGuard noGrad;
    for (const Parameter *p : m_parameters) {
        Slot slot;
        if (options.masterWeights && p->value.scalar_type() != at::kFloat) {
            const TermScope term(MemoryTerm::Master);
            slot.master = p->value.to(at::kFloat);
        }
        const TermScope term(MemoryTerm::Optimizer);
        const at::Tensor &updated = slot.master.defined() ? slot.master : p->value;
        slot.expAvg = at::zeros_like(updated);
        slot.expAvgSq = at::zeros_like(updated);
        m_slots.push_back(std::move(slot));
    }
}

void AdamW::step(double learningRate)
{
    const at::NoGradGuard noGrad;
    ++m_steps;
    const at::Tensor count = at::full({}, static_cast<double>(m_steps), at::kFloat);
    for (size_t i = 0; i < m_parameters.size(); ++i) {
        Parameter &p = *m_parameters[i];
        if (!p.gradient.defined())
            continue;
        Slot &slot = m_slots[i];
        const at::Tensor updated = slot.master.defined() ? slot.master : p.value;
        at::_fused_adamw_({updated}, {p.gradient.to(updated.scalar_type())}, {slot.expAvg}, {slot.expAvgSq},
                          {}, {count}, learningRate * p.rateFactor, m_options.beta1, m_options.beta2,
                          m_options.weightDecay, m_options.eps, false, false);
        if (slot.master.defined())
            p.value.copy_(slot.master);
    }
}

std::vector<std::pair<std::string, at::Tensor>> AdamW::state() const
{
    std::vector<std::pair<std::string, at::Tensor>> tensors;
    for (size_t i = 0; i < m_parameters.size(); ++i) {
        const std::string &name = m_parameters[i]->weight->name;
        tensors.emplace_back(name + ".exp_avg", m_slots[i].expAvg);
        tensors.emplace_back(name + ".exp_avg_sq", m_slots[i].expAvgSq);
        if (m_slots[i].master.defined())
            tensors.emplace_back(name + ".master", m_slots[i].master);
    }
    return tensors;
}

at::Tensor AdamW::exactValue(size_t index) const
{
    return m_slots[index].master.defined() ? m_slots[index].master : m_parameters[index]->value;
}

} // namespace rentune::trainer
