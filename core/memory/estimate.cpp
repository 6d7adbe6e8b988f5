// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/estimate.h"

#include "core/memory/activations.h"
#include "core/memory/states.h"

#include <algorithm>
#include <cmath>

namespace rentune::memory {
namespace {

Bytes scaled(double factor, Bytes bytes)
{
    return static_cast<Bytes>(std::llround(factor * static_cast<double>(bytes)));
}

/// What stands on the device in every phase of a step.
MemoryTerms standing(const Setup &setup)
{
    MemoryTerms terms;
    terms[Term::Weights] = weightBytes(setup);
    terms[Term::Quantization] = quantizationBytes(setup);
    terms[Term::Adapter] = adapterBytes(setup);
    terms[Term::Optimizer] = optimizerBytes(setup);
    terms[Term::Master] = masterBytes(setup);
    terms[Term::Communication] = bucketBytes(setup);
    terms[Term::Context] = contextBytes(setup);
    return terms;
}

/// Gradients that are there while activations are: all of them when steps accumulate or shards are reduced
/// into a standing buffer, else only the head's, whose backward pass comes first.
Bytes earlyGradients(const Setup &setup)
{
    if (setup.accumulation > 1 || setup.shardsGradients() || setup.peft())
        return gradientBytes(setup);
    return setup.elementBytes() * setup.shape.headParameters();
}

/// Temporaries of AdamW: transformers' foreach variant holds one more copy of the update; ours works in
/// place.
Bytes optimizerWorkspace(const Setup &setup)
{
    if (setup.stack == Stack::Rentune || setup.optimizer != Optimizer::AdamW)
        return 0;
    return gradientBytes(setup);
}

MemoryTerms forwardTerms(const Setup &setup, const Activations &activations)
{
    MemoryTerms terms = standing(setup);
    const LossMemory loss = lossMemory(setup);
    terms[Term::Gradients] = earlyGradients(setup);
    terms[Term::Communication] += gatheredBytes(setup);
    terms[Term::Workspace] = unpackedBytes(setup);
    terms[Term::Activations] = activations.saved + std::max(activations.forward, loss.hidden);
    terms[Term::Logits] = loss.logits;
    return terms;
}

MemoryTerms backwardTerms(const Setup &setup, const Activations &activations)
{
    MemoryTerms terms = standing(setup);
    terms[Term::Gradients] = earlyGradients(setup);
    terms[Term::Communication] += gatheredBytes(setup);
    terms[Term::Workspace] = unpackedBytes(setup);
    const Bytes gradient = setup.rows() * setup.elementBytes() * setup.shape.hidden;
    terms[Term::Activations] = activations.saved + activations.layer + gradient +
                               std::max(activations.backward, activations.attention);
    // At the end all gradients are there, but only one layer's activations.
    MemoryTerms last = terms;
    last[Term::Gradients] = gradientBytes(setup);
    last[Term::Activations] = terms[Term::Activations] - activations.saved +
                              activations.saved / std::max<int64_t>(1, setup.shape.layers);
    return last.total() > terms.total() ? last : terms;
}

MemoryTerms optimizerTerms(const Setup &setup)
{
    MemoryTerms terms = standing(setup);
    terms[Term::Gradients] = gradientBytes(setup);
    terms[Term::Workspace] = optimizerWorkspace(setup);
    return terms;
}

/// Blocks that the caching allocator holds and the phase can't use, as a share of the batch's memory: slopes
/// of published reserved-minus-allocated figures (0.11 on one GPU, 0.155 with sharding; transformers'
/// optimizer step finds 0.95 of the activations still cached; logits freed by the loss don't fit a
/// checkpointed layer's tensors: 6 bytes a logit).
Bytes reserveBytes(const Setup &setup, Phase phase, const MemoryTerms &forward)
{
    if (!setup.cuda || phase == Phase::Load)
        return 0;
    const Bytes batch = forward[Term::Activations] + forward[Term::Logits];
    const bool huggingFace = setup.stack == Stack::HuggingFace;
    if (phase == Phase::Optimizer && huggingFace && !setup.peft())
        return scaled(0.95, batch);
    Bytes reserve = scaled(setup.ranks > 1 ? 0.155 : 0.11, batch);
    if (phase == Phase::Forward && huggingFace && setup.checkpointing)
        reserve += 6 * setup.rows() * setup.shape.vocab;
    return reserve;
}

/// A full allocator gives its cache back and tries again: of the room left, about half stays reserved.
void squeezeReserve(MemoryTerms &terms, Bytes capacity)
{
    const Bytes live = terms.total() - terms[Term::Reserve];
    if (capacity > 0 && terms.total() > capacity)
        terms[Term::Reserve] = std::max<Bytes>(0, std::min(terms[Term::Reserve], (capacity - live) / 2));
}

double normalCdf(double z)
{
    return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

void addRange(Estimate &result, const Setup &setup)
{
    const MemoryTerms &terms = result.terms;
    const Bytes uncertain = terms[Term::Activations] + terms[Term::Logits] + terms[Term::Communication] +
                            terms[Term::Workspace] + terms[Term::Reserve] + terms[Term::Context];
    const double sigma = (setup.cuda ? 0.25 : 0.10) * static_cast<double>(uncertain);
    const double z90 = 1.2816; // 90 % point of the normal distribution
    const Bytes peak = terms.total();
    const Bytes half = static_cast<Bytes>(std::llround(z90 * sigma));
    result.bytes = {peak - half, peak, peak + half};
    if (setup.capacity <= 0)
        return;
    const double room = static_cast<double>(setup.capacity - (peak - terms[Term::Reserve]));
    if (sigma > 0)
        result.pOutOfMemory = normalCdf(-room / sigma);
    else
        result.pOutOfMemory = room < 0 ? 1 : 0;
}

} // namespace

Bytes bucketBytes(const Setup &setup)
{
    if (setup.ranks <= 1)
        return 0;
    if (setup.strategy == wire::Strategy::Ddp)
        return gradientBytes(setup);
    if (setup.strategy == wire::Strategy::Zero2 || setup.strategy == wire::Strategy::Zero3)
        return scaled(std::min(1.0, static_cast<double>(setup.trained()) / 1e9), 4 * GiB);
    return 0;
}

Bytes gatheredBytes(const Setup &setup)
{
    const bool gathers = (setup.shardsWeights() && setup.ranks > 1) || setup.offload == wire::Offload::All;
    if (!gathers)
        return 0;
    const Shape &shape = setup.shape;
    const int64_t e = setup.elementBytes();
    const int64_t outside = shape.parameters - shape.layers * shape.layerParameters;
    const Bytes layer = setup.quantized() ? shape.layerParameters / 2 : e * shape.layerParameters;
    return e * outside + (setup.peft() ? layer : 3 * layer);
}

Bytes contextBytes(const Setup &setup)
{
    if (!setup.cuda)
        return 0;
    return scaled(0.80 + (setup.ranks > 1 ? 1.50 : 0.0), GiB);
}

Estimate estimate(const Setup &setup)
{
    const Activations activations = activationsOf(setup);
    Estimate result;
    MemoryTerms &load = result.phases[static_cast<size_t>(Phase::Load)];
    load = standing(setup);
    load[Term::Optimizer] = load[Term::Master] = load[Term::Communication] = 0;
    const MemoryTerms forward = forwardTerms(setup, activations);
    result.phases[static_cast<size_t>(Phase::Forward)] = forward;
    result.phases[static_cast<size_t>(Phase::Backward)] = backwardTerms(setup, activations);
    result.phases[static_cast<size_t>(Phase::Optimizer)] = optimizerTerms(setup);
    result.phases[static_cast<size_t>(Phase::Save)] = standing(setup);
    Bytes most = -1;
    for (size_t i = 0; i < phaseCount; ++i) {
        const Phase phase = static_cast<Phase>(i);
        MemoryTerms &terms = result.phases[i];
        terms[Term::Reserve] = reserveBytes(setup, phase, forward);
        squeezeReserve(terms, setup.capacity);
        if (terms.total() > most) {
            most = terms.total();
            result.peakPhase = phase;
            result.terms = terms;
        }
    }
    addRange(result, setup);
    return result;
}

} // namespace rentune::memory
