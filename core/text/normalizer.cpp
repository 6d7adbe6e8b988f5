// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/normalizer.h"

#include "core/text/json_fields.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

namespace rentune::text {
namespace {

constexpr int maxNesting = 16;

struct Free
{
    void operator()(utf8proc_uint8_t *p) const { std::free(p); }
};

} // namespace

Result<void> Normalizer::append(const SortedJson &json, const std::string &where, int depth)
{
    static const std::map<std::string, Form> forms = {
        {"NFC", Form::Nfc}, {"NFD", Form::Nfd}, {"NFKC", Form::Nfkc}, {"NFKD", Form::Nfkd}};
    RENTUNE_TRY(const std::string kind, kindField(json, where));
    if (kind == "Sequence") {
        const auto parts = json.find("normalizers");
        if (depth >= maxNesting || parts == json.end() || !parts->is_array())
            return Error{ErrorCode::TokenizerFormat,
                         fmt::format("{}: a Sequence without \"normalizers\"", where)};
        for (size_t i = 0; i < parts->size(); ++i)
            RENTUNE_CHECK(append((*parts)[i], fmt::format("{}.normalizers[{}]", where, i), depth + 1));
        return {};
    }
    const auto form = forms.find(kind);
    if (form == forms.end())
        return Error{ErrorCode::TokenizerUnsupported,
                     fmt::format("{}: normalizer {} is not supported (NFC, NFD, NFKC, NFKD and Sequence are)",
                                 where, kind)};
    m_forms.push_back(form->second);
    return {};
}

Result<Normalizer> Normalizer::parse(const SortedJson &json, const std::string &where)
{
    Normalizer result;
    if (!json.is_null())
        RENTUNE_CHECK(result.append(json, where, 0));
    return result;
}

std::string Normalizer::toForm(const std::string &text, Form form)
{
    int options = UTF8PROC_STABLE;
    options |= form == Form::Nfc || form == Form::Nfkc ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
    if (form == Form::Nfkc || form == Form::Nfkd)
        options |= UTF8PROC_COMPAT;
    utf8proc_uint8_t *mapped = nullptr;
    const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t *>(text.data()),
                                               static_cast<utf8proc_ssize_t>(text.size()), &mapped,
                                               static_cast<utf8proc_option_t>(options));
    const std::unique_ptr<utf8proc_uint8_t, Free> owner(mapped);
    if (size < 0) // only memory can run out: the text is UTF-8
        return text;
    return {reinterpret_cast<const char *>(mapped), static_cast<size_t>(size)};
}

std::string Normalizer::apply(std::string_view text) const
{
    std::string result(text);
    const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (std::all_of(text.begin(), text.end(), ascii))
        return result;
    for (const Form form : m_forms)
        result = toForm(result, form);
    return result;
}

} // namespace rentune::text
