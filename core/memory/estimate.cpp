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

/// Gradients that are there before a micro batch's backward pass: all of them when steps accumulate or shards
/// are reduced into a standing buffer, else none.
Bytes standingGradients(const Setup &setup)
{
    return setup.accumulation > 1 || setup.shardsGradients() ? gradientBytes(setup) : 0;
}

/// Whether gradients are computed in another dtype than they are kept in.
bool gradientsApart(const Setup &setup)
{
    return setup.trainedBase > 0 && setup.computeBytes() != setup.storedBytes();
}

bool trainsHead(const Setup &setup)
{
    return setup.trainedBase == setup.shape.parameters;
}

/// Gradients during the head's backward pass, the first.
Bytes gradientsAtHead(const Setup &setup)
{
    if (!trainsHead(setup))
        return standingGradients(setup);
    const Bytes head = setup.computeBytes() * setup.shape.headParameters();
    return gradientsApart(setup) ? standingGradients(setup) + head : std::max(standingGradients(setup), head);
}

/// A layer's gradients in the compute dtype, where that is not the stored one.
Bytes layerGradient(const Setup &setup)
{
    return gradientsApart(setup) ? setup.computeBytes() * setup.shape.layerParameters : 0;
}

/// Temporaries of AdamW. Ours goes tensor by tensor and widens a bf16 gradient for its master, of which the
/// embedding's is the largest; transformers' foreach variant holds one more copy of all updates.
Bytes optimizerWorkspace(const Setup &setup)
{
    if (setup.optimizer != Optimizer::AdamW)
        return 0;
    if (setup.stack == Stack::HuggingFace)
        return gradientBytes(setup);
    const bool widens = setup.storedBytes() < 4 && setup.masterWeights;
    if (!widens || setup.peft())
        return 0;
    const int64_t largest = std::max(setup.shape.headParameters(), setup.shape.largestLinear);
    return 4 * largest / (setup.shardsStates() ? setup.ranks : 1);
}

/// The larger of two moments.
const MemoryTerms &larger(const MemoryTerms &a, const MemoryTerms &b)
{
    return b.total() > a.total() ? b : a;
}

MemoryTerms forwardTerms(const Setup &setup, const Activations &activations)
{
    MemoryTerms layer = standing(setup);
    layer[Term::Gradients] = standingGradients(setup);
    layer[Term::Communication] += gatheredBytes(setup);
    MemoryTerms loss = layer;
    layer[Term::Workspace] = preparedLayer(setup);
    layer[Term::Activations] = activations.saved + activations.forward;
    const LossMemory head = lossMemory(setup);
    loss[Term::Gradients] = gradientsAtHead(setup);
    loss[Term::Workspace] = preparedHead(setup);
    loss[Term::Activations] = activations.saved + head.hidden;
    loss[Term::Logits] = head.logits;
    return larger(layer, loss);
}

/// The first layer's backward pass (the model's last), the last one's and the embedding's: activations shrink
/// while gradients grow.
MemoryTerms backwardTerms(const Setup &setup, const Activations &activations)
{
    MemoryTerms first = standing(setup);
    first[Term::Communication] += gatheredBytes(setup);
    first[Term::Workspace] = preparedLayer(setup);
    const Bytes head = trainsHead(setup) ? setup.storedBytes() * setup.shape.headParameters() : 0;
    first[Term::Gradients] = std::max(standingGradients(setup), head) + layerGradient(setup);
    const Bytes inFlight = activations.layer + activations.backward;
    first[Term::Activations] = activations.saved + inFlight;
    MemoryTerms last = first;
    last[Term::Gradients] = gradientBytes(setup) + layerGradient(setup);
    last[Term::Activations] = inFlight + activations.saved / std::max<int64_t>(1, setup.shape.layers);
    MemoryTerms embedding = last;
    embedding[Term::Workspace] = preparedHead(setup);
    embedding[Term::Activations] = setup.rows() * setup.computeBytes() * setup.shape.hidden;
    embedding[Term::Gradients] = gradientBytes(setup);
    if (gradientsApart(setup) && trainsHead(setup))
        embedding[Term::Gradients] += setup.computeBytes() * setup.shape.headParameters();
    return larger(larger(first, last), embedding);
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
    const int64_t e = setup.storedBytes();
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
    load[Term::Communication] = 0;
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
