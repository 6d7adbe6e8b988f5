// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <string>

namespace rentune::text {

/// SentencePiece's way of writing blanks as a visible sign: options of the pre-tokenizer and the decoder.
struct Metaspace
{
    enum class Prepend
    {
        Always, ///< every stretch of text begins with the sign
        First,  ///< the text does
        Never
    };

    std::string replacement = "\xE2\x96\x81"; ///< ▁
    Prepend prepend = Prepend::Always;
    bool split = true; ///< a new word at every sign

    /// Also the older spelling, add_prefix_space. Errors: tokenizer.format.
    static Result<Metaspace> parse(const SortedJson &json, const std::string &where);
};

} // namespace rentune::text
