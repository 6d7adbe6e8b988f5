// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/export/merge.h"

#include "core/hf/weight_files.h"
#include "trainer/export/companions.h"
#include "trainer/model/attach_adapter.h"
#include "trainer/model/layer_runner.h"
#include "trainer/model/load_model.h"
#include "trainer/model/tensor_file.h"
#include "trainer/ops/dora.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace rentune::trainer {
namespace {

namespace fs = std::filesystem;

constexpr int64_t prompts = 8;
constexpr int64_t promptTokens = 16;
constexpr int64_t largestServedRank = 512; ///< the largest that vLLM's max_lora_rank may be

/// A base tensor as fp32 → what it becomes.
using Change = std::function<at::Tensor(const at::Tensor &)>;
using Changes = std::map<std::string, Change>;

at::Tensor withLora(const at::Tensor &weight, const LoraAdapter &adapter)
{
    const at::Tensor sum = weight + at::mm(adapter.b->tensor, adapter.a->tensor).mul_(adapter.scale);
    if (!adapter.magnitude)
        return sum;
    const at::Tensor norms = adaptedRowNorms(weight, adapter.a->tensor, adapter.b->tensor, adapter.scale);
    return sum * (adapter.magnitude->tensor / norms).unsqueeze(1);
}

void addChanges(const Linear &linear, Changes &changes)
{
    if (linear.adapter)
        changes[linear.weight->name] = [&linear](const at::Tensor &weight) {
            return withLora(weight, *linear.adapter);
        };
    if (!linear.scale)
        return;
    changes[linear.weight->name] = [&linear](const at::Tensor &weight) {
        return weight * linear.scale->vector->tensor;
    };
    if (linear.bias && !linear.scale->onInput)
        changes[linear.bias->name] = [&linear](const at::Tensor &bias) {
            return bias * linear.scale->vector->tensor.squeeze(1);
        };
}

/// A decoder that holds the adapter's weights and none of the base's.
Result<std::unique_ptr<Decoder>> adapterAlone(const hf::ModelConfig &config, const hf::AdapterConfig &adapter,
                                              const fs::path &folder)
{
    auto decoder = std::make_unique<Decoder>(config);
    RENTUNE_CHECK(attachAdapter(*decoder, adapter, false));
    const std::vector<WeightPtr> weights = decoder->weights();
    RENTUNE_TRY(auto values, readAdapterWeights(folder, weights));
    for (const WeightPtr &weight : weights)
        if (const auto found = values.find(weight->name); found != values.end())
            weight->tensor = found->second.to(at::kFloat);
    return decoder;
}

/// The base's weight files and what the index says of them; one file without an index.
struct Shards
{
    std::vector<std::string> files;
    Json index;
};

Result<Shards> shardsOf(const fs::path &folder)
{
    Shards shards;
    if (!fs::exists(folder / hf::indexFileName)) {
        shards.files.emplace_back(hf::weightsFileName);
        return shards;
    }
    RENTUNE_TRY(shards.index, readJson(folder / hf::indexFileName, 256 * MiB));
    std::set<std::string> names;
    for (const auto &[tensor, file] : shards.index["weight_map"].items())
        names.insert(file.get<std::string>());
    shards.files.assign(names.begin(), names.end());
    return shards;
}

/// Tensors of one file, the changed ones made when their turn to be written comes. Returns their bytes.
Result<int64_t> writeShard(FileOps &ops, const fs::path &from, const fs::path &to, const Changes &changes,
                           const std::string &leftOut)
{
    RENTUNE_TRY(const hf::SafetensorsFile file, hf::SafetensorsFile::open(from));
    std::vector<hf::TensorView> views;
    int64_t bytes = 0;
    for (const hf::TensorEntry &entry : file.tensors()) {
        if (entry.name == leftOut)
            continue;
        views.push_back({entry.name, entry.dtype, entry.shape, {}});
        bytes += entry.end - entry.begin;
    }
    at::Tensor changed;
    const auto bytesOf = [&](const hf::TensorView &view) -> Result<std::span<const std::byte>> {
        const hf::TensorEntry &entry = *file.find(view.name);
        const auto change = changes.find(view.name);
        if (change == changes.end())
            return file.bytes(entry);
        RENTUNE_TRY(const at::Tensor base, toTensor(entry, file.bytes(entry), from.string()));
        changed = change->second(base.to(at::kFloat)).to(base.scalar_type()).contiguous();
        return toView(view.name, changed).bytes;
    };
    RENTUNE_CHECK(hf::writeSafetensors(ops, to, std::move(views), file.metadata(), bytesOf));
    return bytes;
}

at::Tensor logitsOf(const LoadedModel &model)
{
    LayerRunner runner(*model.decoder, *model.parameters);
    TokenBatch batch;
    batch.ids = at::randint(model.decoder->config().vocabSize, {prompts, promptTokens},
                            at::detail::createCPUGenerator(0), at::kLong);
    return runner.logits(runner.hidden(batch));
}

/// "" if vLLM (0.10: its PEFT helper) serves the adapter beside its base, else why not.
std::string unservable(const hf::AdapterConfig &config)
{
    const auto *lora = std::get_if<hf::LoraConfig>(&config);
    if (!lora)
        return "vLLM serves LoRA adapters only";
    if (lora->dora)
        return "vLLM does not serve DoRA adapters";
    if (!lora->modulesToSave.empty())
        return "vLLM does not serve adapters with modules_to_save";
    if (lora->bias != "none")
        return "vLLM does not serve adapters with biases";
    if (!lora->rankPattern.empty() || !lora->alphaPattern.empty())
        return "vLLM scales every module by the same rank and alpha; this adapter has patterns";
    if (lora->rank > largestServedRank)
        return "vLLM serves ranks up to " + std::to_string(largestServedRank);
    return {};
}

} // namespace

