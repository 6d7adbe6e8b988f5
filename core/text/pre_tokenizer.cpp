// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/pre_tokenizer.h"

#include "core/text/byte_level.h"
#include "core/text/json_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

namespace rentune::text {
namespace {

/// How GPT-2's tokenizer cuts words: what ByteLevel with use_regex means.
constexpr const char *gpt2Words =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

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
    for (const Span &piece : pieces.spans)
        for (const Span &part : arrange(partsOf(pieces.text.view(piece), pattern, invert), behavior))
            spans.push_back({piece.begin + part.begin, piece.begin + part.end});
    return spans;
}

/// Every piece rewritten by `write(writer, piece)`.
template <typename Write>
Pieces rewrite(const Pieces &pieces, const Write &write)
{
    AlignedWriter writer(pieces.text);
    std::vector<Span> spans;
    spans.reserve(pieces.spans.size());
    for (const Span &piece : pieces.spans) {
        const size_t begin = writer.size();
        write(writer, piece);
        spans.push_back({begin, writer.size()});
    }
    return {std::move(writer).finish(), std::move(spans)};
}

/// Puts `prefix` in front of every piece that does not begin with it and that `wanted` accepts.
template <typename Wanted>
Pieces prefixed(const Pieces &pieces, const std::string &prefix, const Wanted &wanted)
{
    return rewrite(pieces, [&](AlignedWriter &writer, Span piece) {
        if (wanted(piece) && !pieces.text.view(piece).starts_with(prefix))
            writer.put(prefix, piece.begin);
        writer.keep(piece);
    });
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

Result<PreTokenizer::Step> PreTokenizer::parseMetaspace(const SortedJson &json, const std::string &where)
{
    RENTUNE_TRY(Metaspace step, Metaspace::parse(json, where));
    return Step(std::move(step));
}

Result<PreTokenizer::Step> PreTokenizer::parseWhitespaceSplit(const SortedJson &, const std::string &where)
{
    RENTUNE_TRY(Pattern blank, Pattern::compile("\\s", where));
    return Step(Split{std::move(blank), SplitBehavior::Removed, false});
}

Result<PreTokenizer::Step> PreTokenizer::parseCharDelimiterSplit(const SortedJson &json,
                                                                 const std::string &where)
{
    RENTUNE_TRY(const std::string delimiter, stringField(json, "delimiter", "", where));
    if (delimiter.empty())
        return Error{ErrorCode::TokenizerFormat, fmt::format("{}: no \"delimiter\"", where)};
    return Step(Split{Pattern::literal(delimiter), SplitBehavior::Removed, false});
}

Result<PreTokenizer::Step> PreTokenizer::parseStep(const std::string &kind, const SortedJson &json,
                                                   const std::string &where)
{
    using Parse = Result<Step> (*)(const SortedJson &, const std::string &);
    static const std::map<std::string, Parse> kinds = {{"ByteLevel", parseByteLevel},
                                                       {"Metaspace", parseMetaspace},
                                                       {"Split", parseSplit},
                                                       {"Digits", parseDigits},
                                                       {"Punctuation", parsePunctuation},
                                                       {"WhitespaceSplit", parseWhitespaceSplit},
                                                       {"CharDelimiterSplit", parseCharDelimiterSplit}};
    const auto found = kinds.find(kind);
    if (found == kinds.end()) {
        std::vector<std::string> names;
        for (const auto &[name, parse] : kinds)
            names.push_back(name);
        return Error{ErrorCode::TokenizerUnsupported,
                     fmt::format("{}: pre-tokenizer {} is not supported ({} and Sequence are)", where, kind,
                                 fmt::join(names, ", "))};
    }
    return found->second(json, where);
}

Result<PreTokenizer> PreTokenizer::parse(const SortedJson &json, const std::string &where)
{
    PreTokenizer result;
    RENTUNE_CHECK(forEachPart(
        json, "pretokenizers", where,
        [&](const std::string &kind, const SortedJson &part, const std::string &at) -> Result<void> {
            RENTUNE_TRY(Step step, parseStep(kind, part, at));
            result.m_steps.push_back(std::move(step));
            return {};
        }));
    return result;
}

Pieces PreTokenizer::apply(const Split &step, Pieces pieces, bool)
{
    pieces.spans = splitSpans(pieces, step.pattern, step.behavior, step.invert);
    return pieces;
}

Pieces PreTokenizer::apply(const ByteLevel &step, Pieces pieces, bool)
{
    if (step.addPrefixSpace)
        pieces = prefixed(pieces, " ", [](Span) { return true; });
    if (step.words)
        pieces.spans = splitSpans(pieces, *step.words, SplitBehavior::Isolated, false);
    return rewrite(pieces, [&](AlignedWriter &writer, Span piece) {
        for (size_t i = piece.begin; i < piece.end; ++i) {
            const auto byte = static_cast<unsigned char>(pieces.text.text()[i]);
            writer.put(utf8OfByte(byte), i);
        }
    });
}

Pieces PreTokenizer::apply(const Metaspace &step, Pieces pieces, bool first)
{
    pieces = rewrite(pieces, [&](AlignedWriter &writer, Span piece) {
        for (size_t begin = piece.begin; begin < piece.end;) {
            const size_t blank = std::min(pieces.text.text().find(' ', begin), piece.end);
            writer.keep({begin, blank});
            if (blank < piece.end)
                writer.put(step.replacement, blank);
            begin = blank + 1;
        }
    });
    if (step.prepend != Metaspace::Prepend::Never)
        pieces = prefixed(pieces, step.replacement, [&](Span piece) {
            return step.prepend == Metaspace::Prepend::Always || (first && piece.begin == 0);
        });
    if (step.split)
        pieces.spans =
            splitSpans(pieces, Pattern::literal(step.replacement), SplitBehavior::MergedWithNext, false);
    return pieces;
}

Pieces PreTokenizer::split(AlignedText text, bool first) const
{
    Pieces pieces{std::move(text), {}};
    if (!pieces.text.text().empty())
        pieces.spans.push_back({0, pieces.text.text().size()});
    for (const Step &step : m_steps)
        pieces = std::visit([&](const auto &each) { return apply(each, std::move(pieces), first); }, step);
    return pieces;
}

} // namespace rentune::text
