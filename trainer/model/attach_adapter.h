// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/hf/adapter_config.h"
#include "trainer/model/decoder.h"

#include <string>
#include <vector>

namespace rentune::trainer {

/// Puts the adapter with new, trainable weights, named as in PEFT's files, on the decoder. Returns the
/// target or pattern keys that hit no module. Errors: those of resolving the targets.
Result<std::vector<std::string>> attachAdapter(Decoder &decoder, const hf::AdapterConfig &config);

/// A fresh weight of an adapter as PEFT starts it: A uniform in ±1/√in (Kaiming with a = √5), B zero, IA³'s
/// vectors one. `number` counts the modules. A DoRA magnitude starts as its base weight's row norms instead,
/// which the caller has.
at::Tensor initialAdapterValue(const Weight &weight, uint64_t seed, uint64_t number);

/// "model.layers.0.self_attn.q_proj" of a weight of an adapter on that module.
std::string adaptedModule(const Weight &weight);

} // namespace rentune::trainer
