// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/normalizer.h"

#include "core/text/json_fields.h"
#include "core/text/pattern.h"
#include "core/text/utf8.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

namespace rentune::text {
namespace {

struct Free
{
    void operator()(utf8proc_uint8_t *p) const { std::free(p); }
};

std::string inForm(std::string_view text, int options)
{
    utf8proc_uint8_t *mapped = nullptr;
    const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t *>(text.data()),
                                               static_cast<utf8proc_ssize_t>(text.size()), &mapped,
                                               static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE));
    const std::unique_ptr<utf8proc_uint8_t, Free> owner(mapped);
    if (size < 0) // only memory can run out: the text is UTF-8
        return std::string(text);
    return {reinterpret_cast<const char *>(mapped), static_cast<size_t>(size)};
}

bool isAscii(char c)
{
    return static_cast<unsigned char>(c) < 0x80;
}

/// No normal form joins an ASCII character to what stands before it: the text may be cut there.
AlignedText toForm(const AlignedText &from, int options)
{
    const std::string &text = from.text();
    if (std::all_of(text.begin(), text.end(), isAscii) || inForm(text, options) == text)
        return from;
    AlignedWriter writer(from);
    for (size_t begin = 0; begin < text.size();) {
        size_t end = begin + 1;
        while (end < text.size() && !isAscii(text[end]))
            ++end;
        writer.rewrite(inForm(from.view({begin, end}), options), {begin, end});
        begin = end;
    }
    return std::move(writer).finish();
}

AlignedText prepend(const AlignedText &from, const std::string &prefix)
{
    if (from.text().empty())
        return from;
    AlignedWriter writer(from);
    writer.put(prefix, 0);
    writer.keep({0, from.text().size()});
    return std::move(writer).finish();
}

AlignedText replace(const AlignedText &from, const Pattern &pattern, const std::string &content)
{
    const std::vector<Span> matches = pattern.findAll(from.text());
    if (matches.empty())
        return from;
    AlignedWriter writer(from);
    size_t end = 0;
    for (const Span &match : matches) {
        writer.keep({end, match.begin});
        writer.put(content, match.begin);
        end = match.end;
    }
    writer.keep({end, from.text().size()});
    return std::move(writer).finish();
}

/// Every character replaced by `map(character)`, which gives UTF-8.
template <typename Map>
AlignedText mapCharacters(const AlignedText &from, const Map &map)
{
    AlignedWriter writer(from);
    for (size_t begin = 0, end = 0; begin < from.text().size(); begin = end) {
        const char32_t c = nextCodePoint(from.text(), end);
        writer.rewrite(map(c, from.view({begin, end})), {begin, end});
    }
    return std::move(writer).finish();
}

std::string lowered(char32_t c, std::string_view)
{
    if (c == 0x130) // the one character whose lower case is two
        return "i\xCC\x87";
    utf8proc_uint8_t bytes[4];
    const utf8proc_ssize_t size =
        utf8proc_encode_char(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)), bytes);
    return {reinterpret_cast<const char *>(bytes), static_cast<size_t>(size)};
}

AlignedText strip(const AlignedText &from, bool left, bool right)
{
    Span kept{0, from.text().size()};
    for (size_t next = 0; left && kept.begin < kept.end; kept.begin = next) {
        if (!isWhiteSpace(nextCodePoint(from.text(), next)))
            break;
    }
    while (right && kept.begin < kept.end) {
        const size_t previous = previousPosition(from.text(), kept.end);
        size_t position = previous;
        if (!isWhiteSpace(nextCodePoint(from.text(), position)))
            break;
        kept.end = previous;
    }
    return from.slice(kept);
}

} // namespace

Result<Normalizer::Step> Normalizer::parseStep(const std::string &kind, const SortedJson &json,
                                               const std::string &where)
{
    static const std::map<std::string, int> forms = {{"NFC", UTF8PROC_COMPOSE},
                                                     {"NFD", UTF8PROC_DECOMPOSE},
                                                     {"NFKC", UTF8PROC_COMPOSE | UTF8PROC_COMPAT},
                                                     {"NFKD", UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT}};
    if (const auto form = forms.find(kind); form != forms.end())
        return Step([options = form->second](const AlignedText &text) { return toForm(text, options); });
    if (kind == "Prepend") {
        RENTUNE_TRY(const std::string prefix, stringField(json, "prepend", "", where));
        return Step([prefix](const AlignedText &text) { return prepend(text, prefix); });
    }
    if (kind == "Replace") {
        RENTUNE_TRY(const Pattern pattern, patternField(json, where));
        RENTUNE_TRY(const std::string content, stringField(json, "content", "", where));
        return Step([pattern, content](const AlignedText &text) { return replace(text, pattern, content); });
    }
    if (kind == "Strip") {
        RENTUNE_TRY(const bool left, boolField(json, "strip_left", true, where));
        RENTUNE_TRY(const bool right, boolField(json, "strip_right", true, where));
        return Step([left, right](const AlignedText &text) { return strip(text, left, right); });
    }
    if (kind == "Lowercase")
        return Step([](const AlignedText &text) { return mapCharacters(text, lowered); });
    return Error{
        ErrorCode::TokenizerUnsupported,
        fmt::format("{}: normalizer {} is not supported (NFC, NFD, NFKC, NFKD, Prepend, Replace, Lowercase, "
                    "Strip and Sequence are)",
                    where, kind)};
}

Result<Normalizer> Normalizer::parse(const SortedJson &json, const std::string &where)
{
    Normalizer result;
    RENTUNE_CHECK(forEachPart(
        json, "normalizers", where,
        [&](const std::string &kind, const SortedJson &part, const std::string &at) -> Result<void> {
            RENTUNE_TRY(Step step, parseStep(kind, part, at));
            result.m_steps.push_back(std::move(step));
            return {};
        }));
    return result;
}

AlignedText Normalizer::apply(AlignedText text) const
{
    for (const Step &step : m_steps)
        text = step(text);
    return text;
}

} // namespace rentune::text
