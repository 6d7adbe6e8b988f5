// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/loop/training_loop.h"

#include "trainer/loop/version.h"
#include "trainer/model/tensor_file.h"
#include "trainer/ops/allocator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rentune::trainer {
namespace {

constexpr const char *parameterGroup = "model";
constexpr const char *optimizerGroup = "optimizer";
constexpr int64_t sampleTokens = 64;

AdamW::Options adamwOptions(const wire::TrainingSpec &training)
{
    return {training.beta1, training.beta2, training.eps, training.weightDecay, training.masterWeights};
}

/// LoRA+ (Hayou et al. 2024) with PEFT's groups: B matrices and vectors learn faster by the ratio.
std::vector<Parameter *> withRates(std::vector<Parameter *> parameters, double loraPlusRatio)
{
    if (loraPlusRatio <= 0)
        return parameters;
    for (Parameter *p : parameters)
        if (p->value.dim() == 1 || p->weight->name.find("lora_B") != std::string::npos)
            p->rateFactor = loraPlusRatio;
    return parameters;
}

/// Copies a checkpoint's tensor over a living one.
Result<void> restoreTensor(const hf::SafetensorsFile &file, const std::string &name, const at::Tensor &target)
{
    const hf::TensorEntry *entry = file.find(name);
    if (!entry || file.bytes(*entry).size() != target.nbytes() || entry->shape != target.sizes())
        return Error{ErrorCode::CheckpointBroken,
                     "tensor " + name + " is missing or of another size: the checkpoint is of another job"};
    std::memcpy(target.data_ptr(), file.bytes(*entry).data(), target.nbytes());
    return {};
}

/// "rows 3, 17 and 6 more" of the data, counted from 0.
std::string rowList(const StepBatches &batches)
{
    constexpr size_t most = 16;
    std::vector<int64_t> rows;
    for (const MicroBatch &batch : batches.microBatches)
        rows.insert(rows.end(), batch.rowNumbers.begin(), batch.rowNumbers.end());
    std::string text = "data rows";
    for (size_t i = 0; i < std::min(rows.size(), most); ++i)
        text += (i ? ", " : " ") + std::to_string(rows[i]);
    return rows.size() > most ? text + " and " + std::to_string(rows.size() - most) + " more" : text;
}

Json memoryTerms(const TermBytes &bytes)
{
    Json terms = Json::object();
    for (size_t i = 0; i < memoryTermCount; ++i)
        terms[std::string(memoryTermName(static_cast<MemoryTerm>(i)))] = bytes[i];
    return terms;
}

} // namespace

TrainingLoop::TrainingLoop(TrainingParts parts)
    : m_parts(parts), m_training(parts.config.job.training),
      m_runner(*parts.model.decoder, *parts.model.parameters, {m_training.gradientCheckpointing}),
      m_optimizer(withRates(parts.model.parameters->trainable(), m_training.loraPlusRatio),
                  adamwOptions(m_training)),
      m_learningRate(m_training, parts.stream.totalSteps()),
      m_policy(parts.config.job.checkpoint, parts.clock.monotonicSeconds()),
      m_earlyStopping(m_training.earlyStopping)
{
    m_begin = parts.clock.monotonicSeconds();
}

Result<void> TrainingLoop::restore(const LoadedCheckpoint &checkpoint)
{
    const auto values = checkpoint.groups.find(parameterGroup);
    const auto states = checkpoint.groups.find(optimizerGroup);
    if (values == checkpoint.groups.end() || states == checkpoint.groups.end())
        return Error{ErrorCode::CheckpointBroken, "model or optimizer tensors are missing",
                     checkpoint.folder.string()};
    for (const Parameter *p : m_optimizer.parameters())
        RENTUNE_CHECK(restoreTensor(values->second, p->weight->name, p->value));
    for (const auto &[name, tensor] : m_optimizer.state())
        RENTUNE_CHECK(restoreTensor(states->second, name, tensor));
    m_step = m_savedStep = checkpoint.step;
    m_optimizer.setSteps(checkpoint.step);
    m_epoch = checkpoint.state.value("epoch", 0.0);
    m_secondsBefore = checkpoint.state.value("seconds", 0.0);
    m_history = checkpoint.state.value("log_history", Json::array());
    m_earlyStopping.restore(checkpoint.state.value("early_stopping", Json()));
    return {};
}

