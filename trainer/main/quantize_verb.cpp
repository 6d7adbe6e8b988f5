// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/main/verbs.h"

#include "core/base/file_ops.h"
#include "core/hf/safetensors.h"
#include "kernels/api/eight_bit.h"
#include "trainer/model/tensor_file.h"
#include "trainer/ops/quantized.h"

#include <memory>

namespace rentune::trainer {
namespace {

struct QuantizeOptions
{
    std::string input;
    std::string output;
    kernels::FourBit type = kernels::FourBit::Nf4;
    int64_t block = 64;
    bool nested = false;
};

/// The parts of one tensor under the names that bitsandbytes gives them.
std::vector<std::pair<std::string, at::Tensor>> partsOf(const std::string &name,
                                                        const QuantizedTensor &weight)
{
    std::vector<std::pair<std::string, at::Tensor>> parts{{name + ".packed", weight.packed},
                                                          {name + ".absmax", weight.absmax}};
    if (weight.how.nested) {
        const at::Tensor code = at::empty({kernels::eightBitCodes}, at::kFloat);
        std::copy_n(kernels::dynamic_code(), kernels::eightBitCodes, code.mutable_data_ptr<float>());
        parts.emplace_back(name + ".nested_absmax", weight.nestedAbsmax);
        parts.emplace_back(name + ".nested_code", code);
        parts.emplace_back(name + ".offset", weight.offset);
    }
    parts.emplace_back(name + ".dequant", dequantize(weight, kernels::ScaleOrder::Blocks).to(at::kFloat));
    return parts;
}

Result<int> quantizeFile(const QuantizeOptions &options)
{
    RENTUNE_TRY(const hf::SafetensorsFile file, hf::SafetensorsFile::open(options.input));
    const Quantization how{options.type, options.block, options.nested};
    std::vector<std::pair<std::string, at::Tensor>> parts;
    for (const hf::TensorEntry &entry : file.tensors()) {
        RENTUNE_TRY(const at::Tensor tensor, toTensor(entry, file.bytes(entry), options.input));
        if (!at::isFloatingType(tensor.scalar_type()) || tensor.numel() == 0)
            return Error{ErrorCode::SafetensorsFormat,
                         "tensor " + entry.name + " can't be quantised: it has no numbers with fractions",
                         options.input};
        for (auto &part : partsOf(entry.name, quantize(tensor, how)))
            parts.push_back(std::move(part));
    }
    std::vector<hf::TensorView> views;
    for (const auto &[name, tensor] : parts)
        views.push_back(toView(name, tensor));
    RENTUNE_CHECK(hf::writeSafetensors(systemFileOps(), options.output, std::move(views)));
    return 0;
}

} // namespace

void addQuantizeVerb(CLI::App &program, Action &action)
{
    CLI::App *verb = program.add_subcommand("quantize", "Packs the tensors of a file as bitsandbytes does");
    auto options = std::make_shared<QuantizeOptions>();
    verb->add_option("--input", options->input, "safetensors file")->required();
    verb->add_option("--output", options->output, "safetensors file to write")->required();
    verb->add_option("--type", options->type, "nf4 or fp4")
        ->required()
        ->transform(CLI::CheckedTransformer(fourBitNames()));
    verb->add_option("--block", options->block, "Elements that share a scale")
        ->check(CLI::IsMember({32, 64, 128, 256, 512, 1024, 2048, 4096}));
    verb->add_flag("--double", options->nested, "Scales in 8 bits");
    verb->callback([options, &action] { action = [options] { return quantizeFile(*options); }; });
}

} // namespace rentune::trainer
