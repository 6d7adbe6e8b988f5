// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/torch/torch.h"

#include <memory>
#include <string>
#include <vector>

namespace rentune::trainer {

/// A weight as the operations see it: a place that a ParameterSource fills before a unit's forward and
/// backward pass and may empty between the two. Operations keep the Weight for their backward pass, never the
/// tensor, and put the gradient here themselves; the autograd graph never holds a weight.
struct Weight
{
    std::string name; ///< as in the model's files: "model.layers.0.mlp.up_proj.weight"
    std::vector<int64_t> shape;
    bool trainable = false;
    at::Tensor tensor;   ///< full, in the compute dtype; undefined while the source has it
    at::Tensor gradient; ///< sum over the backward passes so far; undefined before the first

    /// Adds to the gradient; takes `part` over if it is the first.
    void addGradient(const at::Tensor &part)
    {
        if (gradient.defined())
            gradient.add_(part);
        else
            gradient = part;
    }

    /// Adds scale · left right to the gradient.
    void addProduct(const at::Tensor &left, const at::Tensor &right, double scale = 1)
    {
        if (gradient.defined())
            gradient.addmm_(left, right, 1, scale);
        else
            gradient = scale == 1 ? at::mm(left, right) : at::mm(left, right).mul_(scale);
    }
};
using WeightPtr = std::shared_ptr<Weight>;

inline WeightPtr makeWeight(std::string name, std::vector<int64_t> shape)
{
    auto weight = std::make_shared<Weight>();
    weight->name = std::move(name);
    weight->shape = std::move(shape);
    return weight;
}

/// Carries any value through the saved state of an autograd Function.
template <typename T>
struct Held final : torch::CustomClassHolder
{
    explicit Held(T held) : value(std::move(held)) {}
    T value;

    static c10::IValue wrap(T held)
    {
        return c10::IValue::make_capsule(c10::make_intrusive<Held<T>>(std::move(held)));
    }
    static const T &unwrap(const c10::IValue &saved)
    {
        return static_cast<const Held<T> &>(*saved.toCapsule()).value;
    }
};

} // namespace rentune::trainer
