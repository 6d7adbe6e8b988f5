// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace rentune::trainer {

/// Fixes the number of compute threads for the life of the process (0: every core this process may use) and
/// switches off the libraries' own changes of it, so that sums are split alike in every run. Call once,
/// before any tensor operation. Returns the number in use.
int fixThreads(int threads);

/// Whether this processor multiplies bfloat16 matrices by instructions of its own.
bool hasBf16Units();

/// Peak resident memory of this process, bytes.
int64_t peakResidentBytes();

} // namespace rentune::trainer
