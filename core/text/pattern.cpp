// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/pattern.h"

#include "core/text/json_fields.h"
#include "core/text/unicode_additions.h"

#include <fmt/format.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <optional>

namespace rentune::text {
namespace {

constexpr size_t jitStackStart = 32 * 1024;
constexpr size_t jitStackMost = 16 * 1024 * 1024;

struct Free
{
    void operator()(pcre2_code *p) const { pcre2_code_free(p); }
    void operator()(pcre2_match_data *p) const { pcre2_match_data_free(p); }
    void operator()(pcre2_match_context *p) const { pcre2_match_context_free(p); }
    void operator()(pcre2_jit_stack *p) const { pcre2_jit_stack_free(p); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

/// What one thread needs for matching; compiled patterns are shared, this is not.
struct Scratch
{
    Owned<pcre2_match_data> match{pcre2_match_data_create(1, nullptr)};
    Owned<pcre2_match_context> context{pcre2_match_context_create(nullptr)};
    Owned<pcre2_jit_stack> stack{pcre2_jit_stack_create(jitStackStart, jitStackMost, nullptr)};

    Scratch() { pcre2_jit_stack_assign(context.get(), nullptr, stack.get()); }
};

std::string pcreMessage(int code)
{
    std::array<unsigned char, 256> text{};
    pcre2_get_error_message(code, text.data(), text.size());
    return reinterpret_cast<const char *>(text.data());
}

/// The expression in PCRE2's terms. The reference's engine (Oniguruma, Ruby syntax) takes `\s` as
/// White_Space, which PCRE2's own `\s` is not (U+180E), and `\h` as a hexadecimal digit; it also knows class
/// intersections (`&&`), which PCRE2 would misread.
Result<std::string> translate(const std::string &expression, const std::string &where)
{
    if (expression.find("&&") != std::string::npos)
        return Error{ErrorCode::TokenizerUnsupported,
                     fmt::format("{}: class intersections (&&) in a pattern are not supported", where)};
    std::string out;
    for (size_t i = 0; i < expression.size(); ++i) {
        if (expression[i] != '\\' || i + 1 == expression.size()) {
            out += expression[i];
            continue;
        }
        const char escaped = expression[++i];
        if (escaped == 's')
            out += "\\p{White_Space}";
        else if (escaped == 'S')
            out += "\\P{White_Space}";
        else if (escaped == 'h' || escaped == 'H')
            return Error{ErrorCode::TokenizerUnsupported,
                         fmt::format("{}: \\{} in a pattern is not supported", where, escaped)};
        else
            out.append({'\\', escaped});
    }
    return out;
}

} // namespace

struct Pattern::Code
{
    Owned<pcre2_code> code;
    std::string literal; ///< what is looked for if there is no code

    /// The next non-empty match at or behind `from`.
    std::optional<Span> next(std::string_view text, size_t from) const
    {
        if (!code) {
            const size_t at = literal.empty() ? std::string_view::npos : text.find(literal, from);
            if (at == std::string_view::npos)
                return std::nullopt;
            return Span{at, at + literal.size()};
        }
        thread_local Scratch scratch;
        const int found =
            pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                        PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY, scratch.match.get(), scratch.context.get());
        if (found < 0)
            return std::nullopt;
        const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(scratch.match.get());
        if (offsets[1] <= offsets[0] || offsets[0] < from) // \K can turn a match inside out
            return std::nullopt;
        return Span{offsets[0], offsets[1]};
    }
};

Pattern::Pattern(std::shared_ptr<const Code> code) : m_code(std::move(code)) {}

Pattern Pattern::literal(std::string_view text)
{
    return Pattern(std::make_shared<const Code>(Code{nullptr, std::string(text)}));
}

Result<Pattern> Pattern::compile(const std::string &expression, const std::string &where)
{
    RENTUNE_TRY(const std::string translated, translate(expression, where));
    int code = 0;
    PCRE2_SIZE offset = 0;
    Owned<pcre2_code> compiled(pcre2_compile(
        reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
        PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &code, &offset, nullptr));
    if (!compiled)
        return Error{ErrorCode::TokenizerFormat, fmt::format("{}: pattern \"{}\" cannot be read: {}", where,
                                                             expression, pcreMessage(code))};
    pcre2_jit_compile(compiled.get(), PCRE2_JIT_COMPLETE); // without it the interpreter matches, only slower
    return Pattern(std::make_shared<const Code>(Code{std::move(compiled), {}}));
}

std::vector<Span> Pattern::findAll(std::string_view text) const
{
    const std::optional<std::string> older = m_code->code ? withOlderCharacters(text) : std::nullopt;
    const std::string_view subject = older ? std::string_view(*older) : text;
    std::vector<Span> matches;
    size_t from = 0;
    while (from < subject.size()) {
        const std::optional<Span> match = m_code->next(subject, from);
        if (!match)
            break;
        matches.push_back(*match);
        from = match->end;
    }
    return matches;
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

} // namespace rentune::text
