// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/setup.h"

namespace rentune::memory {

/// Bytes that a micro batch needs around one forward and backward pass.
struct Activations
{
    Bytes saved =
        0; ///< kept by all layers until their backward pass; with checkpointing only each layer's input
    Bytes layer = 0;    ///< with checkpointing: what the layer in flight keeps while it is run again
    Bytes forward = 0;  ///< most that the last layer's forward pass holds besides
    Bytes backward = 0; ///< the same for its backward pass
};

/// Our trainer, term by term from what its operations save (trainer/ops: rms_norm, linear, rotate, attention,
/// swiglu) and what they hold while they run. Transformers: counts fitted on 244 published runs with the peak
/// of torch's allocator (median error 1.2 %); frozen linear layers save no input there either, LoRA keeps a
/// dropped-out copy and its mask.
Activations activationsOf(const Setup &setup);

/// What the output head and the loss hold at their peak.
struct LossMemory
{
    Bytes logits = 0; ///< logits, their gradient and fp32 forms
    Bytes hidden = 0; ///< rows of hidden states and their gradient
};

/// Our trainer: chunks of 64 MiB of fp32 logits, straight from the head. Transformers: 12 bytes a logit of
/// the whole batch (fp32 logits, shifted copy, log-softmax, gradient, of which three live at once).
LossMemory lossMemory(const Setup &setup);

/// Weights in the form they are computed with, where that is not the stored one: unpacked (ours a layer at a
/// time, transformers a module at a time) or widened to fp32.
Bytes preparedLayer(const Setup &setup);
Bytes preparedHead(const Setup &setup);

} // namespace rentune::memory
