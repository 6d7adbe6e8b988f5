// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/states.h"

#include <cmath>

namespace rentune::memory {
namespace {

Bytes shareOf(Bytes bytes, bool sharded, int64_t ranks)
{
    return sharded ? (bytes + ranks - 1) / ranks : bytes;
}

bool hasMaster(const Setup &setup)
{
    return setup.precision != wire::Precision::Fp32 && setup.masterWeights;
}

/// Bytes of one moment of a base weight and of an adapter weight.
double momentBytes(const Setup &setup, bool ofAdapter)
{
    switch (setup.optimizer) {
    case Optimizer::AdamW:
        return ofAdapter || hasMaster(setup) ? 4 : static_cast<double>(setup.storedBytes());
    case Optimizer::AdamW8bit:
        return 1 + 4.0 / 256;
    case Optimizer::PagedAdamW8bit:
    case Optimizer::Sgd:
    case Optimizer::Adafactor:
        return 0;
    }
    return 0;
}

/// All moments and the master of one rank, wherever they lie.
Bytes stateShare(const Setup &setup, double bytesPerBase, double bytesPerAdapter)
{
    const double bytes = bytesPerBase * static_cast<double>(setup.trainedBase) +
                         bytesPerAdapter * static_cast<double>(setup.adapter.parameters);
    return shareOf(static_cast<Bytes>(std::ceil(bytes)), setup.shardsStates(), setup.ranks);
}

Bytes momentShare(const Setup &setup)
{
    return stateShare(setup, 2 * momentBytes(setup, false), 2 * momentBytes(setup, true));
}

Bytes masterShare(const Setup &setup)
{
    return hasMaster(setup) ? stateShare(setup, 4, 0) : 0;
}

Bytes weightShare(const Setup &setup)
{
    const Shape &shape = setup.shape;
    const int64_t element = setup.storedBytes();
    const int64_t packed = setup.quantized() ? shape.blockLinear : 0;
    const bool byte = setup.quantization.type == wire::QuantizationType::Int8;
    const Bytes packedBytes = byte ? packed : (packed + 1) / 2;
    return shareOf((shape.parameters - packed) * element + packedBytes, setup.shardsWeights(), setup.ranks);
}

} // namespace

Bytes weightBytes(const Setup &setup)
{
    return setup.offload == wire::Offload::All ? 0 : weightShare(setup);
}

Bytes quantizationBytes(const Setup &setup)
{
    if (!setup.quantized())
        return 0;
    Bytes bytes = 4 * setup.shape.blockLinearRows;
    if (setup.quantization.type != wire::QuantizationType::Int8) {
        const int64_t blocks =
            (setup.shape.blockLinear + setup.quantization.block - 1) / setup.quantization.block;
        bytes = setup.quantization.doubleQuant ? blocks + 4 * ((blocks + 255) / 256) : 4 * blocks;
    }
    return shareOf(bytes, setup.shardsWeights(), setup.ranks);
}

Bytes adapterBytes(const Setup &setup)
{
    return 4 * setup.adapter.parameters;
}

Bytes gradientBytes(const Setup &setup)
{
    const Bytes bytes = setup.storedBytes() * setup.trainedBase + 4 * setup.adapter.parameters;
    return shareOf(bytes, setup.shardsGradients(), setup.ranks);
}

Bytes optimizerBytes(const Setup &setup)
{
    return setup.offload == wire::Offload::None ? momentShare(setup) : 0;
}

Bytes masterBytes(const Setup &setup)
{
    return setup.offload == wire::Offload::None ? masterShare(setup) : 0;
}

Bytes offloadedBytes(const Setup &setup)
{
    Bytes bytes = setup.optimizer == Optimizer::PagedAdamW8bit
                      ? stateShare(setup, 2 * (1 + 4.0 / 256), 2 * (1 + 4.0 / 256))
                      : 0;
    if (setup.offload != wire::Offload::None)
        bytes += momentShare(setup) + masterShare(setup);
    if (setup.offload == wire::Offload::All)
        bytes += weightShare(setup);
    return bytes;
}

Bytes checkpointBytes(const Setup &setup)
{
    const Setup whole = [&] {
        Setup copy = setup;
        copy.strategy = wire::Strategy::None;
        copy.ranks = 1;
        return copy;
    }();
    const Bytes trained = setup.storedBytes() * setup.trainedBase + adapterBytes(setup);
    return trained + momentShare(whole) + masterShare(whole);
}

} // namespace rentune::memory
