// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace rentune::text {

/// A normalized text and where its bytes come from.
class Normalized
{
public:
    std::string text;

    /// The byte of the source that `position` of `text` stands for; exact at ASCII characters, at most one
    /// cluster off elsewhere.
    size_t toSource(size_t position) const;

private:
    friend class Normalizer;
    struct Anchor
    {
        size_t position;
        size_t source;
    };
    std::vector<Anchor> m_anchors; ///< ascending; empty if the text is the source
    size_t m_sourceSize = 0;
};

/// Unicode normal forms: the `normalizer` of tokenizer.json. Immutable, thread-safe.
class Normalizer
{
public:
    /// Reads null, NFC, NFD, NFKC, NFKD and Sequence. Errors: tokenizer.unsupported (another kind, by name),
    /// tokenizer.format.
    static Result<Normalizer> parse(const SortedJson &json, const std::string &where);

    /// `text` must be UTF-8.
    std::string apply(std::string_view text) const;
    Normalized applyWithSource(std::string_view text) const;

private:
    enum class Form
    {
        Nfc,
        Nfd,
        Nfkc,
        Nfkd
    };

    Result<void> append(const SortedJson &json, const std::string &where, int depth);
    static std::string toForm(const std::string &text, Form form);

    std::vector<Form> m_forms;
};

} // namespace rentune::text
