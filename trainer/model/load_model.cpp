// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/model/load_model.h"

#include "core/hf/model_weights.h"
#include "trainer/model/attach_adapter.h"
#include "trainer/model/tensor_file.h"

#include <algorithm>
#include <map>
#include <set>

namespace rentune::trainer {
namespace {

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

bool hasPromptEncoder(const std::vector<WeightPtr> &weights)
{
    return std::ranges::any_of(
        weights, [](const WeightPtr &weight) { return weight->name.starts_with(promptEncoderPrefix); });
}

/// The base's first values, those to be packed apart.
struct BaseValues
{
    TensorMap plain;
    QuantizedWeights packed;
};

/// Names of the weights that quantisation packs.
std::set<std::string> packable(const hf::ModelConfig &config)
{
    std::set<std::string> names;
    for (const std::string &module : hf::linearModules(config))
        names.insert(module + ".weight");
    return names;
}

/// Converts or packs the weights one by one, so that no second copy of the model exists.
Result<BaseValues> readBase(const hf::ModelWeights &files, const hf::ModelConfig &config,
                            const std::vector<WeightPtr> &weights, const ModelRequest &request)
{
    const std::set<std::string> names = request.quantization ? packable(config) : std::set<std::string>();
    BaseValues values;
    for (const WeightPtr &weight : weights) {
        if (isAdapterWeight(*weight))
            continue;
        const hf::ModelWeights::Tensor source = files.tensor(weight->name);
        RENTUNE_TRY(at::Tensor tensor, toTensor(*source.entry, source.bytes, weight->name));
        tensor = tensor.to(request.format.storage);
        if (names.contains(weight->name))
            values.packed.emplace(weight->name, quantize(tensor, *request.quantization));
        else
            values.plain[weight->name] = tensor;
    }
    return values;
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

Result<TensorMap> readAdapterWeights(const std::filesystem::path &folder,
                                     const std::vector<WeightPtr> &weights)
{
    const bool encoder = hasPromptEncoder(weights);
    const std::filesystem::path path = folder / (encoder ? promptEncoderFile : "adapter_model.safetensors");
    if (encoder && !std::filesystem::exists(path))
        return Error{
            ErrorCode::AdapterConfig,
            "P-tuning goes on only from its encoder, which PEFT does not save; start afresh, or from a "
            "folder that a run of this program left",
            path.string()};
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

Result<LoadedModel> loadModel(const ModelRequest &request)
{
    RENTUNE_TRY(const hf::ModelConfig config, hf::readModelConfig(request.folder));
    RENTUNE_TRY(const hf::ModelWeights files, hf::ModelWeights::open(request.folder, config));
    LoadedModel model;
    model.decoder = std::make_unique<Decoder>(config);
    if (request.adapter) {
        RENTUNE_TRY(model.unmatched,
                    attachAdapter(*model.decoder, *request.adapter, request.trained == Trained::Adapter));
    }
    const std::vector<WeightPtr> weights = model.decoder->weights();
    setTrained(weights, request.trained);

    RENTUNE_TRY(BaseValues base, readBase(files, config, weights, request));
    TensorMap &values = base.plain;
    if (request.adapter && !request.adapterFolder.empty()) {
        RENTUNE_TRY(TensorMap adapter, readAdapterWeights(request.adapterFolder, weights));
        values.merge(adapter);
    } else {
        addFreshAdapter(values, weights, request.seed);
    }
    const auto initial = [&](const Weight &weight) { return values.extract(weight.name).mapped(); };
    if (request.quantization)
        model.parameters = std::make_unique<QuantizedParameters>(*model.decoder, request.format,
                                                                 std::move(base.packed), initial);
    else
        model.parameters = std::make_unique<PlainParameters>(*model.decoder, request.format, initial);
    return model;
}

} // namespace rentune::trainer
