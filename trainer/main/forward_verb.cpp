// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/main/verbs.h"

#include "core/base/file_ops.h"
#include "trainer/model/layer_runner.h"
#include "trainer/model/load_model.h"
#include "trainer/model/tensor_file.h"
#include "trainer/torch/threads.h"

#include <memory>

namespace rentune::trainer {
namespace {

struct ForwardOptions
{
    std::string model;
    std::string adapter;
    std::string input;
    std::string output;
    std::string precision = "fp32";
    std::optional<kernels::FourBit> quantize;
    bool nested = false;
    int threads = 0;
};

Error badInput(const std::string &file, std::string detail)
{
    return {ErrorCode::DataFormat, std::move(detail), file};
}

/// Integer tensor NAME of the input, int64 [batch, tokens] as input_ids; undefined if absent.
Result<at::Tensor> readIds(const hf::SafetensorsFile &file, const std::string &path, const std::string &name)
{
    const hf::TensorEntry *entry = file.find(name);
    if (!entry)
        return at::Tensor();
    RENTUNE_TRY(const at::Tensor tensor, toTensor(*entry, file.bytes(*entry), path));
    if (tensor.dim() != 2 || !at::isIntegralType(tensor.scalar_type(), true))
        return badInput(path, name + " must be an integer tensor [batch, tokens]");
    return tensor.to(at::kLong);
}

/// Whether all values lie in [0, bound), where `except` is allowed too.
bool within(const at::Tensor &values, int64_t bound, int64_t except)
{
    return values.ge(0).logical_and(values.lt(bound)).logical_or(values.eq(except)).all().item<bool>();
}

struct ForwardInput
{
    TokenBatch batch;
    at::Tensor labels;
};

Result<ForwardInput> readInput(const std::string &path, const hf::ModelConfig &config)
{
    RENTUNE_TRY(const hf::SafetensorsFile file, hf::SafetensorsFile::open(path));
    ForwardInput input;
    RENTUNE_TRY(input.batch.ids, readIds(file, path, "input_ids"));
    RENTUNE_TRY(input.batch.mask, readIds(file, path, "attention_mask"));
    RENTUNE_TRY(input.batch.positions, readIds(file, path, "position_ids"));
    RENTUNE_TRY(input.labels, readIds(file, path, "labels"));
    const at::Tensor &ids = input.batch.ids;
    if (!ids.defined() || ids.numel() == 0)
        return badInput(path, "tensor input_ids [batch, tokens] is missing or empty");
    if (!within(ids, config.vocabSize, 0))
        return badInput(path, "input_ids holds a token outside the model's vocabulary of " +
                                  std::to_string(config.vocabSize));
    for (const at::Tensor *other : {&input.batch.mask, &input.batch.positions, &input.labels})
        if (other->defined() && other->sizes() != ids.sizes())
            return badInput(path, "attention_mask, position_ids and labels must have the shape of input_ids");
    if (input.batch.positions.defined() && input.batch.positions.lt(0).any().item<bool>())
        return badInput(path, "position_ids holds a negative position");
    if (input.labels.defined() && !within(input.labels, config.vocabSize, ignoredLabel))
        return badInput(path,
                        "labels holds a token outside the vocabulary (−100 marks places that do not count)");
    return input;
}

Result<int> forward(const ForwardOptions &options)
{
    fixThreads(options.threads);
    ModelRequest request;
    request.folder = options.model;
    request.format = options.precision == "bf16" ? NumberFormat::bf16() : NumberFormat::fp32();
    if (!options.adapter.empty()) {
        RENTUNE_TRY(request.adapter, hf::readAdapterConfig(options.adapter));
        request.adapterFolder = options.adapter;
    }
    if (options.quantize)
        request.quantization = Quantization{.type = *options.quantize, .nested = options.nested};
    RENTUNE_TRY(const LoadedModel model, loadModel(request));
    RENTUNE_TRY(const ForwardInput input, readInput(options.input, model.decoder->config()));

    LayerRunner runner(*model.decoder, *model.parameters);
    const at::Tensor hidden = runner.hidden(input.batch);
    const at::Tensor logits =
        runner.logits(hidden).view({input.batch.ids.size(0), input.batch.ids.size(1), -1});
    std::vector<hf::TensorView> tensors{toView("logits", logits)};
    at::Tensor loss;
    if (input.labels.defined()) {
        const HeadLoss sum = runner.evaluate(input.batch, input.labels);
        loss = at::full({}, sum.sum / static_cast<double>(sum.tokens), at::kFloat);
        tensors.push_back(toView("loss", loss));
    }
    RENTUNE_CHECK(hf::writeSafetensors(systemFileOps(), options.output, std::move(tensors)));
    return 0;
}

} // namespace

void addForwardVerb(CLI::App &program, Action &action)
{
    CLI::App *verb = program.add_subcommand("forward", "Logits and loss of given tokens");
    auto options = std::make_shared<ForwardOptions>();
    verb->add_option("--model", options->model, "Model folder")->required();
    verb->add_option("--adapter", options->adapter, "Adapter folder (PEFT layout)");
    verb->add_option("--input", options->input, "safetensors file with input_ids")->required();
    verb->add_option("--output", options->output, "safetensors file to write")->required();
    verb->add_option("--precision", options->precision, "fp32 or bf16")
        ->check(CLI::IsMember({"fp32", "bf16"}));
    verb->add_option("--quantize", options->quantize, "Pack the base's linear layers: nf4 or fp4")
        ->transform(CLI::CheckedTransformer(fourBitNames()));
    verb->add_flag("--double", options->nested, "Scales of packed weights in 8 bits");
    verb->add_option("--threads", options->threads, "Compute threads, 0: all cores");
    verb->callback([options, &action] { action = [options] { return forward(*options); }; });
}

} // namespace rentune::trainer
