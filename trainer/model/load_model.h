// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/hf/adapter_config.h"
#include "trainer/model/quantized_parameters.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>

namespace rentune::trainer {

/// What of a model is trained.
enum class Trained
{
    Nothing,
    Everything,
    Adapter
};

struct ModelRequest
{
    std::filesystem::path folder; ///< Hugging Face layout
    NumberFormat format;
    Trained trained = Trained::Nothing;
    std::optional<hf::AdapterConfig> adapter; ///< adapter to put on
    std::filesystem::path adapterFolder;      ///< folder of its weights; "": fresh ones from `seed`
    uint64_t seed = 0;
    std::optional<Quantization> quantization; ///< packs the linear layers of the blocks, as transformers does
};

struct LoadedModel
{
    std::unique_ptr<Decoder> decoder;
    std::unique_ptr<PlainParameters> parameters;
    std::vector<std::string> unmatched; ///< target or pattern keys of the adapter that hit no module
};

using TensorMap = std::map<std::string, at::Tensor>;

/// The adapter's tensors out of DIR/adapter_model.safetensors: exactly those of `weights` that belong to an
/// adapter, of the same shapes. Errors: adapter.mismatch (a tensor missing, left over or of another shape, by
/// name), those of reading the file.
Result<TensorMap> readAdapterWeights(const std::filesystem::path &folder,
                                     const std::vector<WeightPtr> &weights);

/// Builds the decoder and fills its parameters. Errors: those of hf::readModelConfig and
/// hf::ModelWeights::open, adapter.config, adapter.mismatch (a tensor missing, left over or of another shape,
/// by name).
Result<LoadedModel> loadModel(const ModelRequest &request);

} // namespace rentune::trainer
