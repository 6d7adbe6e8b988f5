// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace rentune::app {

/// Whether the command line names a verb (or asks for help or the version), so that no window is wanted.
bool wantsCommandLine(int argc, char **argv);

/// Runs the verb of a command line and returns the exit code. Needs a QCoreApplication,
/// no display.
int runCommandLine(int argc, char **argv);

} // namespace rentune::app
