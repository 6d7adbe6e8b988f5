// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/model/generate.h"

#include "trainer/config/seeds.h"

#include <algorithm>

namespace rentune::trainer {
namespace {

/// Draws a token by its probability at the temperature.
int64_t draw(const at::Tensor &logits, double temperature, uint64_t seed)
{
    const at::Tensor shares = at::softmax(logits.to(at::kDouble) / temperature, 0).cumsum(0);
    const double uniform = static_cast<double>(SplitMix64(seed).next() >> 11) * 0x1p-53;
    const at::Tensor point = at::full({}, uniform * shares[-1].item<double>(), at::kDouble);
    return std::min(at::searchsorted(shares, point, false, true).item<int64_t>(), logits.size(0) - 1);
}

} // namespace

std::vector<int64_t> generate(LayerRunner &runner, const std::vector<int64_t> &prompt,
                              const GenerateOptions &options)
{
    KvCache cache;
    std::vector<int64_t> generated;
    std::vector<int64_t> next = prompt;
    while (static_cast<int64_t>(generated.size()) < options.maxNewTokens) {
        TokenBatch batch;
        batch.ids = at::tensor(next, at::kLong).unsqueeze(0);
        const at::Tensor hidden = runner.hidden(batch, &cache);
        const at::Tensor logits = runner.logits(hidden.slice(0, hidden.size(0) - 1)).squeeze(0);
        const auto position = static_cast<uint64_t>(cache.length);
        const int64_t token = options.temperature > 0
                                  ? draw(logits, options.temperature,
                                         deriveSeed(options.seed, RandomPurpose::Sampling, {position}))
                                  : logits.argmax().item<int64_t>();
        if (std::find(options.stopIds.begin(), options.stopIds.end(), token) != options.stopIds.end())
            break;
        generated.push_back(token);
        next = {token};
    }
    return generated;
}

} // namespace rentune::trainer
