// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/text/conversation.h"
#include "trainer/data/batch_stream.h"
#include "trainer/model/generate.h"
#include "trainer/model/layer_runner.h"

#include <string>

namespace rentune::trainer {

/// A micro batch as tensors. Padding stands at the ends of rows, where causal order hides it, so there is no
/// mask.
struct BatchTensors
{
    TokenBatch tokens;
    at::Tensor labels;
};
BatchTensors toTensors(const MicroBatch &batch);

struct Evaluation
{
    double loss = 0; ///< mean over all trained tokens
    int64_t tokens = 0;
};
Evaluation evaluate(LayerRunner &runner, const SampleSet &samples, int64_t rows);

/// A tokenizer with what is needed to talk to a model; the template may be null.
struct Speech
{
    const text::Tokenizer *tokenizer = nullptr;
    const text::ChatTemplate *chatTemplate = nullptr;
};

/// What the model answers to `prompt`: as a user's message if there is a template, else as text to go on
/// with. Ends at the model's and the tokenizer's end tokens. Errors: those of rendering; data.empty for an
/// empty prompt.
Result<std::string> answer(LayerRunner &runner, const hf::ModelConfig &config, const Speech &speech,
                           const std::string &prompt, GenerateOptions options);

} // namespace rentune::trainer
