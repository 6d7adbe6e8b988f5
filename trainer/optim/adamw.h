// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/model/parameter_source.h"

#include <string>
#include <utility>
#include <vector>

namespace rentune::trainer {

/// Euclidean norm of all gradients together; parameters without one count as zero.
double gradientNorm(const std::vector<Parameter *> &parameters);

/// Scales all gradients by maxNorm / (norm + 1e-6) if that is below 1, as torch's clip_grad_norm_.
void clipGradients(const std::vector<Parameter *> &parameters, double norm, double maxNorm);

/// torch.optim.AdamW over all given parameters. States have the parameter's dtype; with master weights, a
/// parameter below fp32 has an fp32 copy that is updated with fp32 states and rounded into the parameter.
class AdamW
{
public:
    struct Options
    {
        double beta1 = 0.9;
        double beta2 = 0.999;
        double eps = 1e-8;
        double weightDecay = 0;
        bool masterWeights = true;
    };

    /// The parameters must outlive the optimizer.
    AdamW(std::vector<Parameter *> parameters, Options options);

    /// One update with the present gradients; parameters without a gradient are left as they are.
    void step(double learningRate);

    int64_t steps() const { return m_steps; }
    void setSteps(int64_t steps) { m_steps = steps; }

    /// The tensors a resumed run needs, by name: NAME.exp_avg, NAME.exp_avg_sq, NAME.master. They share
    /// memory with the optimizer: copying into them restores it.
    std::vector<std::pair<std::string, at::Tensor>> state() const;

    /// The most exact value of the i-th parameter: its master copy, or the parameter itself.
    at::Tensor exactValue(size_t index) const;
    const std::vector<Parameter *> &parameters() const { return m_parameters; }

private:
    struct Slot
    {
        at::Tensor expAvg;
        at::Tensor expAvgSq;
        at::Tensor master; ///< undefined if the parameter is its own master
    };

    std::vector<Parameter *> m_parameters;
    Options m_options;
    std::vector<Slot> m_slots;
    int64_t m_steps = 0;
};

} // namespace rentune::trainer
