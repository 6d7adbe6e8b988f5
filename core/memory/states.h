// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/setup.h"

namespace rentune::memory {

/// Model states: what stands on a rank whatever the batch is. Ψ = parameters, N = ranks. With bf16 weights
/// and gradients (2 + 2) and fp32 master and moments (4 + 4 + 4) they are 16Ψ; ZeRO-1 4Ψ + 12Ψ/N, ZeRO-2 2Ψ +
/// 14Ψ/N, ZeRO-3 16Ψ/N (Rajbhandari et al., arXiv 1910.02054, section 3 and figure 1). A share is rounded up.

/// Base weights: 2 bytes each in bf16 and fp16, 4 in fp32; packed linear weights of the blocks 1/2 (NF4, FP4)
/// or 1 (int8). Embedding,
/// head and norms are never packed. ZeRO-3/FSDP: /N. Offload `all`: on the host.
Bytes weightBytes(const Setup &setup);

/// Scales of packed weights: fp32 per block, or with double quantization one byte per block and an fp32 per
/// 256 blocks (Dettmers et al., arXiv 2305.14314, section 3: 0.127 bits a parameter at block 64); int8: fp32
/// per row.
Bytes quantizationBytes(const Setup &setup);

/// Parameters added by the method, fp32 as PEFT's.
Bytes adapterBytes(const Setup &setup);

/// Gradients: in the compute dtype for base weights, fp32 for adapters. From ZeRO-2 on: /N.
Bytes gradientBytes(const Setup &setup);

/// Moments. AdamW: two, fp32 where there is a master or the weights are fp32, else in the weights' dtype;
/// 8-bit AdamW: one byte each and an fp32 scale per 256 (bitsandbytes); paged: on the host when memory is
/// short; SGD: none; Adafactor: one row and one column, below 1 % and left out. From ZeRO-1 on: /N.
Bytes optimizerBytes(const Setup &setup);

/// fp32 copy of base weights that train in bf16 or fp16 with `master_weights`. From ZeRO-1 on: /N.
Bytes masterBytes(const Setup &setup);

/// What `parallel.offload` keeps on the host for one rank.
Bytes offloadedBytes(const Setup &setup);

/// Bytes of one full checkpoint of the trained state: weights (or adapter), moments, master.
Bytes checkpointBytes(const Setup &setup);

} // namespace rentune::memory
