// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/inspection.h"
#include "core/base/file_ops.h"
#include "core/hf/adapter_config.h"
#include "core/hf/model_config.h"
#include "core/hf/model_weights.h"
#include "core/hf/safetensors.h"
#include "core/wire/job_file.h"

#include <algorithm>
#include <cmath>

namespace rentune::app {
namespace {

namespace fs = std::filesystem;

Json weightsJson(const hf::WeightReport &report)
{
    return {{"tensors", report.tensors}, {"parameters", report.parameters}, {"bytes", report.bytes}};
}

void addWeightProblems(Inspection &inspection, const hf::WeightReport &report)
{
    for (const hf::WeightProblem &problem : report.problems)
        inspection.findings.push_back({problem.fatal ? Severity::Error : Severity::Warning, 0,
                                       std::string(codeName(problem.code)),
                                       Error{problem.code, problem.detail, problem.file}.toString()});
}

Json ropeJson(const hf::ModelConfig &config)
{
    const hf::RopeFrequencies frequencies = hf::ropeFrequencies(config.rope, config.headDim, 1);
    return {{"type", hf::ropeKindName(config.rope.kind)},
            {"theta", config.rope.theta},
            {"inv_freq", frequencies.inverse},
            {"attention_factor", frequencies.attentionFactor}};
}

Json modelJson(const hf::ModelConfig &config)
{
    return {{"architecture", config.architecture},
            {"model_type", config.modelType},
            {"parameters", hf::parameterCount(config)},
            {"layers", config.layers},
            {"hidden_size", config.hiddenSize},
            {"intermediate_size", config.intermediateSize},
            {"heads", config.heads},
            {"kv_heads", config.kvHeads},
            {"head_dim", config.headDim},
            {"vocab_size", config.vocabSize},
            {"max_positions", config.maxPositions},
            {"tie_word_embeddings", config.tieWordEmbeddings},
            {"dtype", config.dtype},
            {"rope", ropeJson(config)},
            {"windows", config.windows},
            {"linear_modules", hf::linearModules(config).size()}};
}

Result<hf::ModelConfig> configOf(const fs::path &file)
{
    if (fs::is_directory(file))
        return hf::readModelConfig(file);
    RENTUNE_TRY(const Json json, readJson(file, 64 * MiB));
    return hf::parseModelConfig(json, file.string());
}

/// The base model an adapter is inspected against: --model, the folder that the adapter names, or a config
/// beside it.
fs::path baseOf(const InspectOptions &options, const fs::path &folder, const hf::AdapterOrigin &config)
{
    const fs::path named = folder / config.baseModel;
    for (const fs::path &each : {options.model, config.baseModel.empty() ? fs::path() : named,
                                 folder / "base_config.json", folder / "config.json"})
        if (!each.empty() && (fs::is_regular_file(each) || fs::exists(each / "config.json")))
            return each;
    return {};
}

/// What the file itself says of the method.
Json adapterJson(const hf::AdapterConfig &config)
{
    if (const auto *lora = std::get_if<hf::LoraConfig>(&config)) {
        const auto rank = static_cast<double>(lora->rank);
        return {{"type", lora->dora ? "dora" : "lora"},
                {"rank", lora->rank},
                {"alpha", lora->alpha},
                {"scale", lora->alpha / (lora->rslora ? std::sqrt(rank) : rank)},
                {"rank_max", lora->rank},
                {"rslora", lora->rslora},
                {"bias", lora->bias},
                {"modules_to_save", lora->modulesToSave}};
    }
    if (std::holds_alternative<hf::Ia3Config>(config))
        return {{"type", "ia3"}};
    const auto &tokens = std::get<hf::VirtualTokenConfig>(config);
    const char *const names[] = {"prompt", "ptuning", "prefix"};
    return {{"type", names[static_cast<size_t>(tokens.kind)]}, {"virtual_tokens", tokens.count}};
}

void warnUnmatched(Inspection &inspection, const std::vector<std::string> &keys)
{
    for (const std::string &key : keys)
        inspection.warn("adapter.unmatched", "\"" + key + "\" matches no module of the model");
}

void addLoraTargets(Inspection &inspection, const hf::LoraTargets &targets)
{
    Json list = Json::array();
    int64_t rankMax = 0;
    for (const hf::LoraTarget &target : targets.modules) {
        rankMax = std::max(rankMax, target.rank);
        list.push_back({{"module", target.module},
                        {"rank", target.rank},
                        {"alpha", target.alpha},
                        {"scale", target.scale}});
    }
    warnUnmatched(inspection, targets.unmatched);
    inspection.values["modules"] = targets.modules.size();
    inspection.values["rank_max"] = rankMax;
    inspection.values["targets"] = std::move(list);
}

void addIa3Targets(Inspection &inspection, const hf::Ia3Targets &targets)
{
    Json list = Json::array();
    for (const hf::Ia3Target &target : targets.modules)
        list.push_back({{"module", target.module}, {"feedforward", target.feedforward}});
    warnUnmatched(inspection, targets.unmatched);
    inspection.values["modules"] = targets.modules.size();
    inspection.values["targets"] = std::move(list);
}

/// What the adapter comes to on its base model.
void addTargets(Inspection &inspection, const hf::AdapterConfig &config, const hf::ModelConfig &model)
{
    const Result<int64_t> parameters = hf::adapterParameterCount(config, model);
    if (!parameters) {
        inspection.add(parameters.error());
        return;
    }
    inspection.values["trainable_parameters"] = *parameters;
    if (const auto *lora = std::get_if<hf::LoraConfig>(&config))
        addLoraTargets(inspection, *hf::resolveLoraTargets(*lora, model));
    else if (const auto *ia3 = std::get_if<hf::Ia3Config>(&config))
        addIa3Targets(inspection, *hf::resolveIa3Targets(*ia3, model));
}

} // namespace

Inspection inspectJob(const InspectOptions &options)
{
    Inspection inspection;
    const auto job = wire::readJob(options.file);
    if (!job) {
        inspection.add(job.error());
        return inspection;
    }
    inspection.values = {
        {"name", job->name}, {"stated_keys", job->statedKeys}, {"job", wire::writeJob(*job)}};
    return inspection;
}

Inspection inspectSafetensors(const InspectOptions &options)
{
    Inspection inspection;
    const hf::WeightReport report = hf::inspectWeights(options.file);
    inspection.values = weightsJson(report);
    addWeightProblems(inspection, report);
    if (fs::is_directory(options.file) || options.file.extension() == ".json")
        return inspection;
    const auto file = hf::SafetensorsFile::open(options.file);
    if (!file)
        return inspection; // the report says why
    inspection.values["metadata"] = file->metadata();
    Json list = Json::array();
    for (const hf::TensorEntry &entry : file->tensors())
        list.push_back({{"name", entry.name},
                        {"dtype", hf::dtypeName(entry.dtype)},
                        {"shape", entry.shape},
                        {"bytes", entry.end - entry.begin}});
    inspection.values["list"] = std::move(list);
    return inspection;
}

Inspection inspectModel(const InspectOptions &options)
{
    Inspection inspection;
    const bool isIndex = options.file.filename().string().ends_with(".index.json");
    const auto config = configOf(isIndex ? options.file.parent_path() : options.file);
    if (config)
        inspection.values = modelJson(*config);
    else
        inspection.add(config.error());
    if (isIndex || fs::is_directory(options.file)) {
        const hf::WeightReport report = hf::inspectWeights(options.file, config ? &*config : nullptr);
        inspection.values["weights"] = weightsJson(report);
        addWeightProblems(inspection, report);
    }
    return inspection;
}

Inspection inspectAdapter(const InspectOptions &options)
{
    Inspection inspection;
    const bool isFolder = fs::is_directory(options.file);
    const fs::path folder = isFolder ? options.file : fs::absolute(options.file).parent_path();
    const fs::path file = isFolder ? options.file / "adapter_config.json" : options.file;
    const auto config = [&]() -> Result<hf::AdapterConfig> {
        RENTUNE_TRY(const Json json, readJson(file, 64 * MiB));
        return hf::parseAdapterConfig(json, file.string());
    }();
    if (!config) {
        inspection.add(config.error());
        return inspection;
    }
    hf::AdapterConfig adapter = *config;
    const hf::AdapterOrigin &origin = hf::originOf(adapter);
    inspection.values = adapterJson(adapter);
    inspection.values["base_model"] = origin.baseModel;
    if (!origin.ignoredKeys.empty())
        inspection.remark("adapter.ignored_keys",
                          "keys not known to this version are ignored: " + Json(origin.ignoredKeys).dump());
    if (isFolder)
        addWeightProblems(inspection, hf::inspectWeights(options.file / "adapter_model.safetensors"));
    const fs::path base = baseOf(options, folder, origin);
    if (base.empty()) {
        inspection.warn("adapter.no_base",
                        "the base model is not on this computer: give --model to count its modules");
        return inspection;
    }
    const auto model = configOf(base);
    if (model)
        addTargets(inspection, adapter, *model);
    else
        inspection.add(model.error());
    return inspection;
}

} // namespace rentune::app
