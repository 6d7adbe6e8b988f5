// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/hf/adapter_config.h"
#include "core/wire/job_spec.h"

#include <filesystem>
#include <optional>

namespace rentune::trainer {

/// A job this trainer can run, every choice made.
struct TrainConfig
{
    wire::JobSpec job;
    std::filesystem::path model;              ///< the base model's folder
    std::optional<hf::AdapterConfig> adapter; ///< of PEFT's methods; with `init_from`, that folder's values
    std::filesystem::path initFrom;           ///< folder of the adapter to start from; "" = fresh
    int threads = 1;                          ///< training.threads, 0 resolved to the cores of this machine
    int world = 1;
    int rank = 0;
};

/// Checks a parsed job against what this trainer does. What it cannot do is never ignored: job.unsupported
/// names the key and what to use instead. With `init_from`: job.conflict for a stated key that contradicts
/// that folder, and what reading it and the model's config.json may report.
Result<TrainConfig> makeTrainConfig(wire::JobSpec job);

} // namespace rentune::trainer
