// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/safetensors_header.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const auto header =
        rentune::hf::parseSafetensorsHeader(std::as_bytes(std::span(data, size)), "model.safetensors");
    static_cast<void>(header.ok());
    return 0;
}
