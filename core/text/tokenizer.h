// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/text/span.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rentune::text {

using TokenId = int32_t;

/// How added tokens ("<|im_end|>") that occur in the text are read.
enum class AddedTokens
{
    Match, ///< as their ids, like Hugging Face tokenizers
    AsText ///< as ordinary text: content never smuggles control tokens in
};

/// Ids and, for each, the bytes of the text it stands for.
struct Encoding
{
    std::vector<TokenId> ids;
    std::vector<Span> spans;
    std::vector<bool> added; ///< the id is an added token that was matched in the text

    void append(TokenId id, Span span, bool isAdded)
    {
        ids.push_back(id);
        spans.push_back(span);
        added.push_back(isAdded);
    }
};

/// A tokenizer.json (byte-level and SentencePiece-style BPE). Immutable, thread-safe.
class Tokenizer
{
public:
    /// Reads DIR/tokenizer.json and, where present, tokenizer_config.json. Errors: tokenizer.format,
    /// tokenizer.unsupported (model, normalizer, pre-tokenizer or decoder kind, by name), file.*.
    static Result<Tokenizer> load(const std::filesystem::path &folder);

    /// Ids as Hugging Face's encode(text, add_special_tokens=False). `text` must be UTF-8.
    std::vector<TokenId> encode(std::string_view text, AddedTokens added = AddedTokens::Match) const;
    /// The same with spans; added tokens are not matched where they touch one of `literal` (ordered,
    /// disjoint). Spans are exact up to a normalized cluster; a blank that the tokenizer puts in front
    /// belongs to no byte.
    Encoding encodeWithSpans(std::string_view text, std::span<const Span> literal = {}) const;
    /// Text as decode(ids, skip_special_tokens=False), no clean-up; broken UTF-8 becomes U+FFFD. Unknown ids
    /// are skipped.
    std::string decode(std::span<const TokenId> ids) const;

    int64_t vocabSize() const; ///< largest id + 1
    std::optional<TokenId> idOf(std::string_view token) const;
    std::optional<TokenId> eosId() const; ///< of tokenizer_config.json's eos_token
    std::optional<TokenId> padId() const;
    std::string_view eosToken() const; ///< "" if none
    std::string_view bosToken() const;
    const std::vector<std::string> &addedTokens() const; ///< contents, for listing control-token text in data

private:
    struct Impl;
    explicit Tokenizer(std::shared_ptr<const Impl> impl);
    std::shared_ptr<const Impl> m_impl;
};

} // namespace rentune::text
