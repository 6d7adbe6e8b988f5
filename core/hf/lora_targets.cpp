// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/adapter_config.h"
#include "core/hf/regex.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace rentune::hf {
namespace {

/// Every module path of the model, as named_modules() gives them, with those that are linear modules of a
/// block.
struct ModuleTree
{
    std::vector<std::string> paths;
    std::set<std::string> linear;
};

ModuleTree moduleTree(const ModelConfig &model)
{
    ModuleTree tree;
    tree.paths = {"model", "model.embed_tokens", "model.layers"};
    const std::vector<std::string> linear = linearModules(model);
    const size_t perLayer = linear.size() / static_cast<size_t>(model.layers);
    for (int64_t layer = 0; layer < model.layers; ++layer) {
        const std::string block = fmt::format("model.layers.{}", layer);
        for (const char *inner :
             {"", ".self_attn", ".mlp", ".mlp.act_fn", ".input_layernorm", ".post_attention_layernorm"})
            tree.paths.push_back(block + inner);
        if (model.qkNorm) {
            tree.paths.push_back(block + ".self_attn.q_norm");
            tree.paths.push_back(block + ".self_attn.k_norm");
        }
        const auto first = linear.begin() + layer * static_cast<int64_t>(perLayer);
        tree.paths.insert(tree.paths.end(), first, first + static_cast<int64_t>(perLayer));
    }
    for (const char *path : {"model.norm", "model.rotary_emb", "lm_head"})
        tree.paths.emplace_back(path);
    tree.linear.insert(linear.begin(), linear.end());
    return tree;
}

bool isOrEndsWith(const std::string &path, const std::string &name)
{
    return path == name || path.ends_with("." + name);
}

bool anyNamed(const std::string &path, const std::vector<std::string> &names)
{
    return std::any_of(names.begin(), names.end(),
                       [&](const auto &name) { return isOrEndsWith(path, name); });
}

/// PEFT's check_target_module_exists for one configuration, its expressions compiled once.
class TargetMatcher
{
public:
    static Result<TargetMatcher> create(const TargetSelection &config);

    bool matches(const std::string &path, bool linear) const;

private:
    explicit TargetMatcher(const TargetSelection &config) : m_config(config) {}
    bool isExcluded(const std::string &path) const;
    bool isInLayers(const std::string &path) const;

    const TargetSelection &m_config;
    bool m_allLinear = false;
    std::optional<Regex> m_target;
    std::vector<Regex> m_excluded; ///< exclude_modules as an expression, and modules_to_save
};

bool isAllLinear(std::string word)
{
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
    return word == "all-linear";
}

Result<TargetMatcher> TargetMatcher::create(const TargetSelection &config)
{
    TargetMatcher matcher(config);
    matcher.m_allLinear = isAllLinear(config.targetPattern);
    if (!config.targetPattern.empty() && !matcher.m_allLinear) {
        RENTUNE_TRY(matcher.m_target, Regex::compile(config.targetPattern));
    }
    if (!config.excludedPattern.empty()) {
        RENTUNE_TRY(Regex regex, Regex::compile(config.excludedPattern));
        matcher.m_excluded.push_back(std::move(regex));
    }
    for (const std::string &name : config.modulesToSave) {
        RENTUNE_TRY(Regex regex, Regex::compile("(^|.*\\.)" + name + "($|\\..*)"));
        matcher.m_excluded.push_back(std::move(regex));
    }
    return matcher;
}

bool TargetMatcher::isExcluded(const std::string &path) const
{
    return anyNamed(path, m_config.excluded) ||
           std::any_of(m_excluded.begin(), m_excluded.end(),
                       [&](const Regex &regex) { return regex.matchesWhole(path); });
}

/// layers_to_transform: the first numbered part of the path, below one of layers_pattern where that is given.
bool TargetMatcher::isInLayers(const std::string &path) const
{
    for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
        const size_t end = path.find('.', dot + 1);
        const std::string part = path.substr(dot + 1, end - dot - 1);
        const bool number = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
        if (!number || end == std::string::npos)
            continue;
        if (!m_config.layersPattern.empty() && !anyNamed(path.substr(0, dot), m_config.layersPattern))
            continue;
        return std::any_of(m_config.layers.begin(), m_config.layers.end(),
                           [&](int64_t layer) { return std::to_string(layer) == part; });
    }
    return false;
}