Result<void> TrainingLoop::run()
{
    RENTUNE_CHECK(reportMemory("load"));
    if (m_step == 0)
        RENTUNE_CHECK(lookAtModel());
    const int64_t first = m_step;
    while (m_step < m_parts.stream.totalSteps() && !m_earlyStopping.reached()) {
        RENTUNE_CHECK(trainStep());
        if (m_step <= first + 2)
            RENTUNE_CHECK(reportMemory("step"));
        RENTUNE_CHECK(afterStep());
    }
    return reportMemory("end");
}

TrainingLoop::StepOutcome TrainingLoop::gradients(const StepBatches &batches)
{
    const bool byTokens = m_training.lossAverage == wire::LossAverage::Tokens;
    StepOutcome outcome;
    for (const MicroBatch &batch : batches.microBatches) {
        const int64_t trained = std::max<int64_t>(1, batch.trainedTokens);
        const double divisor = byTokens
                                   ? static_cast<double>(std::max<int64_t>(1, batches.globalTrainedTokens))
                                   : static_cast<double>(trained * batches.globalMicroBatches);
        const DropoutKey dropout{m_training.seed, static_cast<uint64_t>(m_step),
                                 static_cast<uint64_t>(batch.number)};
        const BatchTensors tensors = toTensors(batch);
        outcome.loss += m_runner.train(tensors.tokens, tensors.labels, divisor, dropout).sum / divisor;
        outcome.tokens += batch.tokens;
    }
    outcome.gradientNorm = gradientNorm(m_optimizer.parameters());
    return outcome;
}

Result<void> TrainingLoop::trainStep()
{
    const Seconds begin = m_parts.clock.monotonicSeconds();
    const StepBatches batches = m_parts.stream.step(m_step);
    const Seconds dataSeconds = m_parts.clock.monotonicSeconds() - begin;
    const StepOutcome outcome = gradients(batches);
    const double rate = m_learningRate.at(m_step);
    const bool finite = std::isfinite(outcome.loss) && std::isfinite(outcome.gradientNorm);
    if (finite) {
        if (m_training.maxGradNorm > 0)
            clipGradients(m_optimizer.parameters(), outcome.gradientNorm, m_training.maxGradNorm);
        m_optimizer.step(rate);
    }
    m_parts.model.parameters->clearGradients();
    ++m_step;
    m_epoch = batches.epoch;
    RENTUNE_CHECK(reportStep(outcome, rate, m_parts.clock.monotonicSeconds() - begin, dataSeconds));
    if (!finite)
        return Error{ErrorCode::NonFinite,
                     "loss or gradient of step " + std::to_string(m_step) + " (" + rowList(batches) +
                         ") is not a finite number; " +
                         (m_savedStep > 0
                              ? "the checkpoint of step " + std::to_string(m_savedStep) + " is good: go on"
                              : std::string("nothing was saved yet: start again")) +
                         " with a smaller training.learning_rate"};
    return {};
}

Result<void> TrainingLoop::reportStep(const StepOutcome &outcome, double learningRate, Seconds seconds,
                                      Seconds dataSeconds)
{
    const bool last = m_step == m_parts.stream.totalSteps();
    const bool finite = std::isfinite(outcome.loss) && std::isfinite(outcome.gradientNorm);
    if (m_step % std::max<int64_t>(1, m_training.logSteps) != 0 && !last && finite)
        return {};
    m_history.push_back({{"epoch", m_epoch},
                         {"grad_norm", outcome.gradientNorm},
                         {"learning_rate", learningRate},
                         {"loss", outcome.loss},
                         {"step", m_step}});
    return m_parts.log.append("step", {{"step", m_step},
                                       {"loss", outcome.loss},
                                       {"grad_norm", outcome.gradientNorm},
                                       {"lr", learningRate},
                                       {"tokens", outcome.tokens},
                                       {"seconds", seconds},
                                       {"data_seconds", dataSeconds},
                                       {"tokens_per_second", static_cast<double>(outcome.tokens) / seconds},
                                       {"epoch", m_epoch},
                                       {"mem_bytes", memoryUse().peak}});
}

Result<void> TrainingLoop::reportMemory(const char *phase)
{
    const MemoryUse use = memoryUse();
    return m_parts.log.append("memory", {{"rank", m_parts.config.rank},
                                         {"phase", phase},
                                         {"step", m_step},
                                         {"allocated", use.allocated},
                                         {"peak", use.peak},
                                         {"terms", memoryTerms(use.terms)},
                                         {"peak_terms", memoryTerms(use.peakTerms)}});
}

