// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/ops/virtual_tokens.h"

namespace rentune::trainer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class RowsBeforeFunction : public torch::autograd::Function<RowsBeforeFunction>
{
public:
    static at::Tensor forward(AutogradContext *context, const at::Tensor &x, const WeightPtr &rows,
                              int64_t first, int64_t batch)
    {
        const int64_t width = x.size(1);
        const at::Tensor columns =
            rows->tensor.slice(1, first, first + width).to(x.scalar_type()).expand({batch, -1, -1});
        context->saved_data["rows"] = Held<WeightPtr>::wrap(rows);
        context->saved_data["first"] = first;
        context->saved_data["batch"] = batch;
        return at::cat({columns, x.view({batch, -1, width})}, 1).view({-1, width});
    }

    static variable_list backward(AutogradContext *context, variable_list gradients)
    {
        const WeightPtr &rows = Held<WeightPtr>::unwrap(context->saved_data["rows"]);
        const int64_t first = context->saved_data["first"].toInt();
        const int64_t width = gradients[0].size(1);
        const int64_t count = rows->shape[0];
        const at::Tensor dy = gradients[0].view({context->saved_data["batch"].toInt(), -1, width});
        if (rows->trainable) {
            if (!rows->gradient.defined())
                rows->gradient = at::zeros_like(rows->tensor);
            rows->gradient.slice(1, first, first + width).add_(dy.slice(1, 0, count).to(at::kFloat).sum(0));
        }
        return {dy.slice(1, count).reshape({-1, width}), at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

/// The perceptron on given tensors: embedding, then a weight and a bias a layer.
at::Tensor encode(const std::vector<at::Tensor> &tensors)
{
    at::Tensor x = tensors[0];
    for (size_t i = 1; i < tensors.size(); i += 2) {
        x = at::linear(x, tensors[i], tensors[i + 1]);
        if (i + 2 < tensors.size())
            x = at::relu(x);
    }
    return x;
}

} // namespace

at::Tensor withRowsBefore(const at::Tensor &x, const WeightPtr &rows, int64_t first, int64_t batch)
{
    return RowsBeforeFunction::apply(x, rows, first, batch);
}

std::vector<WeightPtr> PromptEncoder::all() const
{
    std::vector<WeightPtr> list{embedding};
    for (size_t i = 0; i < weights.size(); ++i)
        list.insert(list.end(), {weights[i], biases[i]});
    return list;
}

at::Tensor PromptEncoder::rows() const
{
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> tensors;
    for (const WeightPtr &weight : all())
        tensors.push_back(weight->tensor);
    return encode(tensors);
}

void PromptEncoder::backward(const at::Tensor &drows) const
{
    const at::AutoGradMode gradients(true);
    std::vector<at::Tensor> tensors;
    for (const WeightPtr &weight : all())
        tensors.push_back(weight->tensor.detach().requires_grad_());
    const auto parts = torch::autograd::grad({encode(tensors)}, tensors, {drows});
    const std::vector<WeightPtr> list = all();
    for (size_t i = 0; i < list.size(); ++i)
        list[i]->addGradient(parts[i]);
}

} // namespace rentune::trainer
