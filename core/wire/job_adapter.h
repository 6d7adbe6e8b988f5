// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hf/adapter_config.h"
#include "core/wire/job_spec.h"

#include <optional>

namespace rentune::wire {

/// The adapter that the job's own keys describe, for trainer and planner alike; nullopt for a method that
/// PEFT has no adapter for. `method.init_from` is not looked at. IA³ with no stated targets takes PEFT's
/// choice for the model.
std::optional<hf::AdapterConfig> jobAdapter(const JobSpec &job, const hf::ModelConfig &model);

} // namespace rentune::wire
