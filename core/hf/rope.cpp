// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/rope.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <numbers>
#include <utility>

namespace rentune::hf {
namespace {

constexpr std::array<std::pair<std::string_view, RopeKind>, 6> kinds{{{"default", RopeKind::Default},
                                                                      {"linear", RopeKind::Linear},
                                                                      {"dynamic", RopeKind::Dynamic},
                                                                      {"llama3", RopeKind::Llama3},
                                                                      {"yarn", RopeKind::Yarn},
                                                                      {"longrope", RopeKind::LongRope}}};

constexpr IntegerRange positions{1, int64_t{1} << 40};

float power(double base, int64_t j, int64_t headDim)
{
    return std::pow(static_cast<float>(base), static_cast<float>(2 * j) / static_cast<float>(headDim));
}

/// theta that stretches the lowest frequency over `tokens` positions.
double dynamicTheta(const RopeConfig &rope, int64_t headDim, int64_t tokens)
{
    const double length = static_cast<double>(std::max(tokens, rope.originalPositions));
    const double dim = static_cast<double>(headDim);
    const double stretch =
        rope.factor * length / static_cast<double>(rope.originalPositions) - (rope.factor - 1);
    return rope.theta * std::pow(stretch, dim / (dim - 2));
}

float llama3Frequency(const RopeConfig &rope, float inverse)
{
    const double original = static_cast<double>(rope.originalPositions);
    const double wavelength = 2 * std::numbers::pi / inverse;
    if (wavelength < original / rope.highFrequencyFactor)
        return inverse;
    const float slow = inverse / static_cast<float>(rope.factor);
    if (wavelength > original / rope.lowFrequencyFactor)
        return slow;
    const float smooth = static_cast<float>((original / wavelength - rope.lowFrequencyFactor) /
                                            (rope.highFrequencyFactor - rope.lowFrequencyFactor));
    return (1 - smooth) * slow + smooth * inverse;
}

/// The dimensions between which YaRN goes from kept to divided frequencies.
std::pair<double, double> yarnBounds(const RopeConfig &rope, int64_t headDim)
{
    const double dim = static_cast<double>(headDim);
    const auto dimensionOf = [&](double rotations) {
        return dim *
               std::log(static_cast<double>(rope.originalPositions) / (rotations * 2 * std::numbers::pi)) /
               (2 * std::log(rope.theta));
    };
    double low = dimensionOf(rope.betaFast);
    double high = dimensionOf(rope.betaSlow);
    if (rope.truncate) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, dim - 1);
    return {low, low == high ? high + 0.001 : high};
}

float yarnFrequency(const RopeConfig &rope, float inverse, int64_t j, std::pair<double, double> bounds)
{
    const auto [low, high] = bounds;
    const float ramp =
        static_cast<float>(std::clamp((static_cast<double>(j) - low) / (high - low), 0.0, 1.0));
    return inverse / static_cast<float>(rope.factor) * ramp + inverse * (1 - ramp);
}

double yarnScale(double factor, double mscale)
{
    return factor <= 1 ? 1 : 0.1 * mscale * std::log(factor) + 1;
}

void readYarn(JsonFields &rope, RopeConfig &config)
{
    config.betaFast = rope.positiveNumber("beta_fast", config.betaFast);
    config.betaSlow = rope.positiveNumber("beta_slow", config.betaSlow);
    config.truncate = rope.flag("truncate", true);
    const double mscale = rope.number("mscale", 0);
    const double mscaleAll = rope.number("mscale_all_dim", 0);
    const double derived = mscale != 0 && mscaleAll != 0
                               ? yarnScale(config.factor, mscale) / yarnScale(config.factor, mscaleAll)
                               : yarnScale(config.factor, 1);
    config.attentionFactor = rope.positiveNumber("attention_factor", derived);
    if (config.theta <= 1)
        rope.fail(fmt::format("rope_theta {} is too small for yarn", config.theta));
}

std::vector<double> readFactors(JsonFields &rope, std::string_view key, int64_t headDim)
{
    std::vector<double> factors;
    const Json *list = rope.find(key);
    const bool complete = list && list->is_array() && static_cast<int64_t>(list->size()) == headDim / 2;
    for (const Json &value : complete ? *list : Json::array())
        if (value.is_number() && value.get<double>() > 0)
            factors.push_back(value.get<double>());
    if (static_cast<int64_t>(factors.size()) != headDim / 2)
        rope.fail(fmt::format("{} must hold {} positive numbers, one a frequency", key, headDim / 2));
    return factors;
}

void readLongRope(JsonFields &rope, int64_t headDim, int64_t maxPositions, RopeConfig &config)
{
    config.shortFactors = readFactors(rope, "short_factor", headDim);
    config.longFactors = readFactors(rope, "long_factor", headDim);
    if (config.originalPositions < 2)
        rope.fail("longrope needs more than one original position");
    const double original = static_cast<double>(config.originalPositions);
    const double factor = rope.positiveNumber("factor", static_cast<double>(maxPositions) / original);
    const double derived = factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(original));
    config.attentionFactor = rope.positiveNumber("attention_factor", derived);
}

