// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/model/load_model.h"

#include "core/hf/model_weights.h"
#include "trainer/model/attach_adapter.h"
#include "trainer/model/tensor_file.h"

#include <map>

namespace rentune::trainer {
namespace {

using TensorMap = std::map<std::string, at::Tensor>;

Error mismatch(const std::filesystem::path &file, std::string detail)
{
    return {ErrorCode::AdapterMismatch, std::move(detail), file.string()};
}

std::string shapeText(const std::vector<int64_t> &shape)
{
    std::string text = "[";
    for (size_t i = 0; i < shape.size(); ++i)
        text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + "]";
}

/// The adapter's tensors out of DIR/adapter_model.safetensors: exactly those the decoder has, of the same
/// shapes.
Result<TensorMap> readAdapter(const std::filesystem::path &folder, const std::vector<WeightPtr> &weights)
{
    const std::filesystem::path path = folder / "adapter_model.safetensors";
    RENTUNE_TRY(const hf::SafetensorsFile file, hf::SafetensorsFile::open(path));
    TensorMap tensors;
    for (const WeightPtr &weight : weights) {
        if (!isAdapterWeight(*weight))
            continue;
        const hf::TensorEntry *entry = file.find(weight->name);
        if (!entry)
            return mismatch(path,
                            "tensor " + weight->name +
                                " is missing: the adapter's weights do not fit its adapter_config.json");
        if (entry->shape != weight->shape)
            return mismatch(path, "tensor " + weight->name + " has shape " + shapeText(entry->shape) +
                                      ", but this model and adapter_config.json want " +
                                      shapeText(weight->shape));
        RENTUNE_TRY(tensors[weight->name], toTensor(*entry, file.bytes(*entry), path.string()));
    }
    for (const hf::TensorEntry &entry : file.tensors())
        if (!tensors.contains(entry.name))
            return mismatch(path, "tensor " + entry.name + " has no place in this model");
    return tensors;
}

/// The base weights' first values, converted one by one so that no second copy of the model exists.
Result<TensorMap> readBase(const hf::ModelWeights &files, const std::vector<WeightPtr> &weights,
                           at::ScalarType dtype)
{
    TensorMap tensors;
    for (const WeightPtr &weight : weights) {
        if (isAdapterWeight(*weight))
            continue;
        const hf::ModelWeights::Tensor source = files.tensor(weight->name);
        RENTUNE_TRY(const at::Tensor tensor, toTensor(*source.entry, source.bytes, weight->name));
        tensors[weight->name] = tensor.to(dtype);
    }
    return tensors;
}

void setTrained(const std::vector<WeightPtr> &weights, Trained trained)
{
    for (const WeightPtr &weight : weights) {
        const bool adapter = isAdapterWeight(*weight);
        weight->trainable = trained == Trained::Everything || (trained == Trained::Adapter && adapter);
    }
}

/// First values of an adapter that no folder gives.
void addFreshAdapter(TensorMap &values, const std::vector<WeightPtr> &weights, uint64_t seed)
{
    std::map<std::string, uint64_t> numbers; // of the modules
    for (const WeightPtr &weight : weights) {
        if (!isAdapterWeight(*weight))
            continue;
        const std::string module = adaptedModule(*weight);
        const uint64_t number = numbers.try_emplace(module, numbers.size()).first->second;
        values[weight->name] = weight->name.ends_with(".lora_magnitude_vector")
                                   ? values.at(module + ".weight").to(at::kFloat).norm(2, 1)
                                   : initialAdapterValue(*weight, seed, number);
    }
}

} // namespace

Result<LoadedModel> loadModel(const ModelRequest &request)
{
    RENTUNE_TRY(const hf::ModelConfig config, hf::readModelConfig(request.folder));
    RENTUNE_TRY(const hf::ModelWeights files, hf::ModelWeights::open(request.folder, config));
    LoadedModel model;
    model.decoder = std::make_unique<Decoder>(config);
    if (request.adapter) {
        RENTUNE_TRY(model.unmatched, attachAdapter(*model.decoder, *request.adapter));
    }
    const std::vector<WeightPtr> weights = model.decoder->weights();
    setTrained(weights, request.trained);

    RENTUNE_TRY(TensorMap values, readBase(files, weights, request.format.storage));
    if (request.adapter && !request.adapterFolder.empty()) {
        RENTUNE_TRY(TensorMap adapter, readAdapter(request.adapterFolder, weights));
        values.merge(adapter);
    } else {
        addFreshAdapter(values, weights, request.seed);
    }
    model.parameters =
        std::make_unique<PlainParameters>(*model.decoder, request.format, [&](const Weight &weight) {
            return values.extract(weight.name).mapped();
        });
    return model;
}

} // namespace rentune::trainer
