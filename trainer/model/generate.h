// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/model/layer_runner.h"

#include <vector>

namespace rentune::trainer {

struct GenerateOptions
{
    int64_t maxNewTokens = 128;
    double temperature = 0;       ///< 0: always the likeliest token
    uint64_t seed = 0;            ///< of the draws above temperature 0
    std::vector<int64_t> stopIds; ///< tokens that end the text and are not part of it
};

/// The tokens that follow `prompt` (at least one id, all below the vocabulary's size), with a cache of keys
/// and values.
std::vector<int64_t> generate(LayerRunner &runner, const std::vector<int64_t> &prompt,
                              const GenerateOptions &options);

} // namespace rentune::trainer
