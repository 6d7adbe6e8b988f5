// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/bpe.h"

#include "core/text/json_fields.h"
#include "core/text/utf8.h"

#include <fmt/format.h>

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

    bool find(const std::string &word, std::vector<TokenId> &ids) const
    {
        const std::shared_lock lock(m_mutex);
        const auto it = m_words.find(word);
        if (it == m_words.end())
            return false;
        ids.insert(ids.end(), it->second.begin(), it->second.end());
        return true;
    }

    void add(std::string word, std::vector<TokenId> ids)
    {
        const std::unique_lock lock(m_mutex);
        if (m_words.size() < maxWords)
            m_words.emplace(std::move(word), std::move(ids));
    }

private:
    static constexpr size_t maxWords = 32768;
    mutable std::shared_mutex m_mutex;
    std::unordered_map<std::string, std::vector<TokenId>> m_words;
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
    RENTUNE_TRY(const bool byteFallback, boolField(json, "byte_fallback", false, where));
    if (byteFallback)
        return unsupported("BPE with byte_fallback (SentencePiece style)");
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

std::vector<TokenId> Bpe::symbols(std::string_view word) const
{
    std::vector<TokenId> ids;
    ids.reserve(word.size());
    bool afterUnknown = false;
    for (size_t i = 0; i < word.size();) {
        const char32_t c = nextCodePoint(word, i);
        const TokenId id = c < byteLevelEnd ? m_characters[c] : -1;
        if (id >= 0)
            ids.push_back(id);
        else if (m_unknown >= 0 && !(afterUnknown && m_fuseUnknown))
            ids.push_back(m_unknown);
        afterUnknown = id < 0;
    }
    return ids;
}

std::vector<TokenId> Bpe::merged(std::vector<TokenId> ids) const
{
    constexpr size_t none = std::numeric_limits<size_t>::max();
    constexpr TokenId gone = -1;
    std::vector<size_t> previous(ids.size());
    std::vector<size_t> next(ids.size());
    std::priority_queue<Candidate> queue;
    const auto consider = [&](size_t left, size_t right) {
        if (const Merge *merge = findMerge(ids[left], ids[right]))
            queue.push({merge->rank, left, right, ids[left], ids[right], merge->result});
    };
    for (size_t i = 0; i < ids.size(); ++i) {
        previous[i] = i == 0 ? none : i - 1;
        next[i] = i + 1 == ids.size() ? none : i + 1;
        if (i > 0)
            consider(i - 1, i);
    }
    while (!queue.empty()) {
        const Candidate best = queue.top();
        queue.pop();
        const bool current =
            ids[best.left] == best.leftId && ids[best.right] == best.rightId && next[best.left] == best.right;
        if (!current)
            continue;
        ids[best.left] = best.result;
        ids[best.right] = gone;
        next[best.left] = next[best.right];
        if (next[best.left] != none) {
            previous[next[best.left]] = best.left;
            consider(best.left, next[best.left]);
        }
        if (previous[best.left] != none)
            consider(previous[best.left], best.left);
    }
    std::erase(ids, gone);
    return ids;
}

void Bpe::encode(std::string_view word, std::vector<TokenId> &ids) const
{
    const std::string key(word);
    if (m_ignoreMerges) {
        if (const auto whole = m_vocab.find(key); whole != m_vocab.end()) {
            ids.push_back(whole->second);
            return;
        }
    }
    const bool cached = word.size() <= WordCache::maxWordBytes;
    if (cached && m_cache->find(key, ids))
        return;
    std::vector<TokenId> wordIds = merged(symbols(word));
    ids.insert(ids.end(), wordIds.begin(), wordIds.end());
    if (cached)
        m_cache->add(key, std::move(wordIds));
}

} // namespace rentune::text
