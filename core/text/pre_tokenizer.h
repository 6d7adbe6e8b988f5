// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/text/aligned_text.h"
#include "core/text/metaspace.h"
#include "core/text/pattern.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace rentune::text {

/// A text and the pieces of it that are tokenized on their own, in order.
struct Pieces
{
    AlignedText text;
    std::vector<Span> spans;
};

/// What becomes of the places that a pattern finds.
enum class SplitBehavior
{
    Removed,
    Isolated,
    MergedWithPrevious,
    MergedWithNext,
    Contiguous
};

/// Cuts a text into words: the `pre_tokenizer` of tokenizer.json. Immutable, thread-safe.
class PreTokenizer
{
public:
    /// Reads null, ByteLevel, Metaspace, Split, Digits, Punctuation, WhitespaceSplit, CharDelimiterSplit and
    /// Sequence. Errors: tokenizer.unsupported (another kind,
    /// by name), tokenizer.format.
    static Result<PreTokenizer> parse(const SortedJson &json, const std::string &where);

    /// `text` must be UTF-8; `first` says that it begins the whole text.
    Pieces split(AlignedText text, bool first) const;

private:
    struct Split
    {
        Pattern pattern;
        SplitBehavior behavior = SplitBehavior::Isolated;
        bool invert = false;
    };
    struct ByteLevel
    {
        bool addPrefixSpace = true;
        std::optional<Pattern> words; ///< GPT-2's pattern, unless use_regex is false
    };
    using Step = std::variant<Split, ByteLevel, Metaspace>;

    static Result<Step> parseStep(const std::string &kind, const SortedJson &json, const std::string &where);
    static Result<Step> parseByteLevel(const SortedJson &json, const std::string &where);
    static Result<Step> parseSplit(const SortedJson &json, const std::string &where);
    static Result<Step> parseDigits(const SortedJson &json, const std::string &where);
    static Result<Step> parsePunctuation(const SortedJson &json, const std::string &where);
    static Result<Step> parseMetaspace(const SortedJson &json, const std::string &where);
    static Result<Step> parseWhitespaceSplit(const SortedJson &json, const std::string &where);
    static Result<Step> parseCharDelimiterSplit(const SortedJson &json, const std::string &where);
    static Pieces apply(const Split &step, Pieces pieces, bool first);
    static Pieces apply(const ByteLevel &step, Pieces pieces, bool first);
    static Pieces apply(const Metaspace &step, Pieces pieces, bool first);

    std::vector<Step> m_steps;
};

} // namespace rentune::text
