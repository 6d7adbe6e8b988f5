// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/local/home.h"
#include "core/wire/job_spec.h"

#include <filesystem>

namespace rentune::app {

/// Where the demo's model is kept once it is imported.
std::filesystem::path demoModel(const Home &home);

/// LoRA of SmolLM2-135M-Instruct on the 368 bundled English rows (`resources`/demo), 32 held aside, at a
/// sample price. `bf16` where this computer computes it in hardware.
wire::JobSpec demoJob(const Home &home, const std::filesystem::path &resources, bool bf16);

} // namespace rentune::app
