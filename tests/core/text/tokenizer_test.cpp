// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/text/tokenizer.h"
#include "tests/support/env.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <stdexcept>
#include <thread>

namespace rentune::text {
namespace {

Tokenizer golden(const std::string &name)
{
    auto tokenizer = Tokenizer::load(test::dataFolder() / "golden/tokenizers" / name);
    if (!tokenizer)
        throw std::runtime_error(tokenizer.error().toString());
    return std::move(tokenizer).value();
}

class ReferenceTokenizer : public testing::TestWithParam<std::string>
{
};

TEST_P(ReferenceTokenizer, givesTheReferencesIdsAndText)
{
    const Tokenizer tokenizer = golden(GetParam());
    const auto cases = readJson(test::dataFolder() / "golden/tokenizers" / GetParam() / "expected.json");
    ASSERT_TRUE(cases.ok());
    ASSERT_GE(cases->size(), 60u);
    for (const Json &item : *cases) {
        const auto text = item["text"].get<std::string>();
        const auto ids = item["ids"].get<std::vector<TokenId>>();
        EXPECT_EQ(tokenizer.encode(text), ids) << text;
        EXPECT_EQ(tokenizer.decode(ids), item["decoded"].get<std::string>());
    }
}

TEST_P(ReferenceTokenizer, roundTripsRandomTextWithoutMatchingAddedTokens)
{
    const Tokenizer tokenizer = golden(GetParam());
    std::mt19937 random(7);
    const std::string endToken = GetParam() == "llama2-spm" ? "</s>" : "<|endoftext|>";
    const std::u32string alphabet = U"abcXYZ 0129\t\n\r'.,!?<|>_im_endé中文😀\u0301\u00a0\u2003";
    for (int round = 0; round < 300; ++round) {
        std::string text = round % 3 == 0 ? endToken : "";
        for (int i = 0; i < 40; ++i) {
            const char32_t c = alphabet[random() % alphabet.size()];
            if (GetParam() != "qwen2" || c != 0x301) // NFC may change the text there
                appendUtf8(text, c);
        }
        const auto ids = tokenizer.encode(text, AddedTokens::AsText);
        EXPECT_EQ(tokenizer.decode(ids), text);
        for (const TokenId id : ids)
            EXPECT_NE(id, *tokenizer.idOf(endToken));
    }
}

INSTANTIATE_TEST_SUITE_P(Golden, ReferenceTokenizer,
                         testing::Values("qwen2", "llama3", "gpt2", "llama2-spm"));

TEST(Tokenizer, namesItsSpecialTokens)
{
    const Tokenizer tokenizer = golden("qwen2");
    EXPECT_EQ(tokenizer.eosToken(), "<|im_end|>");
    EXPECT_EQ(tokenizer.eosId(), 1023);
    EXPECT_EQ(tokenizer.padId(), std::nullopt);
    EXPECT_EQ(tokenizer.bosToken(), "");
    EXPECT_EQ(tokenizer.vocabSize(), 1024);
    EXPECT_EQ(tokenizer.addedTokens(),
              (std::vector<std::string>{"<|endoftext|>", "<|im_start|>", "<|im_end|>"}));
}

TEST(Tokenizer, normalizesAsTheFileSays)
{
    EXPECT_EQ(golden("qwen2").encode("cafe\u0301"), golden("qwen2").encode("caf\u00e9"));
    EXPECT_NE(golden("llama3").encode("cafe\u0301"), golden("llama3").encode("caf\u00e9"));
}

TEST(Tokenizer, readsContentAsTextOnRequest)
{
    const Tokenizer tokenizer = golden("qwen2");
    const auto asText = tokenizer.encode("a<|im_end|>b", AddedTokens::AsText);
    EXPECT_EQ(std::count(asText.begin(), asText.end(), 1023), 0);
    EXPECT_EQ(tokenizer.decode(asText), "a<|im_end|>b");
}

TEST(Tokenizer, decodesBrokenBytesAndUnknownIdsWithoutFailing)
{
    const Tokenizer tokenizer = golden("gpt2");
    const auto ids = tokenizer.encode("\U0001F9EC");
    ASSERT_GT(ids.size(), 1u);
    EXPECT_EQ(tokenizer.decode(std::span(ids).first(1)), "\uFFFD");
    const std::vector<TokenId> odd{-1, 64, 1 << 30};
    EXPECT_EQ(tokenizer.decode(odd), tokenizer.decode(std::vector<TokenId>{64}));
}

TEST(Tokenizer, handlesAVeryLongWord)
{
    const Tokenizer tokenizer = golden("qwen2");
    const std::string word(1 << 20, 'x'); // quadratic merging would take hours
    const auto ids = tokenizer.encode(word);
    EXPECT_EQ(tokenizer.decode(ids), word);
}

TEST(Tokenizer, isSafeAcrossThreads)
{
    const Tokenizer tokenizer = golden("llama3");
    const auto expected = tokenizer.encode("one two three four");
    std::vector<std::jthread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 500; ++i) {
                tokenizer.encode("word" + std::to_string(i * 4 + t));
                wrong += tokenizer.encode("one two three four") != expected;
            }
        });
    }
    threads.clear();
    EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace rentune::text
