// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace rentune::text {

/// Unicode normal forms: the `normalizer` of tokenizer.json. Immutable, thread-safe.
class Normalizer
{
public:
    /// Reads null, NFC, NFD, NFKC, NFKD and Sequence. Errors: tokenizer.unsupported (another kind, by name),
    /// tokenizer.format.
    static Result<Normalizer> parse(const SortedJson &json, const std::string &where);

    /// `text` must be UTF-8.
    std::string apply(std::string_view text) const;

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
