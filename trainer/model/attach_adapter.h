// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/hf/adapter_config.h"
#include "trainer/model/decoder.h"

#include <string>
#include <vector>

namespace rentune::trainer {

/// Puts the adapter with new, trainable weights, named as in PEFT's files, on the decoder. Returns the
/// target or pattern keys that hit no module. Errors: those of resolving the targets. `training` decides
/// whether P-tuning's rows come from their encoder or are weights themselves, as PEFT saves them.
Result<std::vector<std::string>> attachAdapter(Decoder &decoder, const hf::AdapterConfig &config,
                                               bool training);

/// Where P-tuning's encoder lies beside PEFT's own files, and how its weights' names begin in memory.
inline constexpr const char *promptEncoderFile = "prompt_encoder.safetensors";
inline constexpr const char *promptEncoderPrefix = "prompt_encoder.";

/// A fresh weight of an adapter as PEFT starts it: A uniform in ±1/√in (Kaiming with a = √5), B zero, IA³'s
/// vectors one, virtual tokens normal, their encoder as torch's Linear. `number` counts the modules. A DoRA
/// magnitude starts as its base weight's row norms instead, which the caller has.
at::Tensor initialAdapterValue(const Weight &weight, uint64_t seed, uint64_t number);

/// "model.layers.0.self_attn.q_proj" of a weight of an adapter on that module; of others, the weight's name.
std::string adaptedModule(const Weight &weight);

} // namespace rentune::trainer
