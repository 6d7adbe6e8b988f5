// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hf/json_fields.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace rentune::hf {

enum class RopeKind
{
    Default,  ///< position · theta^(−2j / headDim)
    Linear,   ///< all frequencies divided by `factor`
    Dynamic,  ///< theta grows with a sequence beyond the model's positions (NTK)
    Llama3,   ///< long wavelengths divided by `factor`, a smooth step between
    Yarn,     ///< as Llama3 with bounds in rotations, and an attention factor
    LongRope, ///< one divisor a frequency, for short and for long sequences
};

/// transformers' word: "default", "llama3", …
std::string_view ropeKindName(RopeKind kind);

/// Rotary embeddings as a model's config.json describes them; names and defaults are transformers 5's.
struct RopeConfig
{
    RopeKind kind = RopeKind::Default;
    double theta = 10000;
    double factor = 1;
    int64_t originalPositions =
        0; ///< positions the model was first trained for (Dynamic: max_position_embeddings)
    double lowFrequencyFactor = 1;
    double highFrequencyFactor = 4;
    double betaFast = 32;
    double betaSlow = 1;
    bool truncate = true;                  ///< Yarn's bounds are whole dimensions
    std::optional<double> attentionFactor; ///< resolved for Yarn and LongRope
    std::vector<double> shortFactors;      ///< LongRope, [headDim / 2] each
    std::vector<double> longFactors;
};

/// What a pass over a sequence needs.
struct RopeFrequencies
{
    std::vector<float> inverse; ///< radians a position, [headDim / 2]
    double attentionFactor = 1; ///< multiplies cosine and sine
};

/// Of a sequence whose largest position is tokens − 1. Formulas: transformers' modeling_rope_utils (linear,
/// dynamic NTK, YaRN arXiv:2309.00071, LongRoPE arXiv:2402.13753, Llama 3.1), in fp32 as there. Dynamic and
/// LongRope look at this sequence alone, where transformers remembers the longest it has seen.
RopeFrequencies ropeFrequencies(const RopeConfig &rope, int64_t headDim, int64_t tokens);

/// Reads rope_theta, rope_scaling (transformers 4; its type was once called "type") and rope_parameters (5)
/// of a config.json; rope_scaling wins where both are present, as in transformers 5. Problems go to `fields`:
/// model.config for impossible values, model.unsupported for unknown kinds.
RopeConfig readRope(JsonFields &fields, const std::string &file, int64_t headDim, int64_t maxPositions);

} // namespace rentune::hf
