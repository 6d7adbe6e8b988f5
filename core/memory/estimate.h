// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/setup.h"
#include "core/memory/terms.h"

#include <array>

namespace rentune::memory {

/// Peak memory of one device.
struct Estimate
{
    std::array<MemoryTerms, phaseCount> phases;
    Phase peakPhase = Phase::Load;
    MemoryTerms terms;       ///< of the peak phase
    Range<Bytes> bytes;      ///< 10 %, 50 % and 90 % of what runs like this show
    double pOutOfMemory = 0; ///< 0 where the capacity is unknown
};

/// Each phase is the sum of its named terms; the peak is the largest phase. States are exact, what comes with
/// the batch, the allocator and the context is uncertain by 25 % on GPUs (the error of published runs) and 10
/// % on our CPU trainer.
Estimate estimate(const Setup &setup);

/// Collective buffers: DDP holds gradients a second time in its buckets; ZeRO-2 and ZeRO-3 hold reduce and
/// gather buckets of 5·10⁸ elements twice (DeepSpeed's defaults), in proportion below 10⁹ trained parameters.
Bytes bucketBytes(const Setup &setup);

/// Full parameters of the unit in flight under ZeRO-3/FSDP or weight offload: embedding and head, one layer,
/// for full fine-tuning a second layer (prefetch) and one layer of gradients.
Bytes gatheredBytes(const Setup &setup);

/// CUDA context 0.8 GiB and, from two ranks on, NCCL's buffers 1.5 GiB: intercepts of published nvidia-smi
/// figures over torch's. 0 on a CPU.
Bytes contextBytes(const Setup &setup);

} // namespace rentune::memory