bool TargetMatcher::matches(const std::string &path, bool linear) const
{
    if (isExcluded(path))
        return false;
    if (m_allLinear)
        return linear;
    if (m_target)
        return m_target->matchesWhole(path);
    // PEFT looks at the layers only where an entry is a suffix, not the whole path.
    if (std::find(m_config.targets.begin(), m_config.targets.end(), path) != m_config.targets.end())
        return true;
    return anyNamed(path, m_config.targets) && (m_config.layers.empty() || isInLayers(path));
}

/// rank_pattern or alpha_pattern with its expressions compiled: PEFT's get_pattern_key.
template <typename T>
class PatternTable
{
public:
    static Result<PatternTable> create(const Pattern<T> &pattern)
    {
        PatternTable table;
        for (const auto &[key, value] : pattern) {
            RENTUNE_TRY(Regex regex, Regex::compile("(.*\\.)?(" + key + ")"));
            table.m_rows.push_back({key, std::move(regex), value});
        }
        return table;
    }

    T valueFor(const std::string &path, T fallback)
    {
        std::optional<T> found;
        for (Row &row : m_rows) {
            if (!row.regex.matchesWhole(path))
                continue;
            row.hit = true;
            if (!found)
                found = row.value;
        }
        return found.value_or(fallback);
    }

    void addUnmatched(std::vector<std::string> &list) const
    {
        for (const Row &row : m_rows) {
            if (!row.hit)
                list.push_back(row.key);
        }
    }

private:
    struct Row
    {
        std::string key;
        Regex regex;
        T value;
        bool hit = false;
    };
    std::vector<Row> m_rows;
};

Error refused(std::string detail)
{
    return Error{ErrorCode::AdapterConfig, std::move(detail)};
}

void addUnmatchedTargets(const TargetSelection &config, const ModuleTree &tree,
                         std::vector<std::string> &list)
{
    for (const std::string &target : config.targets) {
        if (std::none_of(tree.paths.begin(), tree.paths.end(),
                         [&](const std::string &path) { return isOrEndsWith(path, target); }))
            list.push_back(target);
    }
}

/// The linear modules that the selection hits, in the model's order.
struct Selected
{
    std::vector<std::string> modules;
    std::vector<std::string> unmatched;
};

Result<Selected> select(const TargetSelection &config, const ModelConfig &model)
{
    const ModuleTree tree = moduleTree(model);
    RENTUNE_TRY(const TargetMatcher matcher, TargetMatcher::create(config));
    Selected selected;
    for (const std::string &path : tree.paths) {
        const bool linear = tree.linear.contains(path);
        if (!matcher.matches(path, linear))
            continue;
        if (!linear)
            return refused(
                fmt::format("the targets hit {}, which is not a linear module of a block; adapters are "
                            "supported on those only",
                            path));
        selected.modules.push_back(path);
    }
    if (selected.modules.empty())
        return refused(
            "the targets hit no module of the model; its linear modules end in q_proj, k_proj, v_proj, "
            "o_proj, gate_proj, up_proj and down_proj");
    addUnmatchedTargets(config, tree, selected.unmatched);
    return selected;
}

int64_t ia3ParameterCount(const Ia3Targets &targets, const ModelConfig &model)
{
    std::map<std::string, bool> feedforward;
    for (const Ia3Target &target : targets.modules)
        feedforward[target.module + ".weight"] = target.feedforward;
    int64_t total = 0;
    for (const TensorSpec &tensor : tensorList(model)) {
        if (const auto found = feedforward.find(tensor.name); found != feedforward.end())
            total += tensor.shape[found->second ? 1 : 0];
    }
    return total;
}

/// P-tuning's encoder is the virtual tokens and a perceptron of three layers with biases.
int64_t virtualTokenParameterCount(const VirtualTokenConfig &config, const ModelConfig &model)
{
    const int64_t width = model.hiddenSize;
    const int64_t inner = config.encoderHidden;
    switch (config.kind) {
    case VirtualTokenKind::Prefix:
        return config.count * model.layers * 2 * model.kvHeads * model.headDim;
    case VirtualTokenKind::Ptuning:
        return config.count * width + (width + 1) * inner + (inner + 1) * inner + (inner + 1) * width;
    case VirtualTokenKind::Prompt:
        break;
    }
    return config.count * width;
}

} // namespace

