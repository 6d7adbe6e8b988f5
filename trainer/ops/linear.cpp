// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/ops/linear.h"

#include "trainer/ops/dora.h"

namespace rentune::trainer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct LinearState
{
    const Linear *linear;
    Dropout dropout;
};

at::Tensor asFloat(const at::Tensor &x)
{
    return x.to(at::kFloat);
}

/// Gradients of A and B; returns the adapter's share of dx (fp32).
at::Tensor adapterBackward(const LoraAdapter &adapter, const Dropout &dropout, const at::Tensor &x,
                           const at::Tensor &hidden, const at::Tensor &dy)
{
    const at::Tensor dyFloat = asFloat(dy);
    const at::Tensor dhidden = at::mm(dyFloat, adapter.b->tensor).mul_(adapter.scale);
    if (adapter.b->trainable)
        adapter.b->addProduct(dyFloat.t(), hidden, adapter.scale);
    if (adapter.a->trainable)
        adapter.a->addProduct(dhidden.t(), dropout.apply(asFloat(x)));
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
            linear.weight->addProduct(dy.t(), saved[0]);
        if (linear.bias && linear.bias->trainable)
            linear.bias->addGradient(dy.sum(0));
        if (linear.adapter)
            dx.add_(adapterBackward(*linear.adapter, state.dropout, saved[0], saved[1], dy));
        return {dx, at::Tensor()};
    }
};

/// x times a vector along its rows.
class ScaleFunction : public torch::autograd::Function<ScaleFunction>
{
public:
    static at::Tensor forward(AutogradContext *context, const at::Tensor &x, const WeightPtr &vector)
    {
        context->save_for_backward({x});
        context->saved_data["vector"] = Held<WeightPtr>::wrap(vector);
        return (x * vector->tensor.view(-1)).to(x.scalar_type());
    }

    static variable_list backward(AutogradContext *context, variable_list gradients)
    {
        const WeightPtr &vector = Held<WeightPtr>::unwrap(context->saved_data["vector"]);
        const at::Tensor x = context->get_saved_variables()[0];
        const at::Tensor &dy = gradients[0];
        if (vector->trainable)
            vector->addGradient((asFloat(dy) * x).sum(0).view(vector->shape));
        return {(dy * vector->tensor.view(-1)).to(x.scalar_type()), at::Tensor()};
    }
};

at::Tensor adapted(const at::Tensor &x, const Linear &linear, std::optional<uint64_t> dropoutSeed)
{
    Dropout dropout;
    if (linear.adapter && dropoutSeed)
        dropout = {linear.adapter->dropout, *dropoutSeed};
    if (linear.adapter && linear.adapter->magnitude)
        return doraLinear(x, linear, dropout);
    return LinearFunction::apply(x, LinearState{&linear, dropout});
}

} // namespace

at::Tensor linear(const at::Tensor &x, const Linear &linear, std::optional<uint64_t> dropoutSeed)
{
    if (!linear.scale)
        return adapted(x, linear, dropoutSeed);
    if (linear.scale->onInput)
        return adapted(ScaleFunction::apply(x, linear.scale->vector), linear, dropoutSeed);
    return ScaleFunction::apply(adapted(x, linear, dropoutSeed), linear.scale->vector);
}

} // namespace rentune::trainer
