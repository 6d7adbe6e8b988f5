// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace rentune::catalog {

/// The folder of the product's facts: ../share/rentune beside the program's folder where it is installed,
/// else the source tree this program was built from. Holds catalog/. Errors: file.missing with both places.
Result<std::filesystem::path> resourceFolder();

} // namespace rentune::catalog
