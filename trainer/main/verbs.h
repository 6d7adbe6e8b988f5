// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <CLI/App.hpp>

#include <functional>

namespace rentune::trainer {

/// What the chosen verb does once the command line is read; gives the exit code.
using Action = std::function<Result<int>()>;

// Each adds one verb with its options to the program and sets `action` when that verb is chosen.

void addTrainVerb(CLI::App &program, Action &action);
void addForwardVerb(CLI::App &program, Action &action);

} // namespace rentune::trainer
