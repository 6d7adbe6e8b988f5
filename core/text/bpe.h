// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/text/byte_level.h"
#include "core/text/tokenizer.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rentune::text {

/// Words already merged, kept up to a bound. Thread-safe.
class WordCache;

/// A token of a word and the bytes of the word that it stands for.
struct BpeToken
{
    TokenId id;
    Span span;
};

/// Byte-pair encoding: the `model` of tokenizer.json. Thread-safe.
class Bpe
{
public:
    /// Errors: tokenizer.unsupported (another model, dropout, affixes), tokenizer.format.
    static Result<Bpe> parse(const SortedJson &json, const std::string &where);
    Bpe(Bpe &&) noexcept;
    Bpe &operator=(Bpe &&) noexcept;
    ~Bpe();

    /// The tokens of one word. A character without a token becomes the tokens of its bytes if the model falls
    /// back to them, else the unknown token or, without one, nothing. O(n log n) in the word's length.
    std::vector<BpeToken> encode(std::string_view word) const;

    const std::unordered_map<std::string, TokenId> &vocab() const { return m_vocab; }

private:
    struct Merge
    {
        uint32_t rank;
        TokenId result;
    };

    Bpe();
    Result<void> readOptions(const SortedJson &json, const std::string &where);
    Result<void> readVocab(const SortedJson &json, const std::string &where);
    Result<void> readMerges(const SortedJson &json, const std::string &where);
    Result<void> addMerge(const SortedJson &merge, uint32_t rank, const std::string &where);
    const Merge *findMerge(TokenId left, TokenId right) const;
    TokenId idOfCharacter(char32_t character, std::string_view bytes) const; ///< −1 if it has none
    bool appendBytes(std::string_view bytes, size_t begin, std::vector<BpeToken> &tokens) const;
    std::vector<BpeToken> symbols(std::string_view word) const;
    std::vector<BpeToken> merged(std::vector<BpeToken> tokens) const;

    std::unordered_map<std::string, TokenId> m_vocab;
    std::unordered_map<uint64_t, Merge> m_merges;     ///< by left << 32 | right
    std::array<TokenId, byteLevelEnd> m_characters{}; ///< id of each single character, −1 if it has none
    std::array<TokenId, 256> m_bytes{};               ///< of each byte's token, −1 if there is none
    TokenId m_unknown = -1;
    bool m_byteFallback = false;
    bool m_fuseUnknown = false;
    bool m_ignoreMerges = false;
    std::unique_ptr<WordCache> m_cache;
};

} // namespace rentune::text
