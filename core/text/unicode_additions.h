// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rentune::text {

/// `text` with every character newer than Unicode 14 replaced by an older one of the same category and the
/// same length in bytes, so that a regular-expression library of any version classifies it as the reference
/// does; nullopt if there is none. Offsets into the copy are offsets into `text`.
std::optional<std::string> withOlderCharacters(std::string_view text);

} // namespace rentune::text
