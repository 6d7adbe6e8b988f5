// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hf/model_config.h"
#include "core/memory/setup.h"

namespace rentune::memory::test {

/// Llama-3-8B's dimensions.
inline hf::ModelConfig llama8b()
{
    const Json json = {{"architectures", {"LlamaForCausalLM"}},
                       {"model_type", "llama"},
                       {"hidden_size", 4096},
                       {"intermediate_size", 14336},
                       {"num_hidden_layers", 32},
                       {"num_attention_heads", 32},
                       {"num_key_value_heads", 8},
                       {"vocab_size", 128256},
                       {"max_position_embeddings", 8192},
                       {"tie_word_embeddings", false},
                       {"hidden_act", "silu"}};
    return hf::parseModelConfig(json, "llama8b").value();
}

/// Qwen2.5-7B's dimensions: 7,615,616,512 parameters.
inline hf::ModelConfig qwen7b()
{
    const Json json = {{"architectures", {"Qwen2ForCausalLM"}},
                       {"model_type", "qwen2"},
                       {"hidden_size", 3584},
                       {"intermediate_size", 18944},
                       {"num_hidden_layers", 28},
                       {"num_attention_heads", 28},
                       {"num_key_value_heads", 4},
                       {"vocab_size", 152064},
                       {"max_position_embeddings", 32768},
                       {"tie_word_embeddings", false},
                       {"rope_theta", 1000000.0},
                       {"hidden_act", "silu"}};
    return hf::parseModelConfig(json, "qwen7b").value();
}

inline Setup fullTuning(const hf::ModelConfig &config)
{
    Setup setup;
    setup.shape = shapeOf(config);
    setup.trainedBase = setup.shape.parameters;
    setup.trainedLayers = setup.shape.layers;
    return setup;
}

inline Setup loraTuning(const hf::ModelConfig &config, int64_t rank,
                        const std::vector<std::string> &targets = {})
{
    hf::LoraConfig lora;
    lora.rank = rank;
    lora.targets = targets;
    if (targets.empty())
        lora.targetPattern = "all-linear";
    Setup setup;
    setup.shape = shapeOf(config);
    setup.adapter = adapterOf(hf::resolveLoraTargets(lora, config).value(), config);
    return setup;
}

} // namespace rentune::memory::test
