// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/wire/event.h"

#include <QString>

namespace rentune::app {

/// An event as one line for a terminal.
QString eventLine(const wire::Event &event);

} // namespace rentune::app
