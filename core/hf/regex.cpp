// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/core.h>
#include <pcre2.h>

namespace rentune::hf {

struct Regex::Code
{
    std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> compiled;
    std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> limits;
};

Result<Regex> Regex::compile(const std::string &pattern)
{
    constexpr uint32_t matchLimit = 100'000; // steps; a module path needs a few hundred
    int error = 0;
    size_t offset = 0;
    pcre2_code *code =
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                      PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_UTF, &error, &offset, nullptr);
    if (!code) {
        PCRE2_UCHAR reason[256] = {};
        pcre2_get_error_message(error, reason, sizeof reason);
        return Error{ErrorCode::AdapterConfig,
                     fmt::format("\"{}\" is not a regular expression: {} at character {}", pattern,
                                 reinterpret_cast<const char *>(reason), offset)};
    }
    auto shared = std::make_shared<Code>(
        Code{{code, &pcre2_code_free}, {pcre2_match_context_create(nullptr), &pcre2_match_context_free}});
    pcre2_set_match_limit(shared->limits.get(), matchLimit);
    return Regex(std::move(shared));
}

bool Regex::matchesWhole(std::string_view text) const
{
    const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
        pcre2_match_data_create_from_pattern(m_code->compiled.get(), nullptr), &pcre2_match_data_free);
    return pcre2_match(m_code->compiled.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, 0,
                       data.get(), m_code->limits.get()) >= 0;
}

} // namespace rentune::hf
