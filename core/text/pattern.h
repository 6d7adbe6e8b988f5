// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/text/span.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rentune::text {

/// A compiled regular expression as tokenizer.json states it. Unicode classes follow Unicode 16 whatever the
/// version of the library; `\s` is the property White_Space. Immutable, thread-safe.
class Pattern
{
public:
    /// `where` names the place in errors. Errors: tokenizer.format (syntax), tokenizer.unsupported (a
    /// construct of the reference's engine that ours reads differently).
    static Result<Pattern> compile(const std::string &expression, const std::string &where);
    static Pattern literal(std::string_view text); ///< matches exactly `text`

    /// Non-empty matches from left to right. `text` must be UTF-8. A match that exceeds the engine's step
    /// limit ends the search: what follows counts as unmatched.
    std::vector<Span> findAll(std::string_view text) const;

private:
    struct Code;
    explicit Pattern(std::shared_ptr<const Code> code);
    std::shared_ptr<const Code> m_code;
};

/// The `pattern` of `json`: {"Regex": …} or {"String": …}. Errors: those of compile.
Result<Pattern> patternField(const SortedJson &json, const std::string &where);

} // namespace rentune::text
