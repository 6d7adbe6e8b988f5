// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace rentune::kernels {

/// The upper half of an IEEE single: what bfloat16 tensors hold. Conversion to it rounds to nearest even.
struct Bf16
{
    uint16_t bits;
};

/// Rows [begin, end) of a matrix. A kernel works through its rows alone and touches no others, so that a
/// caller may hand disjoint ranges to several threads; the result of a row does not depend on how rows are
/// split.
struct Rows
{
    int64_t begin;
    int64_t end;
};

} // namespace rentune::kernels
