// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/throughput/step_time.h"

#include <algorithm>
#include <string_view>

namespace rentune::throughput {
namespace {

using memory::Setup;
using memory::Stack;

/// Shares of the dense rate that products and attention reach.
struct Efficiency
{
    std::string_view arch;
    double products;
    double attention;
};

Efficiency efficiencyOf(const catalog::Gpu &gpu)
{
    constexpr Efficiency table[] = {
        {"Ampere", 0.86, 0.42},    {"Hopper", 0.74, 0.25},          {"Ada", 0.80, 0.55},
        {"Blackwell", 0.72, 0.35}, {"Blackwell Ultra", 0.72, 0.35}, {"Turing", 0.55, 0.25},
        {"Volta", 0.70, 0.30},
    };
    for (const Efficiency &row : table) {
        if (row.arch == gpu.arch)
            return row;
    }
    return {gpu.arch, 0.50, 0.25};
}

double real(int64_t value)
{
    return static_cast<double>(value);
}

/// Forward, backward and (with checkpointing) repeated passes of what is not a weight product.
double passes(const Setup &setup)
{
    return setup.checkpointing ? 4 : 3;
}

Seconds productSeconds(const Setup &setup, const Work &work, double rate, double efficiency)
{
    const double rows = real(setup.rows());
    const double narrow = real(setup.shape.hidden) / (real(setup.shape.hidden) + 30);
    const double fill = rows / (rows + 256); // few tokens do not fill the card
    return (work.layers + work.head + work.recomputed) / (rate * efficiency * narrow * fill);
}

Seconds attentionSeconds(const Setup &setup, const Work &work, double rate, double efficiency)
{
    const double tokens = real(setup.tokens);
    const double headDim = real(setup.shape.queryWidth) / real(std::max<int64_t>(1, setup.shape.heads));
    const double narrow = headDim < 128 ? 0.8 : 1;
    return (work.attention + work.recomputedAttention) /
           (rate * efficiency * narrow * tokens / (tokens + 600));
}

/// Bytes moved by norms, rotations, residuals and activations (per row and layer 80 h + 10 f unfused, 45 h +
/// 10 f fused), by the loss and by adapters.
double memoryTraffic(const Setup &setup)
{
    const memory::Shape &shape = setup.shape;
    const bool fused = setup.stack == Stack::Rentune;
    const double width = setup.storedBytes() / 2.0;
    double perRow =
        real(shape.layers) * ((fused ? 45 : 80) * real(shape.hidden) + 10 * real(shape.intermediate)) * width;
    const double adapters = 31 * real(setup.adapter.inFeatures) + 14 * real(setup.adapter.outFeatures);
    perRow += (fused ? 0.35 : 1) * adapters * width;
    double traffic = real(setup.rows()) * perRow * passes(setup);
    traffic += real(setup.rows()) * real(shape.vocab) * (fused ? 6 : 12) * 3;
    if (setup.quantized())
        traffic += real(shape.blockLinear) * 3 * (passes(setup) - 1);
    return traffic;
}

/// Time the host needs to issue the kernels of a micro batch, 7 µs each.
Seconds launchSeconds(const Setup &setup)
{
    const double layers = real(setup.shape.layers);
    const double kernels =
        layers * (setup.stack == Stack::Rentune ? 33 : 55) + 9 * real(setup.adapter.modules);
    return kernels * (passes(setup) - 0.7) * 7e-6;
}

/// bytes/s between two ranks: NVLink one way inside a node, PCIe where there is none, 8 network cards across
/// nodes.
double linkRate(const Setup &setup, const catalog::Gpu &gpu, int64_t gpusPerNode)
{
    const double pcie = gpu.pcieGeneration >= 5 ? 28e9 : gpu.pcieGeneration == 4 ? 14e9 : 9e9;
    const double inside = gpu.nvlink.value_or(0) >= 300e9 ? *gpu.nvlink / 2 * 0.75 : pcie;
    if (setup.ranks <= gpusPerNode)
        return inside;
    const double card = gpu.arch == "Hopper" || gpu.arch.starts_with("Blackwell") ? 50e9 : 25e9;
    return std::min(inside, card * 0.75 * 8);
}

/// Sharded weights are gathered twice a micro batch and their gradients reduced once; else gradients are
/// all-reduced once a step. What does not hide behind `busy` counts in full, the rest for 15 % (20 % of an
/// all-reduce).
Seconds communicationSeconds(const Setup &setup, double link, Seconds busy)
{
    if (setup.ranks <= 1)
        return 0;
    const double part = real(setup.ranks - 1) / real(setup.ranks);
    const double e = real(setup.storedBytes());
    const double gradients = e * real(setup.trainedBase) + 4 * real(setup.adapter.parameters);
    if (!setup.shardsWeights())
        return 0.2 * 2 * gradients * part / link;
    const double weights =
        setup.quantized() ? 0.53 * real(setup.shape.blockLinear) : e * real(setup.shape.parameters);
    const Seconds moved =
        (2 * weights + gradients) * part / link * (setup.strategy == wire::Strategy::Zero3 ? 1.15 : 1);
    const double micro = real(setup.accumulation);
    return micro * (std::max(0.0, moved - busy) + 0.15 * std::min(moved, busy)) + 0.02 * micro * busy;
}

/// AdamW reads and writes weight, gradient, moments and master: 30 bytes a parameter with fp32 master, 38
/// without (fit); offloaded: 2.2·10⁹ parameters/s on the host and 10 GB/s over the bus (not calibrated).
Seconds optimizerSeconds(const Setup &setup, double bandwidth)
{
    const double own = real(setup.trained()) / (setup.shardsStates() ? real(setup.ranks) : 1);
    if (setup.offload != wire::Offload::None)
        return own / 2.2e9 + own * 4 / 10e9;
    return own * (setup.masterWeights ? 30 : 38) / bandwidth + 0.010;
}

} // namespace

Work workOf(const Setup &setup)
{
    const memory::Shape &shape = setup.shape;
    const double rows = real(setup.rows());
    const double backward = setup.peft() ? 1 : 2;
    Work work;
    const double pass = rows * 2 * real(shape.blockLinear);
    const double adapterPass = rows * 2 * real(setup.adapter.parameters);
    work.layers = pass * (1 + backward) + adapterPass * 3;
    work.head = rows * 2 * real(shape.headParameters()) * (1 + backward);
    const double attention = rows * 2 * real(setup.tokens) * real(shape.queryWidth) * real(shape.layers);
    work.attention = attention * 3.5;
    if (setup.checkpointing) {
        work.recomputed = pass + adapterPass;
        work.recomputedAttention = attention;
    }
    return work;
}

std::optional<double> denseRate(const catalog::Gpu &gpu, wire::Precision precision)
{
    if (precision == wire::Precision::Bf16)
        return gpu.bf16;
    if (precision == wire::Precision::Fp16)
        return gpu.fp16;
    return gpu.tf32 ? gpu.tf32 : gpu.fp32;
}

std::optional<StepTime> stepTime(const Setup &setup, const catalog::Gpu &gpu, int64_t gpusPerNode)
{
    const auto rate = denseRate(gpu, setup.precision);
    if (!rate || *rate <= 0 || gpu.bandwidth.value_or(0) <= 0)
        return std::nullopt;
    const Efficiency efficiency = efficiencyOf(gpu);
    const Work work = workOf(setup);
    const double bandwidth = 0.75 * *gpu.bandwidth;
    const double micro = real(setup.accumulation);
    StepTime time;
    time.products = productSeconds(setup, work, *rate, efficiency.products);
    time.attention = attentionSeconds(setup, work, *rate, efficiency.attention);
    time.memoryBound = memoryTraffic(setup) / bandwidth;
    const Seconds busy = time.products + time.attention + time.memoryBound;
    time.launch = micro * std::max(0.0, launchSeconds(setup) - busy);
    time.communication = communicationSeconds(setup, linkRate(setup, gpu, gpusPerNode), busy);
    time.products *= micro;
    time.attention *= micro;
    time.memoryBound *= micro;
    time.optimizer = optimizerSeconds(setup, bandwidth);
    return time;
}

StepTime stepTime(const Setup &setup, const Host &host, std::optional<double> measuredFlops)
{
    const Work work = workOf(setup);
    const double micro = real(setup.accumulation);
    const double peak =
        setup.precision == wire::Precision::Fp32 ? host.fp32FlopsPerThread : host.bf16FlopsPerThread;
    StepTime time;
    if (measuredFlops) {
        time.products = micro * work.useful() / *measuredFlops;
        return time;
    }
    const double rate = 0.5 * peak * host.threads;
    time.products = micro * (work.layers + work.head + work.recomputed) / rate;
    time.attention = micro * (work.attention + work.recomputedAttention) / rate;
    const double memoryRate = 10e9; // two channels of DDR4, the least a computer of this kind has
    time.memoryBound = micro * memoryTraffic(setup) / memoryRate;
    time.optimizer = real(setup.trained()) * 30 / memoryRate;
    return time;
}

} // namespace rentune::throughput
