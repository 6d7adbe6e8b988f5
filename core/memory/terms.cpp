// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/terms.h"

#include <numeric>

namespace rentune::memory {

std::string_view termName(Term term)
{
    constexpr std::array<std::string_view, termCount> names = {
        "weights",     "gradients", "optimizer",     "master",    "adapter", "quantization",
        "activations", "logits",    "communication", "workspace", "reserve", "context"};
    return names[static_cast<size_t>(term)];
}

std::string_view phaseName(Phase phase)
{
    constexpr std::array<std::string_view, phaseCount> names = {"load", "forward", "backward", "optimizer",
                                                                "save"};
    return names[static_cast<size_t>(phase)];
}

Bytes MemoryTerms::total() const
{
    return std::accumulate(begin(), end(), Bytes{0});
}

} // namespace rentune::memory