RopeKind readKind(JsonFields &rope)
{
    const std::string type = rope.text("rope_type", rope.text("type", "default"));
    const auto known =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto &kind) { return kind.first == type; });
    if (known != kinds.end())
        return known->second;
    std::vector<std::string> names;
    for (const auto &kind : kinds)
        names.emplace_back(kind.first);
    rope.fail(ErrorCode::ModelUnsupported, fmt::format("rope type \"{}\" is not supported; supported are {}",
                                                       type, fmt::join(names, ", ")));
    return RopeKind::Default;
}

/// The keys of one kind out of its object.
void readParameters(JsonFields &rope, int64_t headDim, int64_t maxPositions, RopeConfig &config)
{
    config.kind = readKind(rope);
    config.theta = rope.positiveNumber("rope_theta", config.theta);
    if (config.kind == RopeKind::Default)
        return;
    if (config.kind != RopeKind::LongRope) {
        if (!rope.find("factor") && rope.result())
            rope.fail("rope parameters of this type need a factor");
        config.factor = rope.positiveNumber("factor", 1);
    }
    config.originalPositions =
        config.kind == RopeKind::Dynamic ? maxPositions
        : config.originalPositions > 0
            ? config.originalPositions // beside the object (Phi-3) it counts before the one inside
            : rope.integer("original_max_position_embeddings", positions, maxPositions);
    if (config.kind == RopeKind::Dynamic && headDim <= 2)
        rope.fail("dynamic rope needs a head dimension above 2");
    if (config.kind == RopeKind::Llama3) {
        config.lowFrequencyFactor = rope.positiveNumber("low_freq_factor", 1);
        config.highFrequencyFactor = rope.positiveNumber("high_freq_factor", 4);
        if (config.highFrequencyFactor <= config.lowFrequencyFactor)
            rope.fail("high_freq_factor must be above low_freq_factor");
    }
    if (config.kind == RopeKind::Yarn)
        readYarn(rope, config);
    if (config.kind == RopeKind::LongRope)
        readLongRope(rope, headDim, maxPositions, config);
}

} // namespace

std::string_view ropeKindName(RopeKind kind)
{
    return std::find_if(kinds.begin(), kinds.end(), [kind](const auto &k) { return k.second == kind; })
        ->first;
}

RopeFrequencies ropeFrequencies(const RopeConfig &rope, int64_t headDim, int64_t tokens)
{
    const double theta = rope.kind == RopeKind::Dynamic ? dynamicTheta(rope, headDim, tokens) : rope.theta;
    const std::vector<double> &divisors =
        tokens > rope.originalPositions ? rope.longFactors : rope.shortFactors;
    const auto bounds = rope.kind == RopeKind::Yarn ? yarnBounds(rope, headDim) : std::pair(0.0, 0.0);
    RopeFrequencies result;
    result.attentionFactor = rope.attentionFactor.value_or(1);
    for (int64_t j = 0; j < headDim / 2; ++j) {
        float inverse = 1 / power(theta, j, headDim);
        if (rope.kind == RopeKind::Linear)
            inverse /= static_cast<float>(rope.factor);
        else if (rope.kind == RopeKind::Llama3)
            inverse = llama3Frequency(rope, inverse);
        else if (rope.kind == RopeKind::Yarn)
            inverse = yarnFrequency(rope, inverse, j, bounds);
        else if (rope.kind == RopeKind::LongRope)
            inverse = 1 / (static_cast<float>(divisors[static_cast<size_t>(j)]) * power(theta, j, headDim));
        result.inverse.push_back(inverse);
    }
    return result;
}

RopeConfig readRope(JsonFields &fields, const std::string &file, int64_t headDim, int64_t maxPositions)
{
    RopeConfig config;
    config.theta = fields.positiveNumber("rope_theta", config.theta);
    config.originalPositions = fields.integer("original_max_position_embeddings", {0, positions.high}, 0);
    double rotaryShare = fields.positiveNumber("partial_rotary_factor", 1);
    const Json *scaling = fields.find("rope_scaling");
    const Json *parameters = scaling && !scaling->empty() ? scaling : fields.find("rope_parameters");
    if (parameters) {
        JsonFields rope(*parameters, file, ErrorCode::ModelConfig);
        if (rope.find("full_attention") || rope.find("sliding_attention"))
            rope.fail(ErrorCode::ModelUnsupported, "rope parameters by layer type are not supported");
        readParameters(rope, headDim, maxPositions, config);
        rotaryShare = rope.positiveNumber("partial_rotary_factor", rotaryShare);
        if (const auto result = rope.result(); !result)
            fields.fail(result.error().code, result.error().detail);
    }
    if (rotaryShare != 1)
        fields.fail(
            ErrorCode::ModelUnsupported,
            fmt::format("rotary embeddings over a share of {} of the head are not supported", rotaryShare));
    return config;
}

} // namespace rentune::hf
