// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/units.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace rentune::memory {

/// The parts of a device's memory, in the order they are drawn. Names are the interface's.
enum class Term
{
    Weights, ///< the base model in its compute or packed form
    Gradients,
    Optimizer,     ///< moments
    Master,        ///< fp32 copy of low-precision weights that train
    Adapter,       ///< parameters added by the method
    Quantization,  ///< scales of packed weights
    Activations,   ///< what forward keeps for backward, and the tensors of the layer in flight
    Logits,        ///< around the output head and the loss
    Communication, ///< collective buffers, gathered parameters
    Workspace,     ///< temporaries of the optimizer, of unpacking, of attention
    Reserve,       ///< held by the caching allocator beyond what lives
    Context        ///< CUDA context, NCCL; not tensors
};
inline constexpr size_t termCount = 12;
std::string_view termName(Term term);

/// Bytes by term on one rank.
class MemoryTerms : public std::array<Bytes, termCount>
{
public:
    MemoryTerms() : std::array<Bytes, termCount>{} {}
    using std::array<Bytes, termCount>::operator[];
    Bytes &operator[](Term term) { return at(static_cast<size_t>(term)); }
    Bytes operator[](Term term) const { return at(static_cast<size_t>(term)); }
    Bytes total() const;
};

/// Where in a step memory stands; the peak of a run is the largest of them.
enum class Phase
{
    Load,
    Forward,
    Backward,
    Optimizer,
    Save
};
inline constexpr size_t phaseCount = 5;
std::string_view phaseName(Phase phase);

} // namespace rentune::memory
