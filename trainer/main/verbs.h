// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <CLI/App.hpp>

#include <functional>

namespace rentune::trainer {

/// What the chosen verb does once the command line is read; gives the exit code.
using Action = std::function<Result<int>()>;

// Each adds one verb (or those named beside it) with its options to the program and sets `action` when that
// verb is chosen.

void addTrainVerb(CLI::App &program, Action &action);
void addForwardVerb(CLI::App &program, Action &action);
void addGenerateVerb(CLI::App &program, Action &action);
void addRenderVerb(CLI::App &program, Action &action);
void addTokenizeVerbs(CLI::App &program, Action &action); ///< tokenize, detokenize
void addMergeVerb(CLI::App &program, Action &action);
void addQuantizeVerb(CLI::App &program, Action &action);
void addImportGgufVerb(CLI::App &program, Action &action);
void addInfoVerbs(CLI::App &program, Action &action); ///< version, doctor, verify

} // namespace rentune::trainer
