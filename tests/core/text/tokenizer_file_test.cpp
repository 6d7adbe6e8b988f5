// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file_ops.h"
#include "core/base/json.h"
#include "core/text/tokenizer.h"
#include "tests/support/env.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <random>

namespace rentune::text {
namespace {

/// A tokenizer folder made of a changed golden file.
class TokenizerFile : public testing::Test
{
protected:
    TokenizerFile() { m_json = *readJson(test::dataFolder() / "golden/tokenizers/gpt2/tokenizer.json"); }

    void write(const std::string &name, const std::string &text)
    {
        std::ofstream(m_folder.path() / name, std::ios::binary) << text;
    }

    Result<Tokenizer> loadWith(const std::function<void(Json &)> &change)
    {
        Json json = m_json;
        change(json);
        write("tokenizer.json", json.dump());
        return Tokenizer::load(m_folder.path());
    }

    void expectError(const std::function<void(Json &)> &change, ErrorCode code, const std::string &part)
    {
        const auto result = loadWith(change);
        ASSERT_FALSE(result.ok()) << part;
        EXPECT_EQ(codeName(result.error().code), codeName(code)) << result.error().detail;
        EXPECT_NE(result.error().detail.find(part), std::string::npos) << result.error().detail;
        EXPECT_NE(result.error().file.find("tokenizer.json"), std::string::npos);
    }

    static Json addedToken(const std::string &content, const char *flag)
    {
        Json token = {{"id", 0},         {"content", content},  {"single_word", false}, {"lstrip", false},
                      {"rstrip", false}, {"normalized", false}, {"special", false}};
        token[flag] = true;
        return token;
    }

    std::vector<TokenId> encodeWithToken(const std::string &flag, const std::string &text)
    {
        const auto tokenizer =
            loadWith([&](Json &j) { j["added_tokens"].push_back(addedToken("[X]", flag.c_str())); });
        return tokenizer.ok() ? tokenizer->encode(text) : std::vector<TokenId>{};
    }

    test::TemporaryFolder m_folder;
    Json m_json;
};

constexpr TokenId x = 1024; // the id that [X] gets

TEST_F(TokenizerFile, refusesOtherKindsByName)
{
    const auto unsupported = ErrorCode::TokenizerUnsupported;
    expectError([](Json &j) { j["model"]["type"] = "Unigram"; }, unsupported, "Unigram");
    expectError(
        [](Json &j) {
            j["pre_tokenizer"] = {{"type", "UnicodeScripts"}};
        },
        unsupported, "UnicodeScripts");
    expectError([](Json &j) { j["normalizer"] = {{"type", "Precompiled"}}; }, unsupported, "Precompiled");
    expectError([](Json &j) { j["decoder"] = {{"type", "WordPiece"}}; }, unsupported, "WordPiece");
}

TEST_F(TokenizerFile, spansPointIntoTheTextThatWasGiven)
{
    const auto tokenizer = loadWith([](Json &j) {
        j["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", "--"}}}, {"content", "-"}};
        j["pre_tokenizer"]["add_prefix_space"] = true;
    });
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().toString();
    const std::string text = "x -- é <|endoftext|>--y";
    const Encoding encoding = tokenizer->encodeWithSpans(text);
    size_t end = 0;
    for (size_t i = 0; i < encoding.ids.size(); ++i) {
        EXPECT_GE(encoding.spans[i].begin, end);
        EXPECT_LE(encoding.spans[i].begin, encoding.spans[i].end);
        end = encoding.spans[i].end;
        if (encoding.added[i]) {
            EXPECT_EQ(text.substr(encoding.spans[i].begin, end - encoding.spans[i].begin), "<|endoftext|>");
        }
    }
    EXPECT_EQ(end, text.size());
}

TEST_F(TokenizerFile, saysWhatIsBrokenAndWhere)
{
    const auto format = ErrorCode::TokenizerFormat;
    expectError([](Json &j) { j["model"].erase("vocab"); }, format, "vocab");
    expectError([](Json &j) { j["model"]["vocab"]["a"] = -5; }, format, "\"a\"");
    expectError([](Json &j) { j["model"]["vocab"]["a"] = 1e15; }, format, "\"a\"");
    expectError([](Json &j) { j["model"]["merges"][3] = Json::array({"zz", "qq"}); }, format, "merges[3]");
    expectError([](Json &j) { j["model"]["merges"][3] = 7; }, format, "merges[3]");
    expectError([](Json &j) { j["added_tokens"][1] = "x"; }, format, "added_tokens[1]");
    expectError(
        [](Json &j) {
            j["decoder"] = {{"type", "Strip"}, {"content", "x"}, {"start", -1}, {"stop", 0}};
        },
        format, "start");
    expectError(
        [](Json &j) {
            j["normalizer"] = {{"type", "Replace"}, {"content", "x"}};
        },
        format, "pattern");
    expectError(
        [](Json &j) {
            j["pre_tokenizer"] = {{"type", "Metaspace"}, {"prepend_scheme", "last"}};
        },
        format, "last");
    const Json split = {{"type", "Split"}, {"pattern", {{"Regex", "(a"}}}, {"behavior", "Isolated"}};
    expectError([&](Json &j) { j["pre_tokenizer"] = split; }, format, "(a");
    write("tokenizer.json", "{\"model\": ");
    EXPECT_EQ(Tokenizer::load(m_folder.path()).error().code, ErrorCode::JsonSyntax);
    EXPECT_EQ(Tokenizer::load(m_folder.path() / "none").error().code, ErrorCode::FileMissing);
}

