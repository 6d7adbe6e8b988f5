// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizer.h"

#include "core/base/file_ops.h"
#include "core/text/added_tokens.h"
#include "core/text/bpe.h"
#include "core/text/json_fields.h"
#include "core/text/normalizer.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/token_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace rentune::text {
namespace {

constexpr Bytes largestFile = 256 * MiB;

Result<SortedJson> readObject(const std::filesystem::path &path)
{
    RENTUNE_TRY(const std::string bytes, readFile(path, largestFile));
    RENTUNE_TRY(SortedJson json, parseSortedJson(bytes, path.string()));
    if (!json.is_object())
        return Error{ErrorCode::TokenizerFormat, "not a JSON object", path.string()};
    return json;
}

const SortedJson &fieldOf(const SortedJson &json, const char *key)
{
    static const SortedJson null;
    const auto it = json.find(key);
    return it == json.end() ? null : *it;
}

Result<AddedToken> readAddedToken(const SortedJson &json, const std::string &where)
{
    AddedToken token;
    if (!json.is_object())
        return Error{ErrorCode::TokenizerFormat, fmt::format("{} is not an object", where)};
    RENTUNE_TRY(token.content, stringField(json, "content", "", where));
    RENTUNE_TRY(token.singleWord, boolField(json, "single_word", false, where));
    RENTUNE_TRY(token.lstrip, boolField(json, "lstrip", false, where));
    RENTUNE_TRY(token.rstrip, boolField(json, "rstrip", false, where));
    RENTUNE_TRY(const bool special, boolField(json, "special", false, where));
    RENTUNE_TRY(token.normalized, boolField(json, "normalized", !special, where));
    return token;
}

/// A special token of tokenizer_config.json: a string, or an added token's description.
Result<std::string> namedToken(const SortedJson &config, const char *key)
{
    const SortedJson &value = fieldOf(config, key);
    if (value.is_object())
        return stringField(value, "content", "", fmt::format("tokenizer_config.json: {}", key));
    return stringField(config, key, "", "tokenizer_config.json");
}

bool touchesAny(const Span &span, std::span<const Span> others)
{
    const auto first = std::lower_bound(others.begin(), others.end(), span.begin,
                                        [](const Span &other, size_t begin) { return other.end <= begin; });
    return first != others.end() && first->overlaps(span);
}

} // namespace

struct Tokenizer::Impl
{
    Normalizer normalizer;
    PreTokenizer preTokenizer;
    TokenDecoder decoder;
    std::optional<Bpe> bpe;
    std::vector<AddedToken> added;
    std::vector<std::string> addedContents;
    AddedTokenMatcher inRawText;        ///< tokens looked for before normalization
    AddedTokenMatcher inNormalizedText; ///< and after it
    std::unordered_map<std::string, TokenId> idOfAdded;
    std::vector<std::optional<std::string>> tokenOfId; ///< nullopt where no token has the id
    std::string bos;
    std::string eos;
    std::string pad;

    Result<void> readFile(const SortedJson &json);
    Result<void> readConfig(const SortedJson &config);
    void addToken(AddedToken token);
    void buildTables();
    std::optional<TokenId> idOf(const std::string &token) const;
    void encodeText(const AlignedText &text, size_t offset, Encoding &out) const;
    void encodeStretch(std::string_view text, size_t offset, std::span<const Span> literal,
                       Encoding &out) const;
};

Result<void> Tokenizer::Impl::readFile(const SortedJson &json)
{
    RENTUNE_TRY(Bpe model, Bpe::parse(fieldOf(json, "model"), "model"));
    bpe.emplace(std::move(model));
    RENTUNE_TRY(normalizer, Normalizer::parse(fieldOf(json, "normalizer"), "normalizer"));
    RENTUNE_TRY(preTokenizer, PreTokenizer::parse(fieldOf(json, "pre_tokenizer"), "pre_tokenizer"));
    RENTUNE_TRY(decoder, TokenDecoder::parse(fieldOf(json, "decoder"), "decoder"));
    const SortedJson &tokens = fieldOf(json, "added_tokens");
    if (!tokens.is_null() && !tokens.is_array())
        return Error{ErrorCode::TokenizerFormat, "\"added_tokens\" must be a list"};
    for (size_t i = 0; i < tokens.size(); ++i) {
        RENTUNE_TRY(AddedToken token, readAddedToken(tokens[i], fmt::format("added_tokens[{}]", i)));
        addToken(std::move(token));
    }
    return {};
}

