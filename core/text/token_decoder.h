// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <functional>
#include <string>
#include <vector>

namespace rentune::text {

/// Turns the tokens of a text back into it: the `decoder` of tokenizer.json. Immutable, thread-safe.
class TokenDecoder
{
public:
    /// Reads null (tokens joined by blanks, as the reference does), ByteLevel, ByteFallback, Replace, Strip,
    /// Metaspace, Fuse and Sequence. Errors: tokenizer.unsupported (another kind, by name), tokenizer.format.
    static Result<TokenDecoder> parse(const SortedJson &json, const std::string &where);

    /// The text of the tokens; bytes that are no UTF-8 become U+FFFD.
    std::string decode(std::vector<std::string> tokens) const;

private:
    using Step = std::function<void(std::vector<std::string> &)>;

    static Result<Step> parseStep(const std::string &kind, const SortedJson &json, const std::string &where);

    std::vector<Step> m_steps;
    std::string m_between; ///< what stands between the tokens that the steps leave
};

} // namespace rentune::text
