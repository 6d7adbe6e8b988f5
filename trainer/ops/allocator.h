// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/units.h"

#include <array>
#include <c10/core/Allocator.h>
#include <cstddef>
#include <string_view>

namespace rentune::trainer {

/// What a tensor's memory is for; names and order are the plan's (`terms` of the interface).
enum class MemoryTerm
{
    Weights,
    Gradients,
    Optimizer,
    Master,
    Adapter,
    Quantization,
    Activations,
    Logits,
    Communication,
    Workspace,
    Reserve,
    Context
};
inline constexpr size_t memoryTermCount = 12;
std::string_view memoryTermName(MemoryTerm term);

using TermBytes = std::array<Bytes, memoryTermCount>;

struct MemoryUse
{
    Bytes allocated = 0;   ///< bytes of CPU tensors now
    Bytes peak = 0;        ///< most at once since resetPeak()
    TermBytes terms{};     ///< of `allocated`
    TermBytes peakTerms{}; ///< of `peak`, at that moment
};

/// Makes torch's CPU allocator count bytes by term. Call once, before the first tensor. Tensor bytes only:
/// what libraries take inside a kernel is not seen.
void installCountingAllocator();

/// Tensors made on this thread while the object lives belong to `term`; scopes nest. Outside any scope:
/// Workspace.
class TermScope
{
public:
    explicit TermScope(MemoryTerm term);
    ~TermScope();
    TermScope(const TermScope &) = delete;
    TermScope &operator=(const TermScope &) = delete;

private:
    MemoryTerm m_before;
};

/// Moves living bytes to another term: gradients are made by autograd inside the scope of its activations.
/// Memory that this allocator did not give (mapped files) is left alone.
void retag(const c10::DataPtr &data, MemoryTerm term);

/// Thread-safe.
MemoryUse memoryUse();
void resetPeak();

} // namespace rentune::trainer
