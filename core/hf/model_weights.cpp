// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/model_weights.h"

#include "core/hf/weight_files.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>

namespace rentune::hf {
namespace fs = std::filesystem;

void WeightFiles::report(ErrorCode code, const fs::path &file, std::string detail, bool fatal)
{
    problems.push_back({code, file.string(), std::move(detail), fatal});
}

const TensorEntry *WeightFiles::find(const std::string &name) const
{
    const auto it = fileOf.find(name);
    return it == fileOf.end() ? nullptr : files[it->second].find(name);
}

void WeightFiles::add(SafetensorsFile file)
{
    for (const TensorEntry &entry : file.tensors())
        fileOf[entry.name] = files.size();
    files.push_back(std::move(file));
}

namespace {

constexpr const char *embedding = "model.embed_tokens.weight";
constexpr const char *head = "lm_head.weight";

bool isThere(const fs::path &path)
{
    std::error_code error;
    return fs::exists(path, error);
}

WeightFiles openSingle(const fs::path &path)
{
    WeightFiles out;
    if (auto file = SafetensorsFile::open(path))
        out.add(std::move(*file));
    else
        out.report(file.error().code, path, file.error().detail);
    return out;
}

WeightFiles nothingIn(const fs::path &folder)
{
    WeightFiles out;
    std::string detail = fmt::format("has neither {} nor {}", weightsFileName, indexFileName);
    if (isThere(folder / "pytorch_model.bin") || isThere(folder / "pytorch_model.bin.index.json"))
        detail += "; pickled weights (pytorch_model.bin) are never read, save the model as safetensors";
    out.report(ErrorCode::ModelWeightsMissing, folder, detail);
    return out;
}

bool isTrainable(Dtype dtype)
{
    return dtype == Dtype::F32 || dtype == Dtype::BF16 || dtype == Dtype::F16;
}

void checkTensor(const TensorSpec &spec, const TensorEntry &entry, const fs::path &folder, WeightFiles &out)
{
    if (entry.shape != spec.shape)
        out.report(ErrorCode::ModelWeightsMismatch, folder,
                   fmt::format("{} has shape [{}], config.json asks for [{}]", spec.name,
                               fmt::join(entry.shape, ", "), fmt::join(spec.shape, ", ")));
    else if (!isTrainable(entry.dtype))
        out.report(ErrorCode::ModelUnsupported, folder,
                   fmt::format("{} has dtype {}, which cannot be trained; F32, BF16 and F16 can", spec.name,
                               dtypeName(entry.dtype)));
}

/// transformers ties the head only if a stored copy equals the embedding.
void checkTiedCopy(const fs::path &folder, WeightFiles &out)
{
    const TensorEntry *a = out.find(embedding);
    const TensorEntry *b = out.find(head);
    if (!a || !b)
        return;
    const auto aBytes = out.files[out.fileOf.at(embedding)].bytes(*a);
    const auto bBytes = out.files[out.fileOf.at(head)].bytes(*b);
    if (a->dtype != b->dtype || !std::equal(aBytes.begin(), aBytes.end(), bBytes.begin(), bBytes.end()))
        out.report(
            ErrorCode::ModelWeightsMismatch, folder,
            "config.json says tie_word_embeddings is true, but lm_head.weight is there and differs from "
            "model.embed_tokens.weight; set tie_word_embeddings to false to use it");
}

void checkAgainst(const ModelConfig &config, const fs::path &folder, WeightFiles &out)
{
    constexpr size_t mostNamed = 40;
    std::vector<std::string> missing;
    for (const TensorSpec &spec : tensorList(config)) {
        if (const TensorEntry *entry = out.find(spec.name))
            checkTensor(spec, *entry, folder, out);
        else if (spec.name == head && out.find(embedding))
            out.report(ErrorCode::ModelWeightsMissing, folder,
                       "config.json says tie_word_embeddings is false, but no file has lm_head.weight; if "
                       "the head is "
                       "tied to the embedding, set tie_word_embeddings to true");
        else
            missing.push_back(spec.name);
    }
    if (config.tieWordEmbeddings)
        checkTiedCopy(folder, out);
    if (missing.empty())
        return;
    const size_t more = missing.size() - std::min(missing.size(), mostNamed);
    missing.resize(missing.size() - more);
    out.report(ErrorCode::ModelWeightsMissing, folder,
               fmt::format("missing tensors: {}{}", fmt::join(missing, ", "),
                           more > 0 ? fmt::format(" and {} more", more) : ""));
}

/// A model cannot be checked for tensors while whole files are missing or broken: that would only repeat it.
bool allFilesOpened(const WeightFiles &files)
{
    return !files.files.empty() &&
           std::all_of(files.problems.begin(), files.problems.end(), [](const WeightProblem &problem) {
               return problem.code == ErrorCode::SafetensorsIndex;
           });
}

Error joined(const std::vector<WeightProblem> &problems, const WeightProblem &first)
{
    std::string detail;
    for (const WeightProblem &problem : problems)
        detail += (detail.empty() ? "" : "; ") + problem.detail;
    return Error{first.code, std::move(detail), first.file};
}

} // namespace

WeightFiles openWeightFiles(const fs::path &path)
{
    std::error_code error;
    if (!fs::is_directory(path, error))
        return path.extension() == ".json" ? openShards(path) : openSingle(path);
    if (isThere(path / weightsFileName))
        return openSingle(path / weightsFileName);
    return isThere(path / indexFileName) ? openShards(path / indexFileName) : nothingIn(path);
}

WeightReport inspectWeights(const fs::path &path, const ModelConfig *config)
{
    WeightFiles files = openWeightFiles(path);
    if (config && allFilesOpened(files))
        checkAgainst(*config, path, files);
    WeightReport report;
    for (const SafetensorsFile &file : files.files) {
        for (const TensorEntry &entry : file.tensors()) {
            ++report.tensors;
            report.parameters += entry.elements();
            report.bytes += entry.end - entry.begin;
        }
    }
    report.problems = std::move(files.problems);
    return report;
}

Result<ModelWeights> ModelWeights::open(const fs::path &folder, const ModelConfig &config)
{
    WeightFiles files = openWeightFiles(folder);
    if (allFilesOpened(files))
        checkAgainst(config, folder, files);
    const auto fatal = std::find_if(files.problems.begin(), files.problems.end(),
                                    [](const WeightProblem &problem) { return problem.fatal; });
    if (fatal != files.problems.end())
        return joined(files.problems, *fatal);
    ModelWeights weights;
    weights.m_files = std::move(files.files);
    weights.m_fileOf = std::move(files.fileOf);
    return weights;
}

ModelWeights::Tensor ModelWeights::tensor(const std::string &name) const
{
    const SafetensorsFile &file = m_files[m_fileOf.at(name)];
    const TensorEntry *entry = file.find(name);
    return {entry, file.bytes(*entry)};
}

} // namespace rentune::hf
