// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/gguf_weights.h"

#include "core/hf/safetensors.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <set>

namespace rentune::hf {
namespace {

uint16_t halfAt(const std::byte *bytes)
{
    uint16_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

/// Nibble blocks keep values 0-15 in the low and 16-31 in the high halves of 16 bytes.
template <typename Dequantize>
void unpackNibbles(const std::byte *quants, float *out, Dequantize dequantize)
{
    for (int i = 0; i < 16; ++i) {
        const auto byte = std::to_integer<int>(quants[i]);
        out[i] = dequantize(byte & 15);
        out[i + 16] = dequantize(byte >> 4);
    }
}

void unpackBlock(GgmlType type, const std::byte *block, float *out)
{
    const uint16_t first = halfAt(block);
    const float scale = fromHalf(first);
    switch (type) {
    case GgmlType::F32:
        std::memcpy(out, block, sizeof *out);
        break;
    case GgmlType::F16:
        *out = scale;
        break;
    case GgmlType::BF16:
        *out = std::bit_cast<float>(static_cast<uint32_t>(first) << 16);
        break;
    case GgmlType::Q8_0:
        for (int i = 0; i < 32; ++i)
            out[i] = scale * static_cast<float>(static_cast<int8_t>(block[2 + i]));
        break;
    case GgmlType::Q4_0:
        unpackNibbles(block + 2, out, [=](int quant) { return scale * static_cast<float>(quant - 8); });
        break;
    case GgmlType::Q4_1: {
        const float minimum = fromHalf(halfAt(block + 2));
        unpackNibbles(block + 4, out, [=](int quant) { return scale * static_cast<float>(quant) + minimum; });
        break;
    }
    }
}

/// "model.layers.3.mlp.up_proj.weight" → "blk.3.ffn_up.weight".
std::string ggufName(const std::string &name)
{
    static const std::map<std::string_view, std::string_view> blockParts{
        {"input_layernorm", "attn_norm"},    {"post_attention_layernorm", "ffn_norm"},
        {"self_attn.q_proj", "attn_q"},      {"self_attn.k_proj", "attn_k"},
        {"self_attn.v_proj", "attn_v"},      {"self_attn.o_proj", "attn_output"},
        {"self_attn.q_norm", "attn_q_norm"}, {"self_attn.k_norm", "attn_k_norm"},
        {"mlp.gate_proj", "ffn_gate"},       {"mlp.up_proj", "ffn_up"},
        {"mlp.down_proj", "ffn_down"},
    };
    constexpr std::string_view layers = "model.layers.";
    if (!name.starts_with(layers))
        return name == "lm_head.weight"      ? "output.weight"
               : name == "model.norm.weight" ? "output_norm.weight"
                                             : "token_embd.weight";
    const size_t layerEnd = name.find('.', layers.size());
    const size_t partEnd = name.rfind('.');
    const std::string_view part = std::string_view(name).substr(layerEnd + 1, partEnd - layerEnd - 1);
    return fmt::format("blk.{}.{}{}", name.substr(layers.size(), layerEnd - layers.size()),
                       blockParts.at(part), name.substr(partEnd));
}

/// Turns one tensor at a time into bf16 in a buffer that the next one reuses.
class Bf16Converter
{
public:
    Bf16Converter(const GgufFile &gguf, const ModelConfig &config) : m_gguf(gguf), m_config(config) {}

    Result<std::span<const std::byte>> convert(const TensorView &wanted)
    {
        const GgufTensor &tensor = *m_gguf.find(ggufName(wanted.name));
        // A bias is a column of rows of one value: it has heads along its only dimension.
        const bool column = tensor.shape.size() == 1;
        const int64_t rows = column ? 1 : tensor.shape.front();
        const int64_t width = tensor.shape.back();
        const auto packedRow = tensor.bytes.size() / static_cast<size_t>(rows);
        m_row.resize(static_cast<size_t>(width));
        m_values.resize(static_cast<size_t>(rows * width));
        const bool interleaved = hasInterleavedRows(m_config, wanted.name);
        for (int64_t row = 0; row < rows; ++row) {
            const int64_t source = interleaved && !column ? interleavedRow(row, m_config.headDim) : row;
            unpackRow(tensor.type, tensor.bytes.subspan(static_cast<size_t>(source) * packedRow, packedRow),
                      m_row);
            uint16_t *out = m_values.data() + row * width;
            for (int64_t i = 0; i < width; ++i) {
                const int64_t from = interleaved && column ? interleavedRow(i, m_config.headDim) : i;
                out[i] = toBf16(m_row[static_cast<size_t>(from)]);
            }
        }
        return std::as_bytes(std::span(m_values));
    }

private:
    const GgufFile &m_gguf;
    const ModelConfig &m_config;
    std::vector<float> m_row;
    std::vector<uint16_t> m_values;
};

} // namespace

uint16_t toBf16(float value)
{
    const auto bits = std::bit_cast<uint32_t>(value);
    if (std::isnan(value))
        return static_cast<uint16_t>(bits >> 16 | 0x40);
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float fromHalf(uint16_t half)
{
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
    const uint32_t exponent = half >> 10 & 31;
    const uint32_t fraction = half & 1023;
    if (exponent == 0) {    // zero and subnormals
        const float value = static_cast<float>(fraction) * 0x1p-24F;
        return sign ? -value : value;
    }
    const uint32_t wide = exponent == 31 ? 255 : exponent + 127 - 15;
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

void unpackRow(GgmlType type, std::span<const std::byte> packed, std::span<float> out)
{
    const GgmlBlock block = blockOf(type);
    const std::byte *from = packed.data();
    for (size_t i = 0; i < out.size(); i += static_cast<size_t>(block.values), from += block.bytes)
        unpackBlock(type, from, out.data() + i);
}

bool hasInterleavedRows(const ModelConfig &config, std::string_view name)
{
    return config.modelType == "llama" && (name.find(".self_attn.q_proj.") != std::string_view::npos ||
                                           name.find(".self_attn.k_proj.") != std::string_view::npos);
}

int64_t interleavedRow(int64_t row, int64_t headDim)
{
    const int64_t half = headDim / 2;
    const int64_t head = row / headDim;
    const int64_t inHead = row % headDim;
    return head * headDim + inHead % half * 2 + inHead / half;
}

Result<void> writeGgufWeights(FileOps &ops, const GgufFile &gguf, const ModelConfig &config,
                              const std::filesystem::path &path)
{
    std::vector<TensorView> tensors;
    std::set<std::string> used;
    for (TensorSpec &spec : tensorList(config)) {
        const std::string name = ggufName(spec.name);
        const GgufTensor *tensor = gguf.find(name);
        if (!tensor)
            return Error{ErrorCode::GgufFormat, "tensor " + name + " is missing", gguf.path()};
        if (tensor->shape != spec.shape)
            return Error{ErrorCode::GgufFormat,
                         fmt::format("tensor {} has shape [{}], the metadata ask for [{}]", name,
                                     fmt::join(tensor->shape, ", "), fmt::join(spec.shape, ", ")),
                         gguf.path()};
        used.insert(name);
        tensors.push_back({std::move(spec.name), Dtype::BF16, std::move(spec.shape), {}});
    }
    for (const GgufTensor &tensor : gguf.tensors()) {
        if (!used.contains(tensor.name))
            return Error{ErrorCode::GgufUnsupported,
                         fmt::format("tensor {} has no place in a {} model", tensor.name, config.modelType),
                         gguf.path()};
    }
    Bf16Converter converter(gguf, config);
    return writeSafetensors(ops, path, std::move(tensors), {{"format", "pt"}},
                            [&](const TensorView &tensor) { return converter.convert(tensor); });
}

} // namespace rentune::hf