Result<void> Tokenizer::Impl::readConfig(const SortedJson &config)
{
    RENTUNE_TRY(bos, namedToken(config, "bos_token"));
    RENTUNE_TRY(eos, namedToken(config, "eos_token"));
    RENTUNE_TRY(pad, namedToken(config, "pad_token"));
    const SortedJson &tokens = fieldOf(config, "added_tokens_decoder");
    if (tokens.is_object()) {
        std::vector<std::pair<std::string, AddedToken>> byId;
        for (const auto &[id, entry] : tokens.items()) {
            RENTUNE_TRY(AddedToken token,
                        readAddedToken(entry, "tokenizer_config.json: added_tokens_decoder." + id));
            byId.emplace_back(id, std::move(token));
        }
        const auto numeric = [](const auto &a, const auto &b) {
            return std::pair(a.first.size(), a.first) < std::pair(b.first.size(), b.first);
        };
        std::sort(byId.begin(), byId.end(), numeric);
        for (auto &[id, token] : byId)
            addToken(std::move(token));
    }
    for (const std::string &name : {bos, eos, pad})
        addToken(AddedToken{.content = name});
    return {};
}

/// As the reference does: a token of the vocabulary keeps its id, another gets the next free one, whatever id
/// the file states.
void Tokenizer::Impl::addToken(AddedToken token)
{
    if (token.content.empty() || idOfAdded.contains(token.content))
        return;
    const auto known = bpe->vocab().find(token.content);
    if (known != bpe->vocab().end()) {
        token.id = known->second;
    } else {
        token.id = static_cast<TokenId>(bpe->vocab().size());
        for (const AddedToken &other : added)
            token.id = std::max(token.id, other.id + 1);
    }
    idOfAdded.emplace(token.content, token.id);
    addedContents.push_back(token.content);
    added.push_back(std::move(token));
}

void Tokenizer::Impl::buildTables()
{
    TokenId largest = -1;
    for (const auto &[token, id] : bpe->vocab())
        largest = std::max(largest, id);
    for (const AddedToken &token : added)
        largest = std::max(largest, token.id);
    tokenOfId.resize(static_cast<size_t>(largest) + 1);
    for (const auto &[token, id] : bpe->vocab())
        tokenOfId[static_cast<size_t>(id)] = token;
    for (const AddedToken &token : added) {
        // As in the reference, a token that is looked for in normalized text is also decoded to its
        // normalized form.
        const std::string spelling =
            token.normalized ? normalizer.apply(AlignedText(token.content)).text() : token.content;
        (token.normalized ? inNormalizedText : inRawText).add(token, spelling);
        tokenOfId[static_cast<size_t>(token.id)] = spelling;
    }
}

std::optional<TokenId> Tokenizer::Impl::idOf(const std::string &token) const
{
    if (const auto it = idOfAdded.find(token); it != idOfAdded.end())
        return it->second;
    if (const auto it = bpe->vocab().find(token); it != bpe->vocab().end())
        return it->second;
    return std::nullopt;
}

/// Appends a part of a normalized text in which no added token is looked for. Spans are shifted by `offset`.
void Tokenizer::Impl::encodeText(const AlignedText &text, size_t offset, Encoding &out) const
{
    const Pieces pieces = preTokenizer.split(text, offset + text.toSource(0) == 0);
    const auto source = [&](size_t position) { return offset + pieces.text.toSource(position); };
    for (const Span &piece : pieces.spans)
        for (const BpeToken &token : bpe->encode(pieces.text.view(piece)))
            out.append(token.id,
                       {source(piece.begin + token.span.begin), source(piece.begin + token.span.end)}, false);
}

