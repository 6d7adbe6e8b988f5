// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/catalog/catalog.h"

#include <QString>

#include <memory>

namespace rentune::app {

/// Writes every page with demo content as PNG into `folder`, at 1440×900 and 1280×720, in the language and
/// colours in use. Touches nothing of the user's. Errors: disk.write.
Result<void> capturePages(std::shared_ptr<const catalog::Catalog> catalog, const QString &folder);

} // namespace rentune::app
