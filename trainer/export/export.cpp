// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/export/export.h"

#include "core/hf/model_weights.h"
#include "trainer/checkpoint/manifest.h"
#include "trainer/export/companions.h"
#include "trainer/model/attach_adapter.h"
#include "trainer/model/tensor_file.h"

#include <algorithm>
#include <map>

namespace rentune::trainer {
namespace {

namespace fs = std::filesystem;

at::ScalarType scalarType(hf::Dtype dtype)
{
    switch (dtype) {
    case hf::Dtype::BF16:
        return at::kBFloat16;
    case hf::Dtype::F16:
        return at::kHalf;
    case hf::Dtype::F64:
        return at::kDouble;
    default:
        return at::kFloat;
    }
}

} // namespace

Result<void> exportAdapter(FileOps &ops, const fs::path &folder, const hf::AdapterConfig &config,
                           const LoadedModel &model)
{
    RENTUNE_CHECK(ops.createFolders(folder));
    std::vector<hf::TensorView> tensors;
    for (const Parameter &p : model.parameters->all())
        if (isAdapterWeight(*p.weight))
            tensors.push_back(toView(p.weight->name, p.value));
    at::Tensor promptRows; // owns what a view borrows
    if (const auto &encoder = model.decoder->virtualTokens().encoder) {
        // PEFT saves what the encoder makes; the encoder itself lies beside, to go on from.
        RENTUNE_CHECK(hf::writeSafetensors(ops, folder / promptEncoderFile, std::move(tensors)));
        const UnitLease lease(*model.parameters, Decoder::embeddingUnit, Pass::Forward);
        promptRows = encoder->rows();
        tensors = {toView("prompt_embeddings", promptRows)};
    }
    RENTUNE_CHECK(hf::writeSafetensors(ops, folder / "adapter_model.safetensors", std::move(tensors)));
    const Json json = hf::adapterConfigJson(config, model.decoder->config());
    return atomicReplace(ops, folder / "adapter_config.json", json.dump(2) + "\n");
}

Result<void> exportModel(FileOps &ops, const fs::path &folder, const fs::path &base, const LoadedModel &model,
                         const AdamW &optimizer)
{
    RENTUNE_TRY(const hf::ModelWeights original, hf::ModelWeights::open(base, model.decoder->config()));
    std::map<const Parameter *, at::Tensor> exact;
    for (size_t i = 0; i < optimizer.parameters().size(); ++i)
        exact[optimizer.parameters()[i]] = optimizer.exactValue(i);

    std::vector<at::Tensor> kept; // owns what the views borrow
    std::vector<hf::TensorView> tensors;
    for (const Parameter &p : model.parameters->all()) {
        const auto found = exact.find(&p);
        const at::Tensor &value = found == exact.end() ? p.value : found->second;
        kept.push_back(value.to(scalarType(original.tensor(p.weight->name).entry->dtype)));
        tensors.push_back(toView(p.weight->name, kept.back()));
    }
    RENTUNE_CHECK(ops.createFolders(folder));
    RENTUNE_CHECK(copyCompanions(ops, base, folder));
    return hf::writeSafetensors(ops, folder / "model.safetensors", std::move(tensors));
}

Json trainerState(const Json &history, int64_t step, int64_t totalSteps, double epoch,
                  const wire::TrainingSpec &training)
{
    return {{"best_global_step", nullptr},         {"best_metric", nullptr},
            {"best_model_checkpoint", nullptr},    {"epoch", epoch},
            {"eval_steps", training.evalSteps},    {"global_step", step},
            {"is_hyper_param_search", false},      {"is_local_process_zero", true},
            {"is_world_process_zero", true},       {"log_history", history},
            {"logging_steps", training.logSteps},  {"max_steps", totalSteps},
            {"num_train_epochs", training.epochs}, {"train_batch_size", training.microBatch}};
}

Result<Json> fileHashes(const std::vector<fs::path> &paths)
{
    std::vector<fs::path> files;
    for (const fs::path &path : paths) {
        if (!fs::is_directory(path)) {
            files.push_back(path);
            continue;
        }
        for (const fs::directory_entry &entry : fs::directory_iterator(path))
            if (entry.is_regular_file())
                files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    Json list = Json::array();
    for (const fs::path &file : files) {
        RENTUNE_TRY(const ManifestFile described, describeFile(file));
        list.push_back(
            {{"name", file.filename().string()}, {"bytes", described.bytes}, {"xxh3_128", described.hash}});
    }
    return list;
}

} // namespace rentune::trainer
