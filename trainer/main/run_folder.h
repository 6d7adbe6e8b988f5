// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "core/base/file_ops.h"
#include "core/base/json.h"
#include "trainer/config/train_config.h"

#include <filesystem>
#include <string>

namespace rentune::trainer {

/// $RENTUNE_HOME/runs/NAME-TIME (RENTUNE_HOME is ~/.rentune by default), TIME as 20261201-001524 in UTC.
std::filesystem::path defaultRunFolder(const std::string &name, const Clock &clock);

/// Makes the folder and puts job.yaml into it. Errors: run.folder_used if a run has been there and `resume`
/// is not asked for; disk.*.
Result<void> prepareFolder(FileOps &ops, const std::filesystem::path &folder, const wire::JobSpec &job,
                           bool resume);

/// receipt.json: what went in, what came out, with what.
Result<Json> makeReceipt(const TrainConfig &config, int interruptions, const std::filesystem::path &result);

/// The error that an exception of a library stands for: memory.out or internal.
Error errorOf(const std::exception &exception);

} // namespace rentune::trainer
