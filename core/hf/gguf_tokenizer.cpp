// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/gguf_tokenizer.h"

#include "core/base/text.h"

#include <algorithm>
#include <fmt/core.h>
#include <unordered_map>

namespace rentune::hf {
namespace {

using TokenIds = std::unordered_map<std::string_view, int64_t>;

/// Values of tokenizer.ggml.token_type that matter; the others are plain vocabulary.
enum TokenType : int64_t
{
    Control = 3,
    UserDefined = 4,
    Unused = 5
};

Error malformed(const GgufFile &gguf, std::string detail)
{
    return Error{ErrorCode::GgufFormat, std::move(detail), gguf.path()};
}

Json byteLevel(bool withGpt2Pattern)
{
    return {{"type", "ByteLevel"},
            {"add_prefix_space", false},
            {"trim_offsets", true},
            {"use_regex", withGpt2Pattern}};
}

Json sequence(Json first, Json second)
{
    return {{"type", "Sequence"}, {"pretokenizers", Json::array({std::move(first), std::move(second)})}};
}

/// The pattern Qwen 2 and Llama 3 share but for the digits that may stand together.
Json wordSplit(std::string_view digits)
{
    return {{"type", "Split"},
            {"pattern",
             {{"Regex", fmt::format("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{{L}}\\p{{N}}]?\\p{{L}}+|{}| "
                                    "?[^\\s\\p{{L}}\\p{{N}}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
                                    digits)}}},
            {"behavior", "Isolated"},
            {"invert", false}};
}

struct PreTokenizer
{
    Json normalizer;
    Json preTokenizer;
    bool ignoreMerges = false; ///< a piece that is a token as a whole is never split
    bool addsBos = false;      ///< unless tokenizer.ggml.add_bos_token says otherwise
};

std::optional<PreTokenizer> preTokenizerNamed(std::string_view name)
{
    if (name == "smollm")
        return PreTokenizer{nullptr,
                            sequence({{"type", "Digits"}, {"individual_digits", true}}, byteLevel(true))};
    if (name == "qwen2")
        return PreTokenizer{{{"type", "NFC"}}, sequence(wordSplit("\\p{N}"), byteLevel(false))};
    if (name == "llama-bpe" || name == "llama3" || name == "llama-v3")
        return PreTokenizer{nullptr, sequence(wordSplit("\\p{N}{1,3}"), byteLevel(false)), true, true};
    if (name == "gpt-2" || name == "default")
        return PreTokenizer{nullptr, byteLevel(true)};
    return {};
}

Result<PreTokenizer> readPreTokenizer(const GgufFile &gguf)
{
    const auto unsupported = [&](std::string detail) {
        return Error{ErrorCode::GgufUnsupported, std::move(detail), gguf.path()};
    };
    const std::string_view model = gguf.text("tokenizer.ggml.model").value_or("none");
    if (model != "gpt2")
        return unsupported(fmt::format("tokenizer {} is not supported; byte-level BPE (gpt2) is", model));
    const auto name = gguf.text("tokenizer.ggml.pre");
    if (!name)
        return unsupported(
            "names no pre-tokenizer (tokenizer.ggml.pre); convert the model again with a newer tool");
    if (auto found = preTokenizerNamed(*name))
        return *found;
    return unsupported(
        fmt::format("pre-tokenizer {} is not supported; smollm, qwen2, llama-bpe and gpt-2 are", *name));
}

Result<TokenIds> readVocabulary(const GgufFile &gguf)
{
    const auto tokens = gguf.texts("tokenizer.ggml.tokens");
    const auto types = gguf.integers("tokenizer.ggml.token_type");
    if (tokens.empty())
        return malformed(gguf, "has no vocabulary (tokenizer.ggml.tokens)");
    if (!types.empty() && types.size() != tokens.size())
        return malformed(gguf, fmt::format("has {} tokens but {} token types", tokens.size(), types.size()));
    TokenIds ids;
    ids.reserve(tokens.size());
    for (size_t i = 0; i < tokens.size(); ++i) {
        if (firstInvalidUtf8(tokens[i]) != std::string_view::npos)
            return malformed(gguf, fmt::format("token {} is not UTF-8", i));
        const auto [it, isNew] = ids.emplace(tokens[i], static_cast<int64_t>(i));
        if (!isNew)
            return malformed(gguf,
                             fmt::format("tokens {} and {} are the same, \"{}\"", it->second, i, tokens[i]));
    }
    return ids;
}

/// Appends without the search for an equal key that an ordered object would make at each.
Json objectOf(const std::vector<std::pair<std::string_view, int64_t>> &entries)
{
    Json json = Json::object();
    Json::object_t::Container &object = json.get_ref<Json::object_t &>();
    object.reserve(entries.size());
    for (const auto &[key, value] : entries)
        object.emplace_back(std::string(key), value);
    return json;
}

int64_t typeOf(const GgufFile &gguf, size_t token)
{
    const auto types = gguf.integers("tokenizer.ggml.token_type");
    return types.empty() ? 1 : types[token];
}

/// Unused entries only fill the embedding up to a round size.
Json vocabularyJson(const GgufFile &gguf)
{
    const auto tokens = gguf.texts("tokenizer.ggml.tokens");
    std::vector<std::pair<std::string_view, int64_t>> entries;
    for (size_t i = 0; i < tokens.size(); ++i) {
        if (typeOf(gguf, i) != Unused)
            entries.emplace_back(tokens[i], i);
    }
    return objectOf(entries);
}

Json addedTokensJson(const GgufFile &gguf)
{
    const auto tokens = gguf.texts("tokenizer.ggml.tokens");
    Json list = Json::array();
    for (size_t i = 0; i < tokens.size(); ++i) {
        const int64_t type = typeOf(gguf, i);
        if (type == Control || type == UserDefined)
            list.push_back({{"id", i},
                            {"content", tokens[i]},
                            {"single_word", false},
                            {"lstrip", false},
                            {"rstrip", false},
                            {"normalized", false},
                            {"special", type == Control}});
    }
    return list;
}

/// Each merge is "left right"; byte-level tokens write a space as another character.
Result<Json> mergesJson(const GgufFile &gguf, const TokenIds &ids)
{
    Json list = Json::array();
    for (const std::string_view merge : gguf.texts("tokenizer.ggml.merges")) {
        const size_t space = merge.find(' ', 1);
        const std::string left(merge.substr(0, space));
        const std::string right(space == std::string_view::npos ? "" : merge.substr(space + 1));
        if (!ids.contains(left) || !ids.contains(right) || !ids.contains(left + right))
            return malformed(gguf, fmt::format("merge {} (\"{}\") does not join two tokens to a third",
                                               list.size(), merge.substr(0, 80)));
        list.push_back({left, right});
    }
    return list;
}

/// Puts the first token in front where add_special_tokens asks for it.
Json postProcessor(const std::string &bos, int64_t id)
{
    const Json special = {{"SpecialToken", {{"id", bos}, {"type_id", 0}}}};
    const auto part = [](const char *name, int type) {
        return Json{{"Sequence", {{"id", name}, {"type_id", type}}}};
    };
    const Json secondSpecial = {{"SpecialToken", {{"id", bos}, {"type_id", 1}}}};
    return {{"type", "TemplateProcessing"},
            {"single", Json::array({special, part("A", 0)})},
            {"pair", Json::array({special, part("A", 0), secondSpecial, part("B", 1)})},
            {"special_tokens", {{bos, {{"id", bos}, {"ids", {id}}, {"tokens", {bos}}}}}}};
}

} // namespace

Result<GgufSpecialTokens> readSpecialTokens(const GgufFile &gguf)
{
    const auto count = static_cast<int64_t>(gguf.texts("tokenizer.ggml.tokens").size());
    GgufSpecialTokens special;
    const std::pair<const char *, std::optional<int64_t> *> fields[] = {{"bos", &special.bos},
                                                                        {"eos", &special.eos},
                                                                        {"eot", &special.eot},
                                                                        {"padding", &special.pad},
                                                                        {"unknown", &special.unknown}};
    for (const auto &[name, field] : fields) {
        *field = gguf.integer(fmt::format("tokenizer.ggml.{}_token_id", name));
        if (*field && (**field < 0 || **field >= count))
            return malformed(gguf,
                             fmt::format("{}_token_id {} is beyond the {} tokens", name, **field, count));
    }
    return special;
}

Result<Json> tokenizerJson(const GgufFile &gguf)
{
    RENTUNE_TRY(const PreTokenizer pre, readPreTokenizer(gguf));
    RENTUNE_TRY(const TokenIds ids, readVocabulary(gguf));
    RENTUNE_TRY(const GgufSpecialTokens special, readSpecialTokens(gguf));
    RENTUNE_TRY(Json merges, mergesJson(gguf, ids));
    const bool addsBos = special.bos && gguf.flag("tokenizer.ggml.add_bos_token").value_or(pre.addsBos);
    const auto tokens = gguf.texts("tokenizer.ggml.tokens");

    Json json = Json::object();
    json["version"] = "1.0";
    json["truncation"] = nullptr;
    json["padding"] = nullptr;
    json["added_tokens"] = addedTokensJson(gguf);
    json["normalizer"] = pre.normalizer;
    json["pre_tokenizer"] = pre.preTokenizer;
    json["post_processor"] =
        addsBos ? postProcessor(std::string(tokens[static_cast<size_t>(*special.bos)]), *special.bos)
                : Json(nullptr);
    json["decoder"] = {
        {"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", true}, {"use_regex", true}};
    json["model"] = {{"type", "BPE"},
                     {"dropout", nullptr},
                     {"unk_token", nullptr},
                     {"continuing_subword_prefix", nullptr},
                     {"end_of_word_suffix", nullptr},
                     {"fuse_unk", false},
                     {"byte_fallback", false},
                     {"ignore_merges", pre.ignoreMerges},
                     {"vocab", vocabularyJson(gguf)},
                     {"merges", std::move(merges)}};
    return json;
}

Json tokenizerConfigJson(const GgufFile &gguf, const GgufSpecialTokens &special)
{
    const auto tokens = gguf.texts("tokenizer.ggml.tokens");
    Json json = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                 {"clean_up_tokenization_spaces", false},
                 {"add_prefix_space", false}};
    const std::string architecture(gguf.text("general.architecture").value_or(""));
    if (const auto length = gguf.integer(architecture + ".context_length"))
        json["model_max_length"] = *length;
    const std::pair<const char *, std::optional<int64_t>> fields[] = {{"bos_token", special.bos},
                                                                      {"eos_token", special.eos},
                                                                      {"pad_token", special.pad},
                                                                      {"unk_token", special.unknown}};
    for (const auto &[key, id] : fields) {
        if (id)
            json[key] = tokens[static_cast<size_t>(*id)];
    }
    if (const auto chat = gguf.text("tokenizer.chat_template"))
        json["chat_template"] = *chat;
    return json;
}

} // namespace rentune::hf
