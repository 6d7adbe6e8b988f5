// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/estimate.h"
#include "core/plan/checks.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace rentune::plan {
namespace {

using memory::Setup;

struct Candidate
{
    Relax relax;
    Setup setup;
};

/// The job with one thing changed by `alter`.
template <typename Alter>
Candidate candidate(const Setup &setup, std::string code, std::string key, std::string value, Alter alter)
{
    Candidate result{{std::move(code), std::move(key), std::move(value), 0}, setup};
    alter(result.setup);
    return result;
}

bool fits(const Setup &setup)
{
    return memory::estimate(setup).bytes.expected <= setup.capacity;
}

/// The largest of the halved micro batches that fits, else 1.
std::optional<Candidate> smallerMicroBatch(const Setup &setup)
{
    if (setup.sequences <= 1)
        return std::nullopt;
    Setup altered = setup;
    do {
        altered.sequences = (altered.sequences + 1) / 2;
        altered.accumulation =
            (setup.sequences * setup.accumulation + altered.sequences - 1) / altered.sequences;
    } while (altered.sequences > 1 && !fits(altered));
    const std::string value = fmt::to_string(altered.sequences);
    return Candidate{{"micro_batch", "training.micro_batch", value, 0}, altered};
}

/// Base weights can be packed only if they stay frozen and nothing packed them yet.
bool canPack(const Setup &setup)
{
    return setup.peft() && !setup.quantized();
}

void addWithinTheCard(const Setup &setup, std::vector<Candidate> &list)
{
    if (!setup.checkpointing)
        list.push_back(candidate(setup, "gradient_checkpointing", "training.gradient_checkpointing", "true",
                                 [](Setup &s) { s.checkpointing = true; }));
    if (auto smaller = smallerMicroBatch(setup))
        list.push_back(std::move(*smaller));
    if (canPack(setup) && setup.cuda)
        list.push_back(candidate(setup, "quantization.nf4", "method.quantization.type", "nf4",
                                 [](Setup &s) { s.quantization.type = wire::QuantizationType::Nf4; }));
    if (setup.precision == wire::Precision::Fp32 && (setup.cuda || setup.bf16Instructions))
        list.push_back(candidate(setup, "precision.bf16", "training.precision", "bf16",
                                 [](Setup &s) { s.precision = wire::Precision::Bf16; }));
    if (!setup.peft() && setup.optimizer == memory::Optimizer::AdamW && setup.cuda)
        list.push_back(candidate(setup, "optimizer.adamw8bit", "training.optimizer", "adamw8bit",
                                 [](Setup &s) { s.optimizer = memory::Optimizer::AdamW8bit; }));
    if (setup.offload == wire::Offload::None && setup.cuda)
        list.push_back(candidate(setup, "offload.optimizer", "parallel.offload", "optimizer",
                                 [](Setup &s) { s.offload = wire::Offload::Optimizer; }));
}

/// The fewest GPUs, up to 64, over which ZeRO-3 fits.
void addMoreGpus(const Setup &setup, std::vector<Candidate> &list)
{
    if (setup.ranks > 1 && !setup.shardsWeights())
        list.push_back(candidate(setup, "parallel.zero3", "parallel.strategy", "zero3",
                                 [](Setup &s) { s.strategy = wire::Strategy::Zero3; }));
    for (int64_t ranks = setup.ranks * 2; ranks <= 64; ranks *= 2) {
        Candidate more = candidate(setup, "parallel.zero3_gpus", "parallel.gpus_per_node",
                                   fmt::to_string(ranks), [ranks](Setup &s) {
                                       s.strategy = wire::Strategy::Zero3;
                                       s.ranks = ranks;
                                   });
        if (!fits(more.setup))
            continue;
        list.push_back(std::move(more));
        return;
    }
}

/// The smallest other card of this vendor that holds the job.
void addLargerCard(const Setup &setup, const PlanFacts &facts, std::vector<Candidate> &list)
{
    const catalog::Gpu *best = nullptr;
    for (const catalog::Gpu &gpu : facts.otherGpus) {
        Setup altered = setup;
        altered.capacity = gpu.memory;
        const bool suits = gpu.vendor == facts.gpu->vendor && gpu.memory > setup.capacity &&
                           (gpu.supportsBf16() || setup.precision != wire::Precision::Bf16);
        if (suits && (!best || gpu.memory < best->memory) && fits(altered))
            best = &gpu;
    }
    if (best)
        list.push_back(candidate(setup, "gpu", "hardware.gpu", best->id,
                                 [best](Setup &s) { s.capacity = best->memory; }));
}

/// Fills in the peaks and keeps what fits, in the given order; if nothing does, all that saves, most first.
std::vector<Relax> judged(std::vector<Candidate> list, Bytes peak)
{
    std::vector<Relax> fitting;
    std::vector<Relax> helping;
    for (Candidate &entry : list) {
        entry.relax.perGpuBytes = memory::estimate(entry.setup).bytes.expected;
        if (entry.relax.perGpuBytes <= entry.setup.capacity)
            fitting.push_back(std::move(entry.relax));
        else if (entry.relax.perGpuBytes < peak)
            helping.push_back(std::move(entry.relax));
    }
    if (!fitting.empty())
        return fitting;
    std::stable_sort(helping.begin(), helping.end(),
                     [](const Relax &a, const Relax &b) { return a.perGpuBytes < b.perGpuBytes; });
    return helping;
}

double inGiB(Bytes bytes)
{
    return static_cast<double>(bytes) / static_cast<double>(GiB);
}

} // namespace

Reason doesNotFit(const Setup &setup, const memory::Estimate &peak, const PlanFacts &facts)
{
    std::vector<Candidate> list;
    addWithinTheCard(setup, list);
    if (facts.gpu) {
        addMoreGpus(setup, list);
        addLargerCard(setup, facts, list);
    }
    Reason reason;
    reason.code = "memory.capacity";
    reason.text = fmt::format("each {} would need {:.1f} GiB and has {:.1f}, {:.1f} short",
                              facts.gpu ? "GPU" : "computer", inGiB(peak.bytes.expected),
                              inGiB(setup.capacity), inGiB(peak.bytes.expected - setup.capacity));
    reason.relax = judged(std::move(list), peak.bytes.expected);
    return reason;
}

} // namespace rentune::plan
