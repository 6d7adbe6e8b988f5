// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/api/element.h"
#include "trainer/torch/torch.h"

#include <algorithm>

namespace rentune::trainer {

/// Elements one thread should have at least, so that handing work out costs less than the work.
inline constexpr int64_t grainElements = 16 * 1024;

/// Runs `body(Rows)` on disjoint parts of `rows` rows of `width` elements, on the threads of torch.
template <typename Body>
void parallelRows(int64_t rows, int64_t width, const Body &body)
{
    at::parallel_for(0, rows, std::max<int64_t>(1, grainElements / std::max<int64_t>(1, width)),
                     [&](int64_t begin, int64_t end) {
                         body(kernels::Rows{begin, end});
                     });
}

/// The data of a contiguous tensor as the kernels' element type (float or Bf16).
template <typename T>
T *elements(const at::Tensor &tensor)
{
    return static_cast<T *>(tensor.data_ptr());
}

/// Calls `body` with a value of the kernels' element type that `dtype` names. Precondition: fp32 or bf16.
template <typename Body>
void withElement(at::ScalarType dtype, const Body &body)
{
    TORCH_CHECK(dtype == at::kFloat || dtype == at::kBFloat16, "the kernels compute in fp32 or bf16");
    if (dtype == at::kFloat)
        body(float{});
    else
        body(kernels::Bf16{});
}

} // namespace rentune::trainer
