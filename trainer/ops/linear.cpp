// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/ops/linear.h"

namespace rentune::trainer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Dropout
{
    double share = 0;
    uint64_t seed = 0;

    /// x with the mask applied and the rest scaled up; the same seed gives the same mask.
    at::Tensor apply(const at::Tensor &x) const
    {
        if (share <= 0)
            return x;
        at::Tensor mask = at::empty_like(x);
        mask.bernoulli_(1 - share, at::detail::createCPUGenerator(seed));
        return mask.mul_(1 / (1 - share)).mul_(x);
    }
};

struct LinearState
{
    const Linear *linear;
    Dropout dropout;
};

at::Tensor asFloat(const at::Tensor &x)
{
    return x.to(at::kFloat);
}

void accumulateProduct(Weight &weight, const at::Tensor &left, const at::Tensor &right, double scale = 1)
{
    if (weight.gradient.defined())
        weight.gradient.addmm_(left, right, 1, scale);
    else
        weight.gradient = scale == 1 ? at::mm(left, right) : at::mm(left, right).mul_(scale);
}

/// Gradients of A and B; returns the adapter's share of dx (fp32).
at::Tensor adapterBackward(const LoraAdapter &adapter, const Dropout &dropout, const at::Tensor &x,
                           const at::Tensor &hidden, const at::Tensor &dy)
{
    const at::Tensor dyFloat = asFloat(dy);
    const at::Tensor dhidden = at::mm(dyFloat, adapter.b->tensor).mul_(adapter.scale);
    if (adapter.b->trainable)
        accumulateProduct(*adapter.b, dyFloat.t(), hidden, adapter.scale);
    if (adapter.a->trainable)
        accumulateProduct(*adapter.a, dhidden.t(), dropout.apply(asFloat(x)));
    return dropout.apply(at::mm(dhidden, adapter.a->tensor));
}

class LinearFunction : public torch::autograd::Function<LinearFunction>
{
public:
    static at::Tensor forward(AutogradContext *context, const at::Tensor &x, const LinearState &state)
    {
        const Linear &linear = *state.linear;
        const at::Tensor weight = linear.weight->tensor.t();
        at::Tensor y = linear.bias ? at::addmm(linear.bias->tensor, x, weight) : at::mm(x, weight);
        at::Tensor hidden;
        if (const auto &adapter = linear.adapter) {
            hidden = at::mm(state.dropout.apply(asFloat(x)), adapter->a->tensor.t());
            if (y.scalar_type() == at::kFloat)
                y.addmm_(hidden, adapter->b->tensor.t(), 1, adapter->scale);
            else
                y = at::addmm(asFloat(y), hidden, adapter->b->tensor.t(), 1, adapter->scale)
                        .to(y.scalar_type());
        }
        const bool needsInput = linear.weight->trainable || linear.adapter;
        context->save_for_backward({needsInput ? x : at::Tensor(), hidden});
        context->saved_data["state"] = Held<LinearState>::wrap(state);
        return y;
    }

    static variable_list backward(AutogradContext *context, variable_list gradients)
    {
        const LinearState &state = Held<LinearState>::unwrap(context->saved_data["state"]);
        const Linear &linear = *state.linear;
        const variable_list saved = context->get_saved_variables();
        const at::Tensor dy = gradients[0].contiguous();
        at::Tensor dx = at::mm(dy, linear.weight->tensor);
        if (linear.weight->trainable)
            accumulateProduct(*linear.weight, dy.t(), saved[0]);
        if (linear.bias && linear.bias->trainable)
            linear.bias->addGradient(dy.sum(0));
        if (linear.adapter)
            dx.add_(adapterBackward(*linear.adapter, state.dropout, saved[0], saved[1], dy));
        return {dx, at::Tensor()};
    }
};

} // namespace

at::Tensor linear(const at::Tensor &x, const Linear &linear, std::optional<uint64_t> dropoutSeed)
{
    Dropout dropout;
    if (linear.adapter && dropoutSeed)
        dropout = {linear.adapter->dropout, *dropoutSeed};
    return LinearFunction::apply(x, LinearState{&linear, dropout});
}

} // namespace rentune::trainer