/// Appends a stretch between the added tokens of the raw text.
void Tokenizer::Impl::encodeStretch(std::string_view text, size_t offset, std::span<const Span> literal,
                                    Encoding &out) const
{
    const AlignedText normalized = normalizer.apply(AlignedText(text));
    size_t begin = 0;
    for (const auto &match : inNormalizedText.find(normalized.text())) {
        const Span source{offset + normalized.toSource(match.span.begin),
                          offset + normalized.toSource(match.span.end)};
        if (touchesAny(source, literal))
            continue;
        encodeText(normalized.slice({begin, match.span.begin}), offset, out);
        out.append(match.id, source, true);
        begin = match.span.end;
    }
    encodeText(normalized.slice({begin, normalized.text().size()}), offset, out);
}

Tokenizer::Tokenizer(std::shared_ptr<const Impl> impl) : m_impl(std::move(impl)) {}

Result<Tokenizer> Tokenizer::load(const std::filesystem::path &folder)
{
    const auto inFile = [](Error error, const std::filesystem::path &path) {
        if (error.file.empty())
            error.file = path.string();
        return error;
    };
    auto impl = std::make_shared<Impl>();
    const std::filesystem::path file = folder / "tokenizer.json";
    RENTUNE_TRY(const SortedJson json, readObject(file));
    if (auto read = impl->readFile(json); !read)
        return inFile(std::move(read).error(), file);
    const std::filesystem::path configFile = folder / "tokenizer_config.json";
    std::error_code ignored;
    if (std::filesystem::exists(configFile, ignored)) {
        RENTUNE_TRY(const SortedJson config, readObject(configFile));
        if (auto read = impl->readConfig(config); !read)
            return inFile(std::move(read).error(), configFile);
    }
    impl->buildTables();
    return Tokenizer(std::move(impl));
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, AddedTokens added) const
{
    const std::array<Span, 1> everything{Span{0, text.size()}};
    return encodeWithSpans(text, std::span(everything).first(added == AddedTokens::AsText ? 1 : 0)).ids;
}

Encoding Tokenizer::encodeWithSpans(std::string_view text, std::span<const Span> literal) const
{
    Encoding out;
    size_t begin = 0;
    for (const auto &match : m_impl->inRawText.find(text)) {
        if (touchesAny(match.span, literal))
            continue;
        m_impl->encodeStretch(text.substr(begin, match.span.begin - begin), begin, literal, out);
        out.append(match.id, match.span, true);
        begin = match.span.end;
    }
    m_impl->encodeStretch(text.substr(begin), begin, literal, out);
    return out;
}

std::string Tokenizer::decode(std::span<const TokenId> ids) const
{
    std::vector<std::string> tokens;
    for (const TokenId id : ids) {
        const bool inRange = id >= 0 && static_cast<size_t>(id) < m_impl->tokenOfId.size();
        if (inRange && m_impl->tokenOfId[static_cast<size_t>(id)])
            tokens.push_back(*m_impl->tokenOfId[static_cast<size_t>(id)]);
    }
    return m_impl->decoder.decode(std::move(tokens));
}

int64_t Tokenizer::vocabSize() const
{
    return static_cast<int64_t>(m_impl->tokenOfId.size());
}

std::optional<TokenId> Tokenizer::idOf(std::string_view token) const
{
    return m_impl->idOf(std::string(token));
}

std::optional<TokenId> Tokenizer::eosId() const
{
    return m_impl->idOf(m_impl->eos);
}

std::optional<TokenId> Tokenizer::padId() const
{
    return m_impl->idOf(m_impl->pad);
}

std::string_view Tokenizer::eosToken() const
{
    return m_impl->eos;
}

std::string_view Tokenizer::bosToken() const
{
    return m_impl->bos;
}

const std::vector<std::string> &Tokenizer::addedTokens() const
{
    return m_impl->addedContents;
}

} // namespace rentune::text
