// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/token_decoder.h"

#include "core/text/byte_level.h"
#include "core/text/json_fields.h"
#include "core/text/metaspace.h"
#include "core/text/pattern.h"
#include "core/text/utf8.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rentune::text {
namespace {

constexpr std::string_view broken = "\xEF\xBF\xBD"; // U+FFFD

using Tokens = std::vector<std::string>;

void byteLevel(Tokens &tokens)
{
    std::string bytes;
    for (const std::string &token : tokens)
        bytes += bytesOfByteLevel(token).value_or(token);
    tokens = {replaceInvalidUtf8(std::move(bytes))};
}

/// A run of byte tokens is its text, or one U+FFFD a byte if it is none.
std::string textOfBytes(const std::string &bytes)
{
    if (replaceInvalidUtf8(bytes) == bytes)
        return bytes;
    std::string text;
    for (size_t i = 0; i < bytes.size(); ++i)
        text += broken;
    return text;
}

void byteFallback(Tokens &tokens)
{
    Tokens result;
    std::string bytes;
    const auto flush = [&] {
        if (!bytes.empty())
            result.push_back(textOfBytes(bytes));
        bytes.clear();
    };
    for (std::string &token : tokens) {
        if (const auto byte = byteOfToken(token)) {
            bytes += static_cast<char>(*byte);
            continue;
        }
        flush();
        result.push_back(std::move(token));
    }
    flush();
    tokens = std::move(result);
}

void replaceAll(Tokens &tokens, const Pattern &pattern, const std::string &content)
{
    for (std::string &token : tokens) {
        std::string result;
        size_t end = 0;
        for (const Span &match : pattern.findAll(token)) {
            result += token.substr(end, match.begin - end) + content;
            end = match.end;
        }
        token = result + token.substr(end);
    }
}

/// Takes up to `start` times `content` from the front of every token and up to `stop` times from its end.
void stripAll(Tokens &tokens, const std::string &content, int64_t start, int64_t stop)
{
    for (std::string &token : tokens) {
        for (int64_t i = 0; i < start && token.starts_with(content); ++i)
            token.erase(0, content.size());
        for (int64_t i = 0; i < stop && token.ends_with(content); ++i)
            token.resize(token.size() - content.size());
    }
}

/// Blanks for the sign; in the first token it was put in front and goes.
void metaspace(Tokens &tokens, const Metaspace &options)
{
    for (size_t i = 0; i < tokens.size(); ++i) {
        const bool drop = i == 0 && options.prepend != Metaspace::Prepend::Never;
        std::string result;
        const std::string &token = tokens[i];
        for (size_t begin = 0; begin < token.size();) {
            const size_t found = token.find(options.replacement, begin);
            result += token.substr(begin, found - begin);
            if (found == std::string::npos)
                break;
            result += drop ? "" : " ";
            begin = found + options.replacement.size();
        }
        tokens[i] = result;
    }
}

Result<int64_t> countField(const SortedJson &json, const char *key, const std::string &where)
{
    const auto value = json.find(key);
    if (value == json.end() || !value->is_number_unsigned() || *value > (1 << 20))
        return Error{ErrorCode::TokenizerFormat,
                     fmt::format("{}: \"{}\" must be a whole number", where, key)};
    return value->get<int64_t>();
}

} // namespace

Result<TokenDecoder::Step> TokenDecoder::parseStep(const std::string &kind, const SortedJson &json,
                                                   const std::string &where)
{
    if (kind == "ByteLevel")
        return Step(byteLevel);
    if (kind == "ByteFallback")
        return Step(byteFallback);
    if (kind == "Fuse")
        return Step([](Tokens &tokens) { tokens = {fmt::format("{}", fmt::join(tokens, ""))}; });
    if (kind == "Replace") {
        RENTUNE_TRY(const Pattern pattern, patternField(json, where));
        RENTUNE_TRY(const std::string content, stringField(json, "content", "", where));
        return Step([=](Tokens &tokens) { replaceAll(tokens, pattern, content); });
    }
    if (kind == "Strip") {
        RENTUNE_TRY(const std::string content, stringField(json, "content", "", where));
        RENTUNE_TRY(const int64_t start, countField(json, "start", where));
        RENTUNE_TRY(const int64_t stop, countField(json, "stop", where));
        if (content.empty())
            return Error{ErrorCode::TokenizerFormat, fmt::format("{}: no \"content\"", where)};
        return Step([=](Tokens &tokens) { stripAll(tokens, content, start, stop); });
    }
    if (kind == "Metaspace") {
        RENTUNE_TRY(const Metaspace options, Metaspace::parse(json, where));
        return Step([=](Tokens &tokens) { metaspace(tokens, options); });
    }
    return Error{
        ErrorCode::TokenizerUnsupported,
        fmt::format(
            "{}: decoder {} is not supported (ByteLevel, ByteFallback, Replace, Strip, Metaspace, Fuse "
            "and Sequence are)",
            where, kind)};
}

Result<TokenDecoder> TokenDecoder::parse(const SortedJson &json, const std::string &where)
{
    TokenDecoder result;
    result.m_between = json.is_null() ? " " : "";
    RENTUNE_CHECK(forEachPart(
        json, "decoders", where,
        [&](const std::string &kind, const SortedJson &part, const std::string &at) -> Result<void> {
            RENTUNE_TRY(Step step, parseStep(kind, part, at));
            result.m_steps.push_back(std::move(step));
            return {};
        }));
    return result;
}

std::string TokenDecoder::decode(std::vector<std::string> tokens) const
{
    for (const Step &step : m_steps)
        step(tokens);
    return replaceInvalidUtf8(fmt::format("{}", fmt::join(tokens, m_between)));
}

} // namespace rentune::text
