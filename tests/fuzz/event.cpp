// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/event.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    using namespace rentune;
    const std::string_view line(reinterpret_cast<const char *>(data), size);
    if (const auto event = wire::decodeEvent(line);
        event.ok() && !wire::decodeEvent(wire::encodeEvent(*event)).ok())
        __builtin_trap(); // what was read must be readable again
    return 0;
}
