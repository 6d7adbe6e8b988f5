// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/bpe.h"

#include "core/text/json_fields.h"
#include "core/text/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <queue>
#include <shared_mutex>
#include <tuple>
#include <utility>

namespace rentune::text {
namespace {

constexpr TokenId largestId = (1 << 24) - 1; ///< far above any real vocabulary; bounds memory that ids index

uint64_t pairKey(TokenId left, TokenId right)
{
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

/// A pair of neighbours that can be merged. It may be out of date when its turn comes.
struct Candidate
{
    uint32_t rank;
    size_t left;
    size_t right;
    TokenId leftId;
    TokenId rightId;
    TokenId result;

    /// The queue gives the lowest rank, and of equal ones the leftmost, first.
    bool operator<(const Candidate &other) const
    {
        return std::tie(other.rank, other.left) < std::tie(rank, left);
    }
};

} // namespace

class WordCache
{
public:
    static constexpr size_t maxWordBytes = 128;

    std::optional<std::vector<BpeToken>> find(const std::string &word) const
    {
        const std::shared_lock lock(m_mutex);
        const auto it = m_words.find(word);
        return it == m_words.end() ? std::nullopt : std::optional(it->second);
    }

    void add(std::string word, std::vector<BpeToken> tokens)
    {
        const std::unique_lock lock(m_mutex);
        if (m_words.size() < maxWords)
            m_words.emplace(std::move(word), std::move(tokens));
    }

private:
    static constexpr size_t maxWords = 32768;
    mutable std::shared_mutex m_mutex;
    std::unordered_map<std::string, std::vector<BpeToken>> m_words;
};

Bpe::Bpe() : m_cache(std::make_unique<WordCache>()) {}
Bpe::Bpe(Bpe &&) noexcept = default;
Bpe &Bpe::operator=(Bpe &&) noexcept = default;
Bpe::~Bpe() = default;

Result<void> Bpe::readOptions(const SortedJson &json, const std::string &where)
{
    const auto unsupported = [&](const std::string &what) {
        return Error{ErrorCode::TokenizerUnsupported, fmt::format("{}: {} is not supported", where, what)};
    };
    RENTUNE_TRY(const std::string kind, stringField(json, "type", "BPE", where));
    if (kind != "BPE")
        return unsupported("model " + kind);
    RENTUNE_TRY(m_byteFallback, boolField(json, "byte_fallback", false, where));
    for (const char *affix : {"continuing_subword_prefix", "end_of_word_suffix"}) {
        RENTUNE_TRY(const std::string value, stringField(json, affix, "", where));
        if (!value.empty())
            return unsupported(affix);
    }
    const auto dropout = json.find("dropout");
    if (dropout != json.end() && !dropout->is_null() && *dropout != 0)
        return unsupported("dropout");
    RENTUNE_TRY(m_fuseUnknown, boolField(json, "fuse_unk", false, where));
    RENTUNE_TRY(m_ignoreMerges, boolField(json, "ignore_merges", false, where));
    return {};
}

Result<void> Bpe::readVocab(const SortedJson &json, const std::string &where)
{
    const auto vocab = json.find("vocab");
    if (vocab == json.end() || !vocab->is_object())
        return Error{ErrorCode::TokenizerFormat,
                     fmt::format("{}: no \"vocab\" (an object: token → id)", where)};
    m_characters.fill(-1);
    m_vocab.reserve(vocab->size());
    for (const auto &[token, id] : vocab->items()) {
        if (!id.is_number_integer() || id < 0 || id > largestId)
            return Error{ErrorCode::TokenizerFormat,
                         fmt::format("{}.vocab: the id of \"{}\" must be a whole number from 0 to {}", where,
                                     token, largestId)};
        m_vocab.emplace(token, id.get<TokenId>());
        size_t end = 0;
        const char32_t first = token.empty() ? byteLevelEnd : nextCodePoint(token, end);
        if (end == token.size() && first < byteLevelEnd)
            m_characters[first] = id.get<TokenId>();
    }
    for (size_t byte = 0; byte < m_bytes.size(); ++byte) {
        const auto token = m_vocab.find(byteToken(static_cast<unsigned char>(byte)));
        m_bytes[byte] = token == m_vocab.end() ? -1 : token->second;
    }
    RENTUNE_TRY(const std::string unknown, stringField(json, "unk_token", "", where));
    const auto found = m_vocab.find(unknown);
    if (!unknown.empty() && found != m_vocab.end())
        m_unknown = found->second;
    return {};
}

Result<void> Bpe::addMerge(const SortedJson &merge, uint32_t rank, const std::string &where)
{
    std::optional<std::pair<std::string, std::string>> pair;
    if (merge.is_string()) {
        const auto &text = merge.get_ref<const std::string &>();
        const size_t space = text.find(' ');
        if (space != std::string::npos)
            pair = {text.substr(0, space), text.substr(space + 1)};
    } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        pair = {merge[0].get<std::string>(), merge[1].get<std::string>()};
    }
    if (!pair)
        return Error{ErrorCode::TokenizerFormat, fmt::format("{}.merges[{}] is not two tokens", where, rank)};
    const auto left = m_vocab.find(pair->first);
    const auto right = m_vocab.find(pair->second);
    const auto result = m_vocab.find(pair->first + pair->second);
    for (const auto &[entry, token] :
         {std::pair{left, pair->first}, {right, pair->second}, {result, pair->first + pair->second}}) {
        if (entry == m_vocab.end())
            return Error{ErrorCode::TokenizerFormat,
                         fmt::format("{}.merges[{}]: \"{}\" is not in the vocabulary", where, rank, token)};
    }
    m_merges.insert_or_assign(pairKey(left->second, right->second), Merge{rank, result->second});
    return {};
}

Result<void> Bpe::readMerges(const SortedJson &json, const std::string &where)
{
    const auto merges = json.find("merges");
    if (merges == json.end() || !merges->is_array() || merges->size() > std::numeric_limits<uint32_t>::max())
        return Error{ErrorCode::TokenizerFormat, fmt::format("{}: no \"merges\" (a list)", where)};
    m_merges.reserve(merges->size());
    for (size_t i = 0; i < merges->size(); ++i)
        RENTUNE_CHECK(addMerge((*merges)[i], static_cast<uint32_t>(i), where));
    return {};
}

Result<Bpe> Bpe::parse(const SortedJson &json, const std::string &where)
{
    if (!json.is_object())
        return Error{ErrorCode::TokenizerFormat, fmt::format("{}: no model", where)};
    Bpe bpe;
    RENTUNE_CHECK(bpe.readOptions(json, where));
    RENTUNE_CHECK(bpe.readVocab(json, where));
    RENTUNE_CHECK(bpe.readMerges(json, where));
    return bpe;
}

const Bpe::Merge *Bpe::findMerge(TokenId left, TokenId right) const
{
    const auto it = m_merges.find(pairKey(left, right));
    return it == m_merges.end() ? nullptr : &it->second;
}

TokenId Bpe::idOfCharacter(char32_t character, std::string_view bytes) const
{
    if (character < byteLevelEnd)
        return m_characters[character];
    const auto found = m_vocab.find(std::string(bytes));
    return found == m_vocab.end() ? -1 : found->second;
}

/// False, and nothing appended, if a byte has no token.
bool Bpe::appendBytes(std::string_view bytes, size_t begin, std::vector<BpeToken> &tokens) const
{
    const auto idOf = [this](char byte) { return m_bytes[static_cast<unsigned char>(byte)]; };
    if (std::any_of(bytes.begin(), bytes.end(), [&](char byte) { return idOf(byte) < 0; }))
        return false;
    for (const char byte : bytes) {
        tokens.push_back({idOf(byte), {begin, begin + 1}});
        ++begin;
    }
    return true;
}

std::vector<BpeToken> Bpe::symbols(std::string_view word) const
{
    std::vector<BpeToken> tokens;
    tokens.reserve(word.size());
    bool afterUnknown = false;
    for (size_t begin = 0, end = 0; begin < word.size(); begin = end) {
        const char32_t c = nextCodePoint(word, end);
        const std::string_view bytes = word.substr(begin, end - begin);
        const TokenId id = idOfCharacter(c, bytes);
        const bool known = id >= 0 || (m_byteFallback && appendBytes(bytes, begin, tokens));
        if (id >= 0)
            tokens.push_back({id, {begin, end}});
        else if (!known && afterUnknown && m_fuseUnknown && m_unknown >= 0)
            tokens.back().span.end = end;
        else if (!known && m_unknown >= 0)
            tokens.push_back({m_unknown, {begin, end}});
        afterUnknown = !known;
    }
    return tokens;
}

std::vector<BpeToken> Bpe::merged(std::vector<BpeToken> tokens) const
{
    constexpr size_t none = std::numeric_limits<size_t>::max();
    constexpr TokenId gone = -1;
    std::vector<size_t> previous(tokens.size());
    std::vector<size_t> next(tokens.size());
    std::priority_queue<Candidate> queue;
    const auto consider = [&](size_t left, size_t right) {
        if (const Merge *merge = findMerge(tokens[left].id, tokens[right].id))
            queue.push({merge->rank, left, right, tokens[left].id, tokens[right].id, merge->result});
    };
    for (size_t i = 0; i < tokens.size(); ++i) {
        previous[i] = i == 0 ? none : i - 1;
        next[i] = i + 1 == tokens.size() ? none : i + 1;
        if (i > 0)
            consider(i - 1, i);
    }
    while (!queue.empty()) {
        const Candidate best = queue.top();
        queue.pop();
        const bool current = tokens[best.left].id == best.leftId && tokens[best.right].id == best.rightId &&
                             next[best.left] == best.right;
        if (!current)
            continue;
        tokens[best.left] = {best.result, {tokens[best.left].span.begin, tokens[best.right].span.end}};
        tokens[best.right].id = gone;
        next[best.left] = next[best.right];
        if (next[best.left] != none) {
            previous[next[best.left]] = best.left;
            consider(best.left, next[best.left]);
        }
        if (previous[best.left] != none)
            consider(previous[best.left], best.left);
    }
    std::erase_if(tokens, [](const BpeToken &token) { return token.id == gone; });
    return tokens;
}

std::vector<BpeToken> Bpe::encode(std::string_view word) const
{
    const std::string key(word);
    if (m_ignoreMerges) {
        if (const auto whole = m_vocab.find(key); whole != m_vocab.end())
            return {{whole->second, {0, word.size()}}};
    }
    if (word.size() > WordCache::maxWordBytes)
        return merged(symbols(word));
    if (auto known = m_cache->find(key))
        return *std::move(known);
    std::vector<BpeToken> tokens = merged(symbols(word));
    m_cache->add(key, tokens);
    return tokens;
}

} // namespace rentune::text
