// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

namespace rentune::trainer {

/// All of standard input as JSON. Errors: json.syntax ("<stdin>"), file.too_large above 1 GiB.
Result<Json> readJsonInput();

/// One line of JSON on standard output. Errors: disk.write if it cannot be written.
Result<void> printJson(const Json &json);
/// `text` as it is on standard output.
Result<void> printText(const std::string &text);

} // namespace rentune::trainer
