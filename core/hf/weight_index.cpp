// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/weight_files.h"

#include "core/base/file_ops.h"
#include "core/base/json.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <set>

namespace rentune::hf {
namespace fs = std::filesystem;
namespace {

using TensorNames = std::vector<std::string>;
using ShardMap = std::map<std::string, TensorNames>; ///< shard file → tensors the index puts there

/// A name that cannot lead out of the folder on any system.
bool isPlainFileName(const std::string &name)
{
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of(std::string_view("/\\:\0", 4)) == std::string::npos;
}

/// "a, b, c and 12 more".
std::string someOf(const TensorNames &names)
{
    constexpr size_t most = 8;
    const auto shown =
        TensorNames(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most)));
    const std::string more = names.size() > most ? fmt::format(" and {} more", names.size() - most) : "";
    return fmt::format("{}{}", fmt::join(shown, ", "), more);
}

ShardMap readMap(const SortedJson &json, const fs::path &index, WeightFiles &out)
{
    const bool good = json.is_object() && json.contains("weight_map") && json.at("weight_map").is_object();
    if (!good || json.at("weight_map").empty()) {
        out.report(ErrorCode::SafetensorsIndex, index,
                   "has no \"weight_map\" from tensor names to file names");
        return {};
    }
    ShardMap shards;
    for (const auto &[tensor, shard] : json.at("weight_map").items()) {
        const std::string name = shard.is_string() ? shard.get<std::string>() : "";
        if (isPlainFileName(name))
            shards[name].push_back(tensor);
        else
            out.report(ErrorCode::SafetensorsIndex, index,
                       fmt::format("\"{}\" (for {}) is not a plain file name",
                                   shard.is_string() ? name : "a value that is no string", tensor));
    }
    return shards;
}

void openMapped(const fs::path &folder, const ShardMap &shards, WeightFiles &out)
{
    for (const auto &[name, tensors] : shards) {
        auto file = SafetensorsFile::open(folder / name);
        if (file) {
            for (const std::string &tensor : tensors) {
                if (file->find(tensor))
                    out.fileOf[tensor] = out.files.size();
            }
            out.files.push_back(std::move(*file));
        } else if (file.error().code == ErrorCode::FileMissing) {
            out.report(ErrorCode::ModelWeightsMissing, folder / name,
                       fmt::format("{} is missing; it holds {}", name, someOf(tensors)));
        } else {
            out.report(file.error().code, folder / name, name + ": " + file.error().detail);
        }
    }
}

/// Shards in the folder that the index does not name; broken ones are no business of this model.
std::map<std::string, SafetensorsFile> unreferencedShards(const fs::path &folder, const ShardMap &shards)
{
    std::map<std::string, SafetensorsFile> result;
    std::error_code error;
    for (const auto &item : fs::directory_iterator(folder, error)) {
        const std::string name = item.path().filename().string();
        if (item.path().extension() != ".safetensors" || shards.contains(name))
            continue;
        if (auto file = SafetensorsFile::open(item.path()))
            result.emplace(name, std::move(*file));
    }
    return result;
}

/// Where a tensor that is not in its shard lies instead.
std::string elsewhere(const std::string &tensor, const fs::path &folder, const ShardMap &shards,
                      const std::map<std::string, SafetensorsFile> &unreferenced)
{
    for (const auto &[name, file] : unreferenced) {
        if (file.find(tensor))
            return "it is in " + name;
    }
    for (const auto &[name, tensors] : shards) {
        const auto file = SafetensorsFile::open(folder / name);
        if (file && file->find(tensor))
            return "it is in " + name;
    }
    return "no file has it";
}

void checkMap(const fs::path &index, const ShardMap &shards, WeightFiles &out)
{
    const fs::path folder = index.parent_path();
    const auto unreferenced = unreferencedShards(folder, shards);
    for (const auto &[name, tensors] : shards) {
        const bool missing =
            std::any_of(out.problems.begin(), out.problems.end(),
                        [file = folder / name](const auto &problem) { return problem.file == file; });
        for (const std::string &tensor : missing ? TensorNames{} : tensors) {
            if (!out.fileOf.contains(tensor))
                out.report(ErrorCode::SafetensorsIndex, index,
                           fmt::format("the index puts {} in {}, but {}", tensor, name,
                                       elsewhere(tensor, folder, shards, unreferenced)));
        }
    }
    for (const auto &[name, file] : unreferenced)
        out.report(ErrorCode::SafetensorsIndex, index,
                   name + " is unreferenced: the index names no tensor of it", false);
}

int64_t tensorBytes(const SafetensorsFile &file)
{
    return file.tensors().empty() ? 0 : file.tensors().back().end;
}

/// total_size counts the shards as they were written, so files the index does not name count too.
void checkTotalSize(const SortedJson &json, const fs::path &index, const ShardMap &shards, WeightFiles &out)
{
    const bool complete =
        std::none_of(out.problems.begin(), out.problems.end(), [](const WeightProblem &problem) {
            return problem.code != ErrorCode::SafetensorsIndex;
        });
    const SortedJson::json_pointer key("/metadata/total_size");
    if (!complete || !json.contains(key) || !json.at(key).is_number())
        return;
    int64_t referenced = 0;
    for (const SafetensorsFile &file : out.files)
        referenced += tensorBytes(file);
    int64_t all = referenced;
    for (const auto &[name, file] : unreferencedShards(index.parent_path(), shards))
        all += tensorBytes(file);
    const double stated = json.at(key).get<double>();
    if (stated != static_cast<double>(referenced) && stated != static_cast<double>(all))
        out.report(ErrorCode::SafetensorsIndex, index,
                   fmt::format("total_size is {}, the tensors have {} bytes", stated, all), false);
}

Result<SortedJson> readIndex(const fs::path &index)
{
    RENTUNE_TRY(const std::string text, readFile(index, 256 * MiB));
    return parseSortedJson(text, index.string());
}

} // namespace

WeightFiles openShards(const fs::path &index)
{
    WeightFiles out;
    const Result<SortedJson> json = readIndex(index);
    if (!json) {
        out.report(json.error().code, index, json.error().detail);
        return out;
    }
    const ShardMap shards = readMap(*json, index, out);
    if (!out.problems.empty())
        return out;
    openMapped(index.parent_path(), shards, out);
    checkMap(index, shards, out);
    checkTotalSize(*json, index, shards, out);
    return out;
}

} // namespace rentune::hf
