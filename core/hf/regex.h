// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace rentune::hf {

/// A regular expression in Perl's syntax, of which Python's `re` is a dialect; matching is bounded, so that a
/// hostile pattern cannot hang. Copies share the compiled form; thread-safe.
class Regex
{
public:
    /// Errors: adapter.config with the place in the pattern.
    static Result<Regex> compile(const std::string &pattern);

    /// Whether the whole text matches, as re.fullmatch. False where the bound is hit.
    bool matchesWhole(std::string_view text) const;

private:
    struct Code;
    explicit Regex(std::shared_ptr<const Code> code) : m_code(std::move(code)) {}
    std::shared_ptr<const Code> m_code;
};

} // namespace rentune::hf
