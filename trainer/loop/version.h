// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"

namespace rentune::trainer {

/// {"trainer", "wire", "torch"}: what `version`, checkpoints and receipts state.
Json versions();

} // namespace rentune::trainer
