// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/loop/evaluation.h"

namespace rentune::trainer {
namespace {

at::Tensor matrix(const std::vector<int64_t> &values, int64_t rows, int64_t length)
{
    return at::tensor(values, at::kLong).view({rows, length});
}

Result<std::vector<text::TokenId>> promptIds(const Speech &speech, const std::string &prompt)
{
    if (!speech.chatTemplate)
        return speech.tokenizer->encode(prompt);
    text::Conversation conversation;
    conversation.messages.push_back({{"role", "user"}, {"content", prompt}});
    text::RenderOptions options;
    options.addGenerationPrompt = true;
    RENTUNE_TRY(text::Rendered rendered,
                speech.chatTemplate->render(*speech.tokenizer, conversation, options));
    return std::move(rendered.ids);
}

} // namespace

BatchTensors toTensors(const MicroBatch &batch)
{
    BatchTensors tensors;
    tensors.tokens.ids = matrix(batch.ids, batch.rows, batch.length);
    tensors.labels = matrix(batch.labels, batch.rows, batch.length);
    return tensors;
}

Evaluation evaluate(LayerRunner &runner, const SampleSet &samples, int64_t rows)
{
    Evaluation result;
    double sum = 0;
    for (const MicroBatch &batch : evaluationBatches(samples, rows, 0)) {
        const BatchTensors tensors = toTensors(batch);
        const HeadLoss loss = runner.evaluate(tensors.tokens, tensors.labels);
        sum += loss.sum;
        result.tokens += loss.tokens;
    }
    result.loss = sum / static_cast<double>(std::max<int64_t>(1, result.tokens));
    return result;
}

Result<std::string> answer(LayerRunner &runner, const hf::ModelConfig &config, const Speech &speech,
                           const std::string &prompt, GenerateOptions options)
{
    RENTUNE_TRY(const std::vector<text::TokenId> ids, promptIds(speech, prompt));
    if (ids.empty())
        return Error{ErrorCode::DataEmpty, "the prompt is empty"};
    for (const text::TokenId id : ids)
        if (id >= config.vocabSize)
            return Error{ErrorCode::ModelConfig, "the tokenizer gives token " + std::to_string(id) +
                                                     ", the model's vocabulary ends at " +
                                                     std::to_string(config.vocabSize) +
                                                     ": they do not belong together"};
    options.stopIds.insert(options.stopIds.end(), config.eosTokenIds.begin(), config.eosTokenIds.end());
    if (const auto end = speech.tokenizer->eosId())
        options.stopIds.push_back(*end);
    const std::vector<int64_t> generated = generate(runner, {ids.begin(), ids.end()}, options);
    return speech.tokenizer->decode(std::vector<text::TokenId>(generated.begin(), generated.end()));
}

} // namespace rentune::trainer
