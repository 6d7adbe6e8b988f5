// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/text/aligned_text.h"

#include <functional>
#include <string>
#include <vector>

namespace rentune::text {

/// Rewrites a text before it is cut into words: the `normalizer` of tokenizer.json. Immutable, thread-safe.
class Normalizer
{
public:
    /// Reads null, NFC, NFD, NFKC, NFKD, Prepend, Replace, Lowercase, Strip and Sequence.
    /// Errors: tokenizer.unsupported (another kind, by name), tokenizer.format.
    static Result<Normalizer> parse(const SortedJson &json, const std::string &where);

    /// `text` must be UTF-8. Places in the source are exact at ASCII characters, at most one cluster off
    /// elsewhere.
    AlignedText apply(AlignedText text) const;

private:
    using Step = std::function<AlignedText(const AlignedText &)>;

    static Result<Step> parseStep(const std::string &kind, const SortedJson &json, const std::string &where);

    std::vector<Step> m_steps;
};

} // namespace rentune::text