Result<LoraTargets> resolveLoraTargets(const LoraConfig &config, const ModelConfig &model)
{
    RENTUNE_TRY(Selected selected, select(config, model));
    RENTUNE_TRY(auto ranks, PatternTable<int64_t>::create(config.rankPattern));
    RENTUNE_TRY(auto alphas, PatternTable<double>::create(config.alphaPattern));
    LoraTargets targets;
    for (const std::string &path : selected.modules) {
        LoraTarget target{path, ranks.valueFor(path, config.rank), alphas.valueFor(path, config.alpha), 0};
        const auto rank = static_cast<double>(target.rank);
        target.scale = target.alpha / (config.rslora ? std::sqrt(rank) : rank);
        targets.modules.push_back(std::move(target));
    }
    targets.unmatched = std::move(selected.unmatched);
    ranks.addUnmatched(targets.unmatched);
    alphas.addUnmatched(targets.unmatched);
    return targets;
}

Result<Ia3Targets> resolveIa3Targets(const Ia3Config &config, const ModelConfig &model)
{
    RENTUNE_TRY(Selected selected, select(config, model));
    std::optional<Regex> pattern;
    if (!config.feedforwardPattern.empty()) {
        RENTUNE_TRY(pattern, Regex::compile(config.feedforwardPattern));
    }
    Ia3Targets targets;
    targets.unmatched = std::move(selected.unmatched);
    for (std::string &path : selected.modules) {
        const bool feedforward =
            pattern ? pattern->matchesWhole(path)
                    : std::ranges::any_of(config.feedforward,
                                          [&](const std::string &end) { return path.ends_with(end); });
        targets.modules.push_back({std::move(path), feedforward});
    }
    return targets;
}

Ia3Config defaultIa3(const ModelConfig &model)
{
    const bool gemma = model.modelType.starts_with("gemma");
    Ia3Config config;
    config.targets = {gemma ? "q_proj" : "k_proj", "v_proj", "down_proj"};
    config.feedforward = {"down_proj"};
    return config;
}

int64_t loraParameterCount(const LoraTargets &targets, const ModelConfig &model)
{
    std::map<std::string, int64_t> inPlusOut;
    for (const TensorSpec &tensor : tensorList(model)) {
        if (tensor.shape.size() == 2)
            inPlusOut[tensor.name] = tensor.shape[0] + tensor.shape[1];
    }
    int64_t total = 0;
    for (const LoraTarget &target : targets.modules)
        total += target.rank * inPlusOut.at(target.module + ".weight");
    return total;
}

namespace {

/// With DoRA's magnitudes, one figure an output, and whole copies of modules_to_save.
int64_t trainedParameters(const LoraConfig &config, const LoraTargets &targets, const ModelConfig &model)
{
    std::set<std::string> adapted;
    for (const LoraTarget &target : targets.modules)
        adapted.insert(target.module + ".weight");
    int64_t total = loraParameterCount(targets, model);
    for (const TensorSpec &tensor : tensorList(model)) {
        if (config.dora && adapted.contains(tensor.name))
            total += tensor.shape[0];
        const std::string module = tensor.name.substr(0, tensor.name.rfind('.'));
        const bool saved = std::ranges::any_of(config.modulesToSave, [&](const std::string &name) {
            return module == name || module.ends_with('.' + name);
        });
        if (saved)
            total += std::accumulate(tensor.shape.begin(), tensor.shape.end(), int64_t{1}, std::multiplies());
    }
    return total;
}

} // namespace

Result<int64_t> adapterParameterCount(const AdapterConfig &config, const ModelConfig &model)
{
    if (const auto *lora = std::get_if<LoraConfig>(&config)) {
        RENTUNE_TRY(const LoraTargets targets, resolveLoraTargets(*lora, model));
        return trainedParameters(*lora, targets, model);
    }
    if (const auto *ia3 = std::get_if<Ia3Config>(&config)) {
        RENTUNE_TRY(const Ia3Targets targets, resolveIa3Targets(*ia3, model));
        return ia3ParameterCount(targets, model);
    }
    return virtualTokenParameterCount(std::get<VirtualTokenConfig>(config), model);
}

} // namespace rentune::hf
