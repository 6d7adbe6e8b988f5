// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/tiny_model.h"

#include "core/hf/model_weights.h"

#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace rentune::test {
namespace fs = std::filesystem;
namespace {

const char *const config = R"({
  "architectures": ["LlamaForCausalLM"], "model_type": "llama", "dtype": "float32",
  "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
  "num_key_value_heads": 2, "vocab_size": 256, "max_position_embeddings": 256, "rms_norm_eps": 1e-5,
  "rope_theta": 10000.0, "tie_word_embeddings": true, "hidden_act": "silu", "eos_token_id": 1
})";

void require(bool ok, const std::string &what)
{
    if (!ok)
        throw std::runtime_error(what);
}

/// Uniform in [−1, 1); the standard's distributions differ between libraries, its generators do not.
float uniform(std::mt19937 &random)
{
    return static_cast<float>(random()) / 2147483648.0f - 1.0f;
}

} // namespace

void writeTinyModel(const fs::path &folder)
{
    fs::create_directories(folder);
    std::ofstream(folder / "config.json") << config;
    const auto model = hf::readModelConfig(folder);
    require(model.ok(), "the tiny model's config.json is refused");

    std::mt19937 random(7);
    const std::vector<hf::TensorSpec> specs = hf::tensorList(*model);
    std::vector<std::vector<float>> values;
    std::vector<hf::TensorView> tensors;
    for (const hf::TensorSpec &spec : specs) {
        const bool norm = spec.shape.size() == 1;
        size_t count = 1;
        for (const int64_t size : spec.shape)
            count *= static_cast<size_t>(size);
        std::vector<float> &tensor = values.emplace_back(count);
        for (float &value : tensor)
            value = norm ? 1.0f : 0.1f * uniform(random);
        tensors.push_back({spec.name, hf::Dtype::F32, spec.shape, std::as_bytes(std::span(tensor))});
    }
    require(hf::writeSafetensors(systemFileOps(), folder / "model.safetensors", tensors).ok(),
            "the tiny model cannot be written");
}

void writeTinyRows(const fs::path &file, int rows)
{
    std::mt19937 random(11);
    std::ofstream out(file);
    for (int row = 0; row < rows; ++row) {
        out << R"({"input_ids": [)";
        const unsigned length = 20 + random() % 41;
        for (unsigned i = 0; i < length; ++i)
            out << (i ? ", " : "") << random() % static_cast<unsigned>(tinyVocabulary);
        out << "]}\n";
    }
}

} // namespace rentune::test
