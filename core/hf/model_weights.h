// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hf/model_config.h"
#include "core/hf/safetensors.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rentune::hf {

/// Something about weight files worth telling.
struct WeightProblem
{
    ErrorCode code = ErrorCode::SafetensorsIndex;
    std::string file;
    std::string detail;
    bool fatal = true; ///< false: the weights can still be used
};

/// All that can be said of weight files without a look at the tensors' bytes.
struct WeightReport
{
    std::vector<WeightProblem> problems;
    int64_t tensors = 0;
    int64_t parameters = 0; ///< Σ elements
    int64_t bytes = 0;      ///< of the tensors, without headers
};

/// Checks one .safetensors file, a model.safetensors.index.json with its shards, or a model folder. With a
/// `config` every tensor of tensorList() is looked for too. Never fails: what is wrong is in the report,
/// every problem of it.
WeightReport inspectWeights(const std::filesystem::path &path, const ModelConfig *config = nullptr);

/// The weights of a model folder: model.safetensors or the shards of model.safetensors.index.json.
/// Opening checks every tensor of tensorList() for presence and shape; nothing missing is ever made up.
/// Tensors beyond the list (rotary buffers of old files, a tied head's copy) are left alone.
class ModelWeights
{
public:
    /// Errors: model.weights_missing (file or tensor, by name), model.weights_mismatch (shape, both named; a
    /// copy of a tied head that differs from the embedding), model.unsupported (a dtype that cannot be
    /// trained), safetensors.index (shard names that are not plain file names, wrong map). The detail lists
    /// all problems.
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
    std::map<std::string, size_t> m_fileOf; ///< tensor name → index into m_files
};

} // namespace rentune::hf
