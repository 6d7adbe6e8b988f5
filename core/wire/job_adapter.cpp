// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/job_adapter.h"

#include "core/wire/job_file.h"

namespace rentune::wire {
namespace {

void setTargets(hf::TargetSelection &selection, const MethodSpec &method)
{
    selection.targets = method.targets;
    selection.targetPattern = method.targets.empty() ? method.targetPattern : "";
    selection.modulesToSave = method.modulesToSave;
}

hf::LoraConfig loraOf(const MethodSpec &method)
{
    hf::LoraConfig config;
    setTargets(config, method);
    config.rank = method.rank;
    config.alpha = method.alpha;
    config.dropout = method.dropout;
    config.rankPattern.assign(method.rankPattern.begin(), method.rankPattern.end());
    config.alphaPattern.assign(method.alphaPattern.begin(), method.alphaPattern.end());
    config.rslora = method.rslora;
    config.dora = method.type == MethodType::Dora;
    config.bias = method.bias;
    return config;
}

/// Of stated targets, those that end in down_proj scale their input, as in PEFT's own choices.
hf::Ia3Config ia3Of(const JobSpec &job, const hf::ModelConfig &model)
{
    hf::Ia3Config config = hf::defaultIa3(model);
    if (!states(job, "method.targets"))
        return config;
    setTargets(config, job.method);
    config.feedforward.clear();
    for (const std::string &target : config.targets)
        if (target.ends_with("down_proj"))
            config.feedforward.push_back(target);
    if (config.targets.empty())
        config.feedforwardPattern = R"(.*\.down_proj)";
    return config;
}

hf::VirtualTokenConfig virtualTokensOf(const MethodSpec &method, hf::VirtualTokenKind kind)
{
    hf::VirtualTokenConfig config;
    config.kind = kind;
    config.count = method.virtualTokens;
    config.encoderHidden = method.ptuningHidden;
    return config;
}

std::optional<hf::AdapterConfig> configOf(const JobSpec &job, const hf::ModelConfig &model)
{
    switch (job.method.type) {
    case MethodType::Lora:
    case MethodType::Dora:
        return loraOf(job.method);
    case MethodType::Ia3:
        return ia3Of(job, model);
    case MethodType::Prompt:
        return virtualTokensOf(job.method, hf::VirtualTokenKind::Prompt);
    case MethodType::Ptuning:
        return virtualTokensOf(job.method, hf::VirtualTokenKind::Ptuning);
    case MethodType::Prefix:
        return virtualTokensOf(job.method, hf::VirtualTokenKind::Prefix);
    case MethodType::Full:
    case MethodType::Adapter:
    case MethodType::Freeze:
        break;
    }
    return std::nullopt;
}

} // namespace

std::optional<hf::AdapterConfig> jobAdapter(const JobSpec &job, const hf::ModelConfig &model)
{
    std::optional<hf::AdapterConfig> config = configOf(job, model);
    if (config)
        hf::originOf(*config).baseModel = job.model.path.string();
    return config;
}

} // namespace rentune::wire
