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

Normalized Normalizer::applyWithSource(std::string_view text) const
{
    Normalized result;
    result.text = apply(text);
    result.m_sourceSize = text.size();
    if (result.text == text)
        return result;
    // No normal form joins an ASCII character to what stands before it: the text may be cut there.
    size_t position = 0;
    for (size_t begin = 0; begin < text.size();) {
        size_t end = begin + 1;
        while (end < text.size() && static_cast<unsigned char>(text[end]) >= 0x80)
            ++end;
        result.m_anchors.push_back({position, begin});
        position += apply(text.substr(begin, end - begin)).size();
        begin = end;
    }
    return result;
}

size_t Normalized::toSource(size_t position) const
{
    if (m_anchors.empty())
        return std::min(position, m_sourceSize);
    const auto next = std::upper_bound(m_anchors.begin(), m_anchors.end(), position,
                                       [](size_t p, const Anchor &anchor) { return p < anchor.position; });
    const Anchor &anchor = *std::prev(next); // the first anchor is at 0
    const size_t limit = next == m_anchors.end() ? m_sourceSize : next->source;
    return position >= text.size() ? m_sourceSize
                                   : std::min(anchor.source + (position - anchor.position), limit);
}

} // namespace rentune::text