Result<void> mergeAdapter(FileOps &ops, const fs::path &base, const fs::path &adapter, const fs::path &output)
{
    std::error_code ignored;
    if (fs::equivalent(base, output, ignored))
        return Error{ErrorCode::UsageArguments, "--output is the base model's folder; give another one",
                     output.string()};
    RENTUNE_TRY(const hf::ModelConfig config, hf::readModelConfig(base));
    RENTUNE_CHECK(hf::ModelWeights::open(base, config));
    RENTUNE_TRY(const hf::AdapterConfig adapterConfig, hf::readAdapterConfig(adapter));
    if (std::holds_alternative<hf::VirtualTokenConfig>(adapterConfig))
        return Error{
            ErrorCode::UsageArguments,
            "an adapter of virtual tokens has no weights that could be merged; keep it beside the model",
            adapter.string()};
    RENTUNE_TRY(const std::unique_ptr<Decoder> decoder, adapterAlone(config, adapterConfig, adapter));
    Changes changes;
    decoder->changeLinears([&](Linear &linear) {
        addChanges(linear, changes);
        return std::vector<WeightPtr>();
    });

    RENTUNE_TRY(Shards shards, shardsOf(base));
    const std::string leftOut = config.tieWordEmbeddings ? "lm_head.weight" : "";
    RENTUNE_CHECK(ops.createFolders(output));
    RENTUNE_CHECK(copyCompanions(ops, base, output));
    int64_t total = 0;
    for (const std::string &file : shards.files) {
        RENTUNE_TRY(const int64_t bytes, writeShard(ops, base / file, output / file, changes, leftOut));
        total += bytes;
    }
    if (shards.index.is_null())
        return {};
    shards.index["weight_map"].erase(leftOut);
    shards.index["metadata"]["total_size"] = total;
    return atomicReplace(ops, output / hf::indexFileName, shards.index.dump(2) + "\n");
}

Result<Json> mergeReport(const fs::path &base, const fs::path &adapter, const fs::path &merged)
{
    ModelRequest request;
    request.folder = base;
    request.adapterFolder = adapter;
    RENTUNE_TRY(request.adapter, hf::readAdapterConfig(adapter));
    const std::string reason = unservable(*request.adapter);
    at::Tensor expected;
    {
        RENTUNE_TRY(const LoadedModel model, loadModel(request));
        expected = logitsOf(model);
    }
    request = {};
    request.folder = merged;
    RENTUNE_TRY(const LoadedModel model, loadModel(request));
    const at::Tensor difference = (logitsOf(model) - expected).abs();
    return Json{{"max_abs", difference.max().item<double>()},
                {"mean_abs", difference.mean().item<double>()},
                {"prompts", prompts},
                {"servable", {{"lora", reason.empty()}, {"reason", reason.empty() ? Json() : Json(reason)}}}};
}

} // namespace rentune::trainer
