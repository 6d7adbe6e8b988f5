// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/local/run_history.h"

#include <algorithm>
#include <limits>

namespace rentune::app {
namespace {

double number(const Json &fields, const char *key)
{
    const auto found = fields.find(key);
    return found != fields.end() && found->is_number() ? found->get<double>()
                                                       : std::numeric_limits<double>::quiet_NaN();
}

int64_t whole(const Json &fields, const char *key)
{
    const auto found = fields.find(key);
    return found != fields.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

std::string text(const Json &fields, const char *key)
{
    const auto found = fields.find(key);
    return found != fields.end() && found->is_string() ? found->get<std::string>() : "";
}

template <typename Point>
void dropFrom(std::vector<Point> &points, int64_t step)
{
    const auto first = std::lower_bound(points.begin(), points.end(), step,
                                        [](const Point &point, int64_t at) { return point.step < at; });
    points.erase(first, points.end());
}

} // namespace

void RunHistory::add(const wire::Event &event)
{
    if (m_startedMicros == 0)
        m_startedMicros = event.timeMicros;
    m_lastMicros = event.timeMicros;
    if (event.type == "hello") {
        m_hello = event.fields;
        m_ending = {};
    } else if (event.type == "step") {
        addStep(event);
    } else if (event.type == "eval") {
        addEval(event);
    } else if (event.type == "sample") {
        m_samples.push_back(
            {whole(event.fields, "step"), text(event.fields, "prompt"), text(event.fields, "text")});
    } else if (event.type == "memory") {
        m_peakBytes = std::max(m_peakBytes, number(event.fields, "peak"));
    } else if (event.type == "error") {
        m_ending.errorCode = text(event.fields, "code");
        m_ending.errorDetail = text(event.fields, "detail");
    } else if (event.type == "done") {
        m_ending.exit = static_cast<int>(whole(event.fields, "exit"));
    }
}

void RunHistory::addStep(const wire::Event &event)
{
    const Json &fields = event.fields;
    const int64_t step = whole(fields, "step");
    dropFrom(m_steps, step);
    dropFrom(m_evals, step);
    dropFrom(m_samples, step);
    m_steps.push_back({.step = step,
                       .timeMicros = event.timeMicros,
                       .loss = number(fields, "loss"),
                       .gradNorm = number(fields, "grad_norm"),
                       .learningRate = number(fields, "lr"),
                       .tokensPerSecond = number(fields, "tokens_per_second"),
                       .seconds = number(fields, "seconds"),
                       .memoryBytes = number(fields, "mem_bytes")});
}

void RunHistory::addEval(const wire::Event &event)
{
    const int64_t step = whole(event.fields, "step");
    dropFrom(m_evals, step);
    m_evals.push_back({step, number(event.fields, "loss")});
}

} // namespace rentune::app
