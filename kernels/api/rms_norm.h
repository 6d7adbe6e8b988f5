// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/api/element.h"

namespace rentune::kernels {

/// Root-mean-square normalisation of the rows of `x` [*, width], computed in fp32 for both element types:
/// rstd[r] = 1 / sqrt(mean(x[r]²) + eps), y[r][c] = weight[c] · x[r][c] · rstd[r].
/// Element (r, c) of x lies at x[r · width + c]; rstd holds one float a row; y must not overlap x.
void rms_norm(const float *x, const float *weight, float eps, Rows rows, int64_t width, float *y,
              float *rstd);
void rms_norm(const Bf16 *x, const Bf16 *weight, float eps, Rows rows, int64_t width, Bf16 *y, float *rstd);

/// Gradient by x. With g = dy · weight: dx = rstd · (g − x · rstd² · mean(g · x)).
void rms_norm_backward(const float *x, const float *weight, const float *rstd, const float *dy, Rows rows,
                       int64_t width, float *dx);
void rms_norm_backward(const Bf16 *x, const Bf16 *weight, const float *rstd, const Bf16 *dy, Rows rows,
                       int64_t width, Bf16 *dx);

/// Gradient by the weight over the given rows, added to dweight [width] (fp32): Σ_r dy · x · rstd.
void rms_norm_weight_backward(const float *x, const float *rstd, const float *dy, Rows rows, int64_t width,
                              float *dweight);
void rms_norm_weight_backward(const Bf16 *x, const float *rstd, const Bf16 *dy, Rows rows, int64_t width,
                              float *dweight);

} // namespace rentune::kernels