Result<void> TrainingLoop::lookAtModel()
{
    if (m_parts.evaluation) {
        const Evaluation result = evaluate(m_runner, *m_parts.evaluation, m_training.microBatch);
        m_history.push_back({{"epoch", m_epoch}, {"eval_loss", result.loss}, {"step", m_step}});
        RENTUNE_CHECK(
            m_parts.log.append("eval", {{"step", m_step}, {"loss", result.loss}, {"tokens", result.tokens}}));
        m_earlyStopping.note(result.loss);
        if (m_earlyStopping.reached())
            RENTUNE_CHECK(m_parts.log.append(
                "log", {{"level", "info"},
                        {"text", "the evaluation loss no longer falls: stopped early after step " +
                                     std::to_string(m_step)}}));
    }
    for (const std::string &prompt : m_training.samplePrompts)
        RENTUNE_CHECK(sample(prompt));
    return {};
}

Result<void> TrainingLoop::sample(const std::string &prompt)
{
    GenerateOptions options;
    options.maxNewTokens = sampleTokens;
    RENTUNE_TRY(const std::string text,
                answer(m_runner, m_parts.model.decoder->config(), m_parts.speech, prompt, options));
    return m_parts.log.append("sample", {{"step", m_step}, {"prompt", prompt}, {"text", text}});
}

Result<void> TrainingLoop::afterStep()
{
    const bool last = m_step == m_parts.stream.totalSteps();
    if (last || (m_training.evalSteps > 0 && m_step % m_training.evalSteps == 0))
        RENTUNE_CHECK(lookAtModel());
    const std::string budget = last ? "" : budgetReached();
    const bool stop = !last && m_parts.requests.stop();
    if (stop || !budget.empty() || m_parts.requests.checkpoint() ||
        m_policy.due(m_step, m_parts.clock.monotonicSeconds()))
        RENTUNE_CHECK(saveCheckpoint());
    if (stop)
        return Error{ErrorCode::StoppedOnNotice,
                     "stopped after step " + std::to_string(m_step) + "; resumable"};
    if (!budget.empty())
        return Error{ErrorCode::BudgetReached, budget};
    return {};
}

Result<void> TrainingLoop::saveCheckpoint()
{
    if (m_savedStep == m_step)
        return {};
    const Seconds begin = m_parts.clock.monotonicSeconds();
    CheckpointContent content;
    content.step = m_step;
    content.threads = m_parts.config.threads;
    content.versions = versions();
    content.state = {{"epoch", m_epoch},
                     {"seconds", runSeconds()},
                     {"log_history", m_history},
                     {"early_stopping", m_earlyStopping.state()}};
    for (const Parameter *p : m_optimizer.parameters())
        content.groups[parameterGroup].push_back(toView(p->weight->name, p->value));
    const auto states = m_optimizer.state();
    for (const auto &[name, tensor] : states)
        content.groups[optimizerGroup].push_back(toView(name, tensor));
    RENTUNE_CHECK(m_parts.log.flush());
    RENTUNE_TRY(const std::filesystem::path folder, m_parts.checkpoints.save(content));
    m_savedStep = m_step;
    const Seconds pause = m_parts.clock.monotonicSeconds() - begin;
    m_policy.saved(begin + pause, pause);
    return m_parts.log.append("checkpoint",
                              {{"step", m_step}, {"folder", folder.filename().string()}, {"seconds", pause}});
}

Seconds TrainingLoop::runSeconds() const
{
    return m_secondsBefore + m_parts.clock.monotonicSeconds() - m_begin;
}

std::string TrainingLoop::budgetReached() const
{
    const wire::BudgetSpec &budget = m_parts.config.job.budget;
    const wire::PriceSpec &price = m_parts.config.job.hardware.price;
    const double hours = runSeconds() / 3600;
    if (budget.maxHours > 0 && hours >= budget.maxHours)
        return "budget.max_hours is used up after step " + std::to_string(m_step) + "; resumable";
    if (budget.maxCost > 0 && !price.currency.empty() && hours * price.perHour >= budget.maxCost)
        return "budget.max_cost is used up after step " + std::to_string(m_step) + "; resumable";
    return {};
}

} // namespace rentune::trainer
