// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/units.h"

namespace rentune::throughput {

/// This computer as a training device.
struct Host
{
    Bytes memory = 0;              ///< physical, 0 if unknown
    int threads = 1;               ///< hardware threads this process may use
    double fp32FlopsPerThread = 0; ///< peak of the vector units
    double bf16FlopsPerThread = 0; ///< peak with bf16 instructions; that of fp32 where there are none
    bool bf16Instructions = false; ///< avx512_bf16; processors with AMX have it too
};

/// Reads /proc/cpuinfo and the memory size: a first guess of the rate until a run has measured it. Takes
/// milliseconds. Elsewhere than on Linux: unknown memory, AVX2 at 2.5 GHz.
Host thisComputer();

} // namespace rentune::throughput
