// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/file_ops.h"

#include <filesystem>

namespace rentune::trainer {

/// Copies the files of a model folder that belong to the model but not to its weights: config, tokenizer,
/// template.
Result<void> copyCompanions(FileOps &ops, const std::filesystem::path &from, const std::filesystem::path &to);

} // namespace rentune::trainer
