// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace rentune::app {

/// The window, from start to exit code: `rentune [--lang zh_CN|en] [--dark]`, or with `--capture
/// DIR` every page as a picture, which needs no display. Makes its own QApplication: call it before any
/// other.
int runWindow(int argc, char **argv);

} // namespace rentune::app
