// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/job_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    using namespace rentune;
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    if (const auto job = wire::parseJob(text, "/job.yaml");
        job.ok() && !wire::parseJob(wire::writeJob(*job), "/job.yaml").ok())
        __builtin_trap(); // what was read must be readable again
    return 0;
}