TEST_F(TokenizerFile, readsMergesInBothSpellings)
{
    const auto pairs = loadWith([](Json &) {});
    const auto strings = loadWith([](Json &j) {
        for (Json &merge : j["model"]["merges"])
            merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
    });
    ASSERT_TRUE(pairs.ok() && strings.ok());
    EXPECT_EQ(pairs->encode("Hello, training world"), strings->encode("Hello, training world"));
}

TEST_F(TokenizerFile, addedTokensObeyTheirFlags)
{
    const auto none = encodeWithToken("special", " a [X] b");
    ASSERT_EQ(std::count(none.begin(), none.end(), x), 1);
    const auto left = encodeWithToken("lstrip", " a [X] b");
    const auto right = encodeWithToken("rstrip", " a [X] b");
    EXPECT_EQ(left.size(), none.size() - 1); // the blank before it is gone
    EXPECT_EQ(right.back(), m_json["model"]["vocab"]["b"].get<TokenId>());
    const auto inWord = encodeWithToken("single_word", "a[X] b");
    EXPECT_EQ(std::count(inWord.begin(), inWord.end(), x), 0);
    const auto alone = encodeWithToken("single_word", "a [X] b");
    EXPECT_EQ(std::count(alone.begin(), alone.end(), x), 1);
}

TEST_F(TokenizerFile, takesTheLongestAddedToken)
{
    const auto tokenizer = loadWith([](Json &j) {
        j["added_tokens"].push_back(addedToken("[X]", "special"));
        j["added_tokens"].push_back(addedToken("[X][X]", "special"));
    });
    ASSERT_TRUE(tokenizer.ok());
    EXPECT_EQ(tokenizer->encode("[X][X][X]"), (std::vector<TokenId>{1025, 1024}));
}

TEST_F(TokenizerFile, configNamesSpecialTokensAndAddsUnknownOnes)
{
    write("tokenizer_config.json", R"({"bos_token": {"content": "<|begin|>"}, "eos_token": "<|im_end|>",
        "pad_token": null, "added_tokens_decoder": {"9": {"content": "<|begin|>", "special": true}}})");
    const auto tokenizer = loadWith([](Json &) {});
    ASSERT_TRUE(tokenizer.ok());
    EXPECT_EQ(tokenizer->bosToken(), "<|begin|>");
    EXPECT_EQ(tokenizer->encode("<|begin|>"), std::vector<TokenId>{1024});
    EXPECT_EQ(tokenizer->eosId(), 1023);
}

TEST_F(TokenizerFile, ignoresMergesOfWholeWordsOnRequest)
{
    const auto tokenizer = loadWith([](Json &j) {
        j["model"]["ignore_merges"] = true;
        j["model"]["vocab"]["zqzq"] = 1020;
    });
    ASSERT_TRUE(tokenizer.ok());
    EXPECT_EQ(tokenizer->encode("zqzq"), std::vector<TokenId>{1020});
}

TEST_F(TokenizerFile, digitsAndSplitBehaviours)
{
    const auto encode = [&](const Json &first, const std::string &text) {
        const auto tokenizer = loadWith([&](Json &j) {
            j["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {first, j["pre_tokenizer"]}}};
        });
        return tokenizer.ok() ? tokenizer->decode(tokenizer->encode(text)) : tokenizer.error().detail;
    };
    const auto split = [](const char *behavior) {
        return Json{
            {"type", "Split"}, {"pattern", {{"String", "-"}}}, {"behavior", behavior}, {"invert", false}};
    };
    EXPECT_EQ(encode(split("Removed"), "a-b--c"), "abc");
    for (const char *behavior : {"Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"})
        EXPECT_EQ(encode(split(behavior), "a-b--c"), "a-b--c") << behavior;
    EXPECT_EQ(encode({{"type", "Digits"}, {"individual_digits", true}}, "a12"), "a12");
}

TEST_F(TokenizerFile, survivesDamagedFiles)
{
    const std::string good = *readFile(test::dataFolder() / "golden/tokenizers/qwen2/tokenizer.json");
    std::mt19937 random(11);
    for (int round = 0; round < 60; ++round) {
        std::string bytes = good.substr(0, round % 3 == 0 ? random() % good.size() : good.size());
        for (int k = 0; k < 3 && !bytes.empty(); ++k)
            bytes[random() % std::min<size_t>(bytes.size(), 3000)] = static_cast<char>(random());
        write("tokenizer.json", bytes);
        const auto tokenizer = Tokenizer::load(m_folder.path());
        if (tokenizer.ok())
            tokenizer->encode("still readable <|im_end|> 123");
        else
            EXPECT_FALSE(tokenizer.error().detail.empty());
    }
}

} // namespace
} // namespace rentune::text
