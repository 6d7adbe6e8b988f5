// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hf/model_config.h"
#include "core/hf/safetensors.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rentune::hf {

/// The weights of a model folder: model.safetensors or the shards of model.safetensors.index.json.
/// Opening checks every tensor of tensorList() for presence and shape; nothing missing is ever made up.
class ModelWeights
{
public:
    /// Errors: model.weights_missing (file or tensor, by name), model.weights_mismatch (shape, both named),
    /// safetensors.index (shard names that are not plain file names, wrong map, all problems in one detail).
    static Result<ModelWeights> open(const std::filesystem::path &folder, const ModelConfig &config);

    struct Tensor
    {
        const TensorEntry *entry;
        std::span<const std::byte> bytes;
    };
    /// Precondition: `name` is in tensorList().
    Tensor tensor(const std::string &name) const;

private:
    std::vector<SafetensorsFile> m_files;
    std::map<std::string, size_t> m_fileOf;    ///< tensor name → index into m_files
};

} // namespace rentune::hf
