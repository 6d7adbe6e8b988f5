// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/ops/dora.h"

namespace rentune::trainer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct DoraState
{
    const Linear *linear;
    Dropout dropout;
};

class DoraFunction : public torch::autograd::Function<DoraFunction>
{
public:
    static at::Tensor forward(AutogradContext *context, const at::Tensor &x, const DoraState &state)
    {
        const Linear &linear = *state.linear;
        const LoraAdapter &adapter = *linear.adapter;
        const at::Tensor weight = linear.weight->tensor.t();
        const at::Tensor base = at::mm(x, weight).to(at::kFloat);
        const at::Tensor dropped = state.dropout.apply(x.to(at::kFloat));
        const at::Tensor hidden = at::mm(dropped, adapter.a->tensor.t());
        const bool drops = state.dropout.share > 0;
        const at::Tensor direction = drops ? at::mm(dropped, weight.to(at::kFloat)) : base.clone();
        direction.addmm_(hidden, adapter.b->tensor.t(), 1, adapter.scale);
        const at::Tensor norms =
            adaptedRowNorms(linear.weight->tensor, adapter.a->tensor, adapter.b->tensor, adapter.scale);
        const at::Tensor gain = adapter.magnitude->tensor / norms;

        // (g − 1) d(x)Wᵀ + g·scale·h Bᵀ = g · direction − d(x)Wᵀ
        at::Tensor y =
            drops ? base + (gain * direction - unscaled(direction, hidden, adapter)) : gain * direction;
        if (linear.bias)
            y = y + linear.bias->tensor;
        context->save_for_backward({x, hidden, direction, norms});
        context->saved_data["state"] = Held<DoraState>::wrap(state);
        return y.to(x.scalar_type());
    }

    static variable_list backward(AutogradContext *context, variable_list gradients)
    {
        const DoraState &state = Held<DoraState>::unwrap(context->saved_data["state"]);
        const Linear &linear = *state.linear;
        const LoraAdapter &adapter = *linear.adapter;
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &x = saved[0];
        const at::Tensor dy = gradients[0].contiguous().to(at::kFloat);
        const at::Tensor gain = adapter.magnitude->tensor / saved[3];
        const at::Tensor weight = linear.weight->tensor.to(at::kFloat);
        const at::Tensor scaled = dy * gain;

        if (adapter.magnitude->trainable)
            adapter.magnitude->addGradient((dy * saved[2]).sum(0) / saved[3]);
        if (linear.bias && linear.bias->trainable)
            linear.bias->addGradient(gradients[0].sum(0));
        const at::Tensor dhidden = at::mm(scaled, adapter.b->tensor).mul_(adapter.scale);
        if (adapter.b->trainable)
            adapter.b->addProduct(scaled.t(), saved[1], adapter.scale);
        if (adapter.a->trainable)
            adapter.a->addProduct(dhidden.t(), state.dropout.apply(x.to(at::kFloat)));
        const at::Tensor throughAdapter = at::mm(dhidden, adapter.a->tensor);
        if (state.dropout.share <= 0)
            return {at::addmm(throughAdapter, scaled, weight).to(x.scalar_type()), at::Tensor()};
        const at::Tensor dropped = at::addmm(throughAdapter, scaled - dy, weight);
        return {at::addmm(state.dropout.apply(dropped), dy, weight).to(x.scalar_type()), at::Tensor()};
    }

private:
    /// d(x) Wᵀ out of the direction.
    static at::Tensor unscaled(const at::Tensor &direction, const at::Tensor &hidden,
                               const LoraAdapter &adapter)
    {
        return at::addmm(direction, hidden, adapter.b->tensor.t(), 1, -adapter.scale);
    }
};

} // namespace

at::Tensor adaptedRowNorms(const at::Tensor &weight, const at::Tensor &a, const at::Tensor &b, double scale)
{
    return at::addmm(weight.to(at::kFloat), b, a, 1, scale).norm(2, 1);
}

at::Tensor doraLinear(const at::Tensor &x, const Linear &linear, const Dropout &dropout)
{
    return DoraFunction::apply(x, DoraState{&linear, dropout});
}

} // namespace rentune::trainer
