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
fs::path baseOf(const InspectOptions &options, const fs::path &folder, const hf::LoraConfig &config)
{
    const fs::path named = folder / config.baseModel;
    for (const fs::path &each : {options.model, config.baseModel.empty() ? fs::path() : named,
                                 folder / "base_config.json", folder / "config.json"})
        if (!each.empty() && (fs::is_regular_file(each) || fs::exists(each / "config.json")))
            return each;
    return {};
}

void addTargets(Inspection &inspection, const hf::LoraConfig &config, const hf::ModelConfig &model)
{
    const auto targets = hf::resolveLoraTargets(config, model);
    if (!targets) {
        inspection.add(targets.error());
        return;
    }
    Json list = Json::array();
    int64_t rankMax = 0;
    for (const hf::LoraTarget &target : targets->modules) {
        rankMax = std::max(rankMax, target.rank);
        list.push_back({{"module", target.module},
                        {"rank", target.rank},
                        {"alpha", target.alpha},
                        {"scale", target.scale}});
    }
    for (const std::string &unmatched : targets->unmatched)
        inspection.warn("adapter.unmatched", "\"" + unmatched + "\" matches no module of the model");
    inspection.values["modules"] = targets->modules.size();
    inspection.values["trainable_parameters"] = hf::adapterParameterCount(config, *targets, model);
    inspection.values["rank_max"] = rankMax;
    inspection.values["targets"] = std::move(list);
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
    const auto config = [&]() -> Result<hf::LoraConfig> {
        RENTUNE_TRY(const Json json, readJson(file, 64 * MiB));
        return hf::parseLoraConfig(json, file.string());
    }();
    if (!config) {
        inspection.add(config.error());
        return inspection;
    }
    const auto rank = static_cast<double>(config->rank);
    inspection.values = {{"type", config->dora ? "dora" : "lora"},
                         {"rank", config->rank},
                         {"alpha", config->alpha},
                         {"scale", config->alpha / (config->rslora ? std::sqrt(rank) : rank)},
                         {"rank_max", config->rank},
                         {"rslora", config->rslora},
                         {"bias", config->bias},
                         {"modules_to_save", config->modulesToSave},
                         {"base_model", config->baseModel}};
    if (!config->ignoredKeys.empty())
        inspection.remark("adapter.ignored_keys",
                          "keys not known to this version are ignored: " + Json(config->ignoredKeys).dump());
    if (isFolder)
        addWeightProblems(inspection, hf::inspectWeights(options.file / "adapter_model.safetensors"));
    const fs::path base = baseOf(options, folder, *config);
    if (base.empty()) {
        inspection.warn("adapter.no_base",
                        "the base model is not on this computer: give --model to count its modules");
        return inspection;
    }
    const auto model = configOf(base);
    if (model)
        addTargets(inspection, *config, *model);
    else
        inspection.add(model.error());
    return inspection;
}

} // namespace rentune::app
