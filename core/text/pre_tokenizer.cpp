// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/pre_tokenizer.h"

#include "core/text/byte_level.h"
#include "core/text/json_fields.h"

#include <fmt/format.h>

#include <optional>

namespace rentune::text {
namespace {

/// How GPT-2's tokenizer cuts words: what ByteLevel with use_regex means.
constexpr const char *gpt2Words =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

constexpr int maxNesting = 16;

/// A part of a piece: found by the pattern or lying between finds.
struct Part
{
    Span span;
    bool match = false;
};

std::vector<Part> partsOf(std::string_view piece, const Pattern &pattern, bool invert)
{
    std::vector<Part> parts;
    size_t end = 0;
    for (const Span &match : pattern.findAll(piece)) {
        if (end < match.begin)
            parts.push_back({{end, match.begin}, invert});
        parts.push_back({match, !invert});
        end = match.end;
    }
    if (end < piece.size())
        parts.push_back({{end, piece.size()}, invert});
    return parts;
}

/// The pieces that remain of neighbouring parts.
std::vector<Span> arrange(const std::vector<Part> &parts, SplitBehavior behavior)
{
    std::vector<Span> pieces;
    bool joinNext = false;
    std::optional<bool> previousMatch;
    for (const Part &part : parts) {
        bool join = false;
        switch (behavior) {
        case SplitBehavior::Removed:
            if (part.match)
                continue;
            break;
        case SplitBehavior::Isolated:
            break;
        case SplitBehavior::Contiguous:
            join = previousMatch == part.match;
            break;
        case SplitBehavior::MergedWithPrevious:
            join = part.match && previousMatch == false;
            break;
        case SplitBehavior::MergedWithNext:
            join = joinNext && !part.match;
            joinNext = part.match;
            break;
        }
        if (join && !pieces.empty())
            pieces.back().end = part.span.end;
        else
            pieces.push_back(part.span);
        previousMatch = part.match;
    }
    return pieces;
}

std::vector<Span> splitSpans(const Pieces &pieces, const Pattern &pattern, SplitBehavior behavior,
                             bool invert)
{
    std::vector<Span> spans;
    for (const Span &piece : pieces.spans) {
        const std::string_view text =
            std::string_view(pieces.text).substr(piece.begin, piece.end - piece.begin);
        for (const Span &part : arrange(partsOf(text, pattern, invert), behavior))
            spans.push_back({piece.begin + part.begin, piece.begin + part.end});
    }
    return spans;
}

/// Every piece rewritten by `append(out, piece)`.
template <typename Append>
Pieces rewrite(const Pieces &pieces, const Append &append)
{
    Pieces out;
    out.text.reserve(pieces.text.size() + pieces.text.size() / 4);
    out.spans.reserve(pieces.spans.size());
    for (const Span &piece : pieces.spans) {
        const size_t begin = out.text.size();
        append(out.text, std::string_view(pieces.text).substr(piece.begin, piece.end - piece.begin));
        out.spans.push_back({begin, out.text.size()});
    }
    return out;
}

Result<SplitBehavior> behaviorField(const SortedJson &json, const char *fallback, const std::string &where)
{
    RENTUNE_TRY(const std::string name, stringField(json, "behavior", fallback, where));
    if (name == "Removed")
        return SplitBehavior::Removed;
    if (name == "Isolated")
        return SplitBehavior::Isolated;
    if (name == "MergedWithPrevious")
        return SplitBehavior::MergedWithPrevious;
    if (name == "MergedWithNext")
        return SplitBehavior::MergedWithNext;
    if (name == "Contiguous")
        return SplitBehavior::Contiguous;
    return Error{ErrorCode::TokenizerFormat, fmt::format("{}: unknown behavior \"{}\"", where, name)};
}

Result<Pattern> patternField(const SortedJson &json, const std::string &where)
{
    const auto it = json.find("pattern");
    if (it != json.end() && it->is_object()) {
        RENTUNE_TRY(const std::string expression, stringField(*it, "Regex", "", where + ".pattern"));
        if (!expression.empty())
            return Pattern::compile(expression, where);
        RENTUNE_TRY(const std::string literal, stringField(*it, "String", "", where + ".pattern"));
        if (!literal.empty())
            return Pattern::literal(literal);
    }
    return Error{ErrorCode::TokenizerFormat,
                 fmt::format("{}: no \"pattern\" with a Regex or a String", where)};
}

} // namespace

Result<PreTokenizer::Step> PreTokenizer::parseByteLevel(const SortedJson &json, const std::string &where)
{
    ByteLevel step;
    RENTUNE_TRY(step.addPrefixSpace, boolField(json, "add_prefix_space", true, where));
    RENTUNE_TRY(const bool useRegex, boolField(json, "use_regex", true, where));
    if (useRegex) {
        RENTUNE_TRY(Pattern words, Pattern::compile(gpt2Words, where));
        step.words = std::move(words);
    }
    return Step(std::move(step));
}

Result<PreTokenizer::Step> PreTokenizer::parseSplit(const SortedJson &json, const std::string &where)
{
    RENTUNE_TRY(Pattern pattern, patternField(json, where));
    RENTUNE_TRY(const SplitBehavior behavior, behaviorField(json, "", where));
    RENTUNE_TRY(const bool invert, boolField(json, "invert", false, where));
    return Step(Split{std::move(pattern), behavior, invert});
}

Result<PreTokenizer::Step> PreTokenizer::parseDigits(const SortedJson &json, const std::string &where)
{
    RENTUNE_TRY(const bool each, boolField(json, "individual_digits", false, where));
    RENTUNE_TRY(Pattern digit, Pattern::compile("\\p{N}", where));
    return Step(Split{std::move(digit), each ? SplitBehavior::Isolated : SplitBehavior::Contiguous, false});
}

Result<PreTokenizer::Step> PreTokenizer::parsePunctuation(const SortedJson &json, const std::string &where)
{
    RENTUNE_TRY(const SplitBehavior behavior, behaviorField(json, "Isolated", where));
    RENTUNE_TRY(Pattern mark, Pattern::compile("[\\p{P}$+<=>^`|~]", where)); // and ASCII's symbols
    return Step(Split{std::move(mark), behavior, false});
}

Result<void> PreTokenizer::append(const SortedJson &json, const std::string &where, int depth)
{
    RENTUNE_TRY(const std::string kind, kindField(json, where));
    if (kind == "Sequence") {
        const auto parts = json.find("pretokenizers");
        if (depth >= maxNesting || parts == json.end() || !parts->is_array())
            return Error{ErrorCode::TokenizerFormat,
                         fmt::format("{}: a Sequence without \"pretokenizers\"", where)};
        for (size_t i = 0; i < parts->size(); ++i)
            RENTUNE_CHECK(append((*parts)[i], fmt::format("{}.pretokenizers[{}]", where, i), depth + 1));
        return {};
    }
    using Parse = Result<Step> (*)(const SortedJson &, const std::string &);
    const Parse parseStep = kind == "ByteLevel"     ? parseByteLevel
                            : kind == "Split"       ? parseSplit
                            : kind == "Digits"      ? parseDigits
                            : kind == "Punctuation" ? parsePunctuation
                                                    : nullptr;
    if (!parseStep)
        return Error{
            ErrorCode::TokenizerUnsupported,
            fmt::format("{}: pre-tokenizer {} is not supported (ByteLevel, Split, Digits, Punctuation and "
                        "Sequence are)",
                        where, kind)};
    RENTUNE_TRY(Step step, parseStep(json, where));
    m_steps.push_back(std::move(step));
    return {};
}

Result<PreTokenizer> PreTokenizer::parse(const SortedJson &json, const std::string &where)
{
    PreTokenizer result;
    if (!json.is_null())
        RENTUNE_CHECK(result.append(json, where, 0));
    return result;
}

bool PreTokenizer::writesBytes() const
{
    for (const Step &step : m_steps) {
        if (std::holds_alternative<ByteLevel>(step))
            return true;
    }
    return false;
}

Pieces PreTokenizer::split(std::string_view text) const
{
    Pieces pieces{std::string(text), {}};
    if (!text.empty())
        pieces.spans.push_back({0, text.size()});
    for (const Step &step : m_steps) {
        if (const auto *split = std::get_if<Split>(&step)) {
            pieces.spans = splitSpans(pieces, split->pattern, split->behavior, split->invert);
            continue;
        }
        const auto &byteLevel = std::get<ByteLevel>(step);
        if (byteLevel.addPrefixSpace)
            pieces = rewrite(pieces, [](std::string &out, std::string_view piece) {
                if (!piece.starts_with(' '))
                    out += ' ';
                out += piece;
            });
        if (byteLevel.words)
            pieces.spans = splitSpans(pieces, *byteLevel.words, SplitBehavior::Isolated, false);
        pieces = rewrite(pieces, appendByteLevel);
    }
    return pieces;
}

} // namespace rentune::text
