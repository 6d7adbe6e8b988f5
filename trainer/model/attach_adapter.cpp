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

PromptEncoder makeEncoder(const hf::VirtualTokenConfig &config, int64_t width)
{
    const std::string name = promptEncoderPrefix;
    const std::vector<int64_t> sizes{width, config.encoderHidden, config.encoderHidden, width};
    PromptEncoder encoder;
    encoder.embedding = makeTrained(name + "embedding.weight", {config.count, width});
    for (size_t i = 0; i + 1 < sizes.size(); ++i) { // a ReLU lies between two layers of torch's Sequential
        const std::string layer = name + "mlp_head." + std::to_string(2 * i);
        encoder.weights.push_back(makeTrained(layer + ".weight", {sizes[i + 1], sizes[i]}));
        encoder.biases.push_back(makeTrained(layer + ".bias", {sizes[i + 1]}));
    }
    return encoder;
}

Result<std::vector<std::string>> attach(Decoder &decoder, const hf::VirtualTokenConfig &config, bool training)
{
    const hf::ModelConfig &model = decoder.config();
    const std::string name = "prompt_embeddings";
    VirtualTokens tokens;
    tokens.count = config.count;
    if (config.kind == hf::VirtualTokenKind::Prefix)
        tokens.prefix = makeTrained(name, {config.count, model.layers * 2 * model.kvHeads * model.headDim});
    else if (config.kind == hf::VirtualTokenKind::Ptuning && training)
        tokens.encoder = makeEncoder(config, model.hiddenSize);
    else
        tokens.prompt = makeTrained(name, {config.count, model.hiddenSize});
    decoder.setVirtualTokens(std::move(tokens));
    return std::vector<std::string>{};
}

at::Tensor uniform(const Weight &weight, int64_t in, const at::Generator &generator)
{
    const double bound = 1 / std::sqrt(static_cast<double>(in));
    return at::empty(weight.shape, at::kFloat).uniform_(-bound, bound, generator);
}

} // namespace

Result<std::vector<std::string>> attachAdapter(Decoder &decoder, const hf::AdapterConfig &config,
                                               bool training)
{
    if (const auto *lora = std::get_if<hf::LoraConfig>(&config))
        return attach(decoder, *lora);
    if (const auto *ia3 = std::get_if<hf::Ia3Config>(&config))
        return attach(decoder, *ia3);
    return attach(decoder, std::get<hf::VirtualTokenConfig>(config), training);
}

at::Tensor initialAdapterValue(const Weight &weight, uint64_t seed, uint64_t number)
{
    const at::Generator generator =
        at::detail::createCPUGenerator(deriveSeed(seed, RandomPurpose::AdapterInit, {number}));
    const std::string &name = weight.name;
    if (name.ends_with(".ia3_l"))
        return at::ones(weight.shape, at::kFloat);
    if (name == "prompt_embeddings" || name.ends_with(".embedding.weight"))
        return at::empty(weight.shape, at::kFloat).normal_(0, 1, generator);
    if (name.ends_with(".lora_A.weight") || name.starts_with(promptEncoderPrefix))
        return uniform(weight, weight.shape.back(), generator);
    return at::zeros(weight.shape, at::kFloat);
}

std::string adaptedModule(const Weight &weight)
{
    if (!weight.name.starts_with(prefix))
        return weight.name;
    const std::string inside = weight.name.substr(prefix.size());
    return inside.substr(0, inside.find_last_of('.', inside.find("lora_")));
}

} // namespace rentune::trainer
