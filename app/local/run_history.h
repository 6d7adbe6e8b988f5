// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/wire/event.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rentune::app {

/// A step as it is drawn. What the trainer did not send or could not state (NaN) is NaN: a gap in the curve.
struct StepPoint
{
    int64_t step = 0;
    int64_t timeMicros = 0;
    double loss = 0;
    double gradNorm = 0;
    double learningRate = 0;
    double tokensPerSecond = 0;
    double seconds = 0;
    double memoryBytes = 0;
};

struct EvalPoint
{
    int64_t step = 0;
    double loss = 0;
};

/// What the model answered to a training.sample_prompts entry.
struct SampleText
{
    int64_t step = 0;
    std::string prompt;
    std::string text;
};

/// The last word of a run's current attempt.
struct RunEnding
{
    std::optional<int> exit; ///< of a "done" event
    std::string errorCode;   ///< of an "error" event, "" if none
    std::string errorDetail;
};

/// A run's events folded into what is shown. After a resume the step goes back: points from that step on are
/// replaced. Not thread-safe.
class RunHistory
{
public:
    void add(const wire::Event &event);

    const std::vector<StepPoint> &steps() const { return m_steps; }
    const std::vector<EvalPoint> &evals() const { return m_evals; }
    const std::vector<SampleText> &samples() const { return m_samples; }
    const RunEnding &ending() const { return m_ending; }
    const Json &hello() const { return m_hello; } ///< fields of the last "hello", {} before it
    int64_t lastStep() const { return m_steps.empty() ? 0 : m_steps.back().step; }
    int64_t startedMicros() const { return m_startedMicros; } ///< of the first event, 0 before it
    int64_t lastMicros() const { return m_lastMicros; }
    double peakMemoryBytes() const { return m_peakBytes; } ///< of "memory" events; 0 if none came
    bool empty() const { return m_startedMicros == 0; }

private:
    void addStep(const wire::Event &event);
    void addEval(const wire::Event &event);

    std::vector<StepPoint> m_steps;
    std::vector<EvalPoint> m_evals;
    std::vector<SampleText> m_samples;
    RunEnding m_ending;
    Json m_hello = Json::object();
    int64_t m_startedMicros = 0;
    int64_t m_lastMicros = 0;
    double m_peakBytes = 0;
};

} // namespace rentune::app
