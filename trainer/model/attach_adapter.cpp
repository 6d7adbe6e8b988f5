// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/model/attach_adapter.h"

#include "trainer/config/seeds.h"

#include <algorithm>
#include <cmath>

namespace rentune::trainer {
namespace {

const std::string prefix = "base_model.model.";

WeightPtr makeTrained(std::string name, std::vector<int64_t> shape)
{
    WeightPtr weight = makeWeight(std::move(name), std::move(shape));
    weight->trainable = true;
    return weight;
}

/// Calls `attach(linear, target)` for each linear module that is a target.
template <typename Target, typename Attach>
void attachToTargets(Decoder &decoder, const std::vector<Target> &targets, const Attach &attach)
{
    decoder.changeLinears([&](Linear &linear) -> std::vector<WeightPtr> {
        const auto target = std::ranges::find(targets, linear.module, &Target::module);
        if (target == targets.end())
            return {};
        return attach(linear, *target);
    });
}

Result<std::vector<std::string>> attach(Decoder &decoder, const hf::LoraConfig &config)
{
    RENTUNE_TRY(hf::LoraTargets targets, hf::resolveLoraTargets(config, decoder.config()));
    attachToTargets(decoder, targets.modules, [&](Linear &linear, const hf::LoraTarget &target) {
        const std::string name = prefix + linear.module;
        LoraAdapter adapter;
        adapter.a = makeTrained(name + ".lora_A.weight", {target.rank, linear.weight->shape[1]});
        adapter.b = makeTrained(name + ".lora_B.weight", {linear.weight->shape[0], target.rank});
        adapter.scale = target.scale;
        adapter.dropout = config.dropout;
        std::vector<WeightPtr> added{adapter.a, adapter.b};
        if (config.dora) {
            adapter.magnitude = makeTrained(name + ".lora_magnitude_vector", {linear.weight->shape[0]});
            added.push_back(adapter.magnitude);
        }
        linear.adapter = std::move(adapter);
        return added;
    });
    return std::move(targets.unmatched);
}

Result<std::vector<std::string>> attach(Decoder &decoder, const hf::Ia3Config &config)
{
    RENTUNE_TRY(hf::Ia3Targets targets, hf::resolveIa3Targets(config, decoder.config()));
    attachToTargets(decoder, targets.modules, [&](Linear &linear, const hf::Ia3Target &target) {
        const std::vector<int64_t> &shape = linear.weight->shape;
        linear.scale = Ia3Scale{makeTrained(prefix + linear.module + ".ia3_l",
                                            target.feedforward ? std::vector<int64_t>{1, shape[1]}
                                                               : std::vector<int64_t>{shape[0], 1}),
                                target.feedforward};
        return std::vector<WeightPtr>{linear.scale->vector};
    });
    return std::move(targets.unmatched);
}

Result<std::vector<std::string>> attach(Decoder &, const hf::VirtualTokenConfig &)
{
    return Error{ErrorCode::AdapterConfig,
                 "adapters of virtual tokens can't be put on a model yet; use LoRA"};
}

} // namespace

Result<std::vector<std::string>> attachAdapter(Decoder &decoder, const hf::AdapterConfig &config)
{
    return std::visit([&](const auto &held) { return attach(decoder, held); }, config);
}

at::Tensor initialAdapterValue(const Weight &weight, uint64_t seed, uint64_t number)
{
    if (weight.name.ends_with(".ia3_l"))
        return at::ones(weight.shape, at::kFloat);
    at::Tensor value = at::zeros(weight.shape, at::kFloat);
    if (weight.name.ends_with(".lora_A.weight")) {
        const double bound = 1 / std::sqrt(static_cast<double>(weight.shape[1]));
        value.uniform_(
            -bound, bound,
            at::detail::createCPUGenerator(deriveSeed(seed, RandomPurpose::AdapterInit, {number})));
    }
    return value;
}

std::string adaptedModule(const Weight &weight)
{
    const std::string inside = weight.name.substr(prefix.size());
    return inside.substr(0, inside.find_last_of('.', inside.find("lora_")));
}

} // namespace rentune::trainer
