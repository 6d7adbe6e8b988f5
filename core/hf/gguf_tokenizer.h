// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/hf/gguf_file.h"

namespace rentune::hf {

/// The ids a GGUF names; nothing where it names none.
struct GgufSpecialTokens
{
    std::optional<int64_t> bos;
    std::optional<int64_t> eos;
    std::optional<int64_t> eot; ///< end of a turn, where it is not eos
    std::optional<int64_t> pad;
    std::optional<int64_t> unknown;
};

/// Errors: gguf.format (an id beyond the vocabulary).
Result<GgufSpecialTokens> readSpecialTokens(const GgufFile &gguf);

/// tokenizer.json with the pre-tokenizer that tokenizer.ggml.pre names. Errors: gguf.unsupported (a tokenizer
/// other than byte-level BPE, an unknown pre-tokenizer, by name), gguf.format (vocabulary and merges that do
/// not agree).
Result<Json> tokenizerJson(const GgufFile &gguf);

/// tokenizer_config.json with the chat template. Precondition: tokenizerJson and readSpecialTokens accepted
/// the file.
Json tokenizerConfigJson(const GgufFile &gguf, const GgufSpecialTokens &special);

} // namespace rentune::hf
