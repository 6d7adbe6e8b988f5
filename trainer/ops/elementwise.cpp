// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/ops/elementwise.h"

#include "kernels/api/rms_norm.h"
#include "kernels/api/rope.h"
#include "kernels/api/swiglu.h"
#include "trainer/ops/dispatch.h"

namespace rentune::trainer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class RmsNormFunction : public torch::autograd::Function<RmsNormFunction>
{
public:
    static at::Tensor forward(AutogradContext *context, const at::Tensor &x, const WeightPtr &weight,
                              double eps)
    {
        const int64_t width = weight->tensor.numel();
        const int64_t rows = x.numel() / width;
        at::Tensor y = at::empty_like(x);
        at::Tensor rstd = at::empty({rows}, x.options().dtype(at::kFloat));
        withElement(x.scalar_type(), [&](auto element) {
            using T = decltype(element);
            parallelRows(rows, width, [&](kernels::Rows part) {
                kernels::rms_norm(elements<T>(x), elements<T>(weight->tensor), static_cast<float>(eps), part,
                                  width, elements<T>(y), elements<float>(rstd));
            });
        });
        context->save_for_backward({x, rstd});
        context->saved_data["weight"] = Held<WeightPtr>::wrap(weight);
        return y;
    }

    static variable_list backward(AutogradContext *context, variable_list gradients)
    {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &x = saved[0];
        const at::Tensor &rstd = saved[1];
        const WeightPtr &weight = Held<WeightPtr>::unwrap(context->saved_data["weight"]);
        const at::Tensor dy = gradients[0].contiguous();
        const int64_t width = weight->tensor.numel();
        at::Tensor dx = at::empty_like(x);
        withElement(x.scalar_type(), [&](auto element) {
            using T = decltype(element);
            parallelRows(rstd.numel(), width, [&](kernels::Rows part) {
                kernels::rms_norm_backward(elements<T>(x), elements<T>(weight->tensor), elements<float>(rstd),
                                           elements<T>(dy), part, width, elements<T>(dx));
            });
        });
        if (weight->trainable)
            weight->addGradient(weightGradient(x, rstd, dy, width));
        return {dx, at::Tensor(), at::Tensor()};
    }

private:
    /// Sums fixed blocks of rows and then the blocks, so that the thread count does not change the result.
    static at::Tensor weightGradient(const at::Tensor &x, const at::Tensor &rstd, const at::Tensor &dy,
                                     int64_t width)
    {
        constexpr int64_t blockRows = 64;
        const int64_t rows = rstd.numel();
        const int64_t blocks = (rows + blockRows - 1) / blockRows;
        at::Tensor sums = at::zeros({blocks, width}, rstd.options());
        withElement(x.scalar_type(), [&](auto element) {
            using T = decltype(element);
            at::parallel_for(0, blocks, 1, [&](int64_t begin, int64_t end) {
                for (int64_t b = begin; b < end; ++b) {
                    const kernels::Rows part{b * blockRows, std::min(rows, (b + 1) * blockRows)};
                    kernels::rms_norm_weight_backward(elements<T>(x), elements<float>(rstd), elements<T>(dy),
                                                      part, width, elements<float>(sums) + b * width);
                }
            });
        });
        return sums.sum(0).to(x.scalar_type());
    }
};

at::Tensor rotated(const at::Tensor &x, const RotaryTable &table, kernels::Rotation rotation)
{
    const int64_t rows = table.cosine.size(0);
    const int64_t dim = table.cosine.size(1) * 2;
    const int64_t heads = x.size(1) / dim;
    at::Tensor y = at::empty_like(x);
    const kernels::RopeAngles angles{elements<float>(table.cosine), elements<float>(table.sine)};
    withElement(x.scalar_type(), [&](auto element) {
        using T = decltype(element);
        parallelRows(rows, x.size(1), [&](kernels::Rows part) {
            kernels::rope(elements<T>(x), angles, rotation, part, heads, dim, elements<T>(y));
        });
    });
    return y;
}

class RotateFunction : public torch::autograd::Function<RotateFunction>
{
public:
    static at::Tensor forward(AutogradContext *context, const at::Tensor &x, const RotaryTable &table)
    {
        context->saved_data["table"] = Held<RotaryTable>::wrap(table);
        return rotated(x, table, kernels::Rotation::Forward);
    }

    static variable_list backward(AutogradContext *context, variable_list gradients)
    {
        const RotaryTable &table = Held<RotaryTable>::unwrap(context->saved_data["table"]);
        return {rotated(gradients[0].contiguous(), table, kernels::Rotation::Backward), at::Tensor()};
    }
};

class SwigluFunction : public torch::autograd::Function<SwigluFunction>
{
public:
    static at::Tensor forward(AutogradContext *context, const at::Tensor &gate, const at::Tensor &up)
    {
        at::Tensor y = at::empty_like(gate);
        withElement(gate.scalar_type(), [&](auto element) {
            using T = decltype(element);
            parallelRows(gate.size(0), gate.size(1), [&](kernels::Rows part) {
                kernels::swiglu(elements<T>(gate), elements<T>(up), part, gate.size(1), elements<T>(y));
            });
        });
        context->save_for_backward({gate, up});
        return y;
    }

    static variable_list backward(AutogradContext *context, variable_list gradients)
    {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &gate = saved[0];
        const at::Tensor dy = gradients[0].contiguous();
        at::Tensor dgate = at::empty_like(gate);
        at::Tensor dup = at::empty_like(gate);
        withElement(gate.scalar_type(), [&](auto element) {
            using T = decltype(element);
            parallelRows(gate.size(0), gate.size(1), [&](kernels::Rows part) {
                kernels::swiglu_backward(elements<T>(gate), elements<T>(saved[1]), elements<T>(dy), part,
                                         gate.size(1), elements<T>(dgate), elements<T>(dup));
            });
        });
        return {dgate, dup};
    }
};

} // namespace

at::Tensor rmsNorm(const at::Tensor &x, const WeightPtr &weight, double eps)
{
    return RmsNormFunction::apply(x, weight, eps);
}

RotaryTable RotaryTable::make(const at::Tensor &positions, const std::vector<float> &inverse, double scale)
{
    const at::Tensor angles = positions.reshape({-1, 1}).to(at::kFloat) * at::tensor(inverse, at::kFloat);
    RotaryTable table{angles.cos(), angles.sin()};
    if (scale != 1) {
        table.cosine.mul_(scale);
        table.sine.mul_(scale);
    }
    return table;
}

at::Tensor rotate(const at::Tensor &x, const RotaryTable &table)
{
    return RotateFunction::apply(x, table);
}

at::Tensor swiglu(const at::Tensor &gate, const at::Tensor &up)
{
    return SwigluFunction::apply(gate, up);
}

} // namespace rentune::trainer
