// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hf/safetensors.h"
#include "trainer/torch/torch.h"

#include <span>
#include <string>

namespace rentune::trainer {

/// A copy of a file's tensor with its dtype. Errors: safetensors.format for dtypes torch has no tensor of.
Result<at::Tensor> toTensor(const hf::TensorEntry &entry, std::span<const std::byte> bytes,
                            const std::string &file);

/// A contiguous tensor as what writeSafetensors writes; borrows its memory.
hf::TensorView toView(std::string name, const at::Tensor &tensor);

} // namespace rentune::trainer
