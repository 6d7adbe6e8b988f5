// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hf/model_weights.h"

namespace rentune::hf {

inline constexpr std::string_view weightsFileName = "model.safetensors";
inline constexpr std::string_view indexFileName = "model.safetensors.index.json";

/// The opened files behind a model, and what was wrong with them.
struct WeightFiles
{
    std::vector<SafetensorsFile> files;
    std::map<std::string, size_t> fileOf; ///< tensor name → index into `files`
    std::vector<WeightProblem> problems;

    void report(ErrorCode code, const std::filesystem::path &file, std::string detail, bool fatal = true);
    const TensorEntry *find(const std::string &name) const; ///< nullptr if absent
    void add(SafetensorsFile file);                         ///< with all its tensors
};

/// Opens a .safetensors file, an index with its shards, or a folder that has either.
WeightFiles openWeightFiles(const std::filesystem::path &path);

/// The index and its shards. No file is opened unless all names in the map are plain file names.
WeightFiles openShards(const std::filesystem::path &index);

} // namespace rentune::hf
