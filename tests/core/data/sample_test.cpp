// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/dataset.h"
#include "core/data/length_statistics.h"
#include "tests/support/env.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace rentune::data {
namespace {

template <typename T>
T must(Result<T> result)
{
    if (!result)
        throw std::runtime_error(result.error().toString());
    return std::move(result).value();
}

class Samples : public testing::Test
{
protected:
    static std::filesystem::path folder() { return test::dataFolder() / "golden/tokenizers/qwen2"; }
    Dataset open(const std::string &name)
    {
        return must(Dataset::open({test::dataFolder() / "cases/data" / name}));
    }
    std::optional<Sample> sample(const Row &row, const SampleOptions &options = {})
    {
        return must(makeSample(row, &m_tokenizer, &m_template, options));
    }

    text::Tokenizer m_tokenizer = must(text::Tokenizer::load(folder()));
    text::ChatTemplate m_template = must(text::ChatTemplate::load(folder()));
};

TEST_F(Samples, trainsTheAnswersOfAThreeTurnChat)
{
    const auto made = sample(open("three_turn_chat.jsonl").row(0));
    ASSERT_TRUE(made);
    std::vector<text::TokenId> trained;
    for (const text::TokenId label : made->labels) {
        if (label != text::ignoredLabel)
            trained.push_back(label);
    }
    EXPECT_EQ(m_tokenizer.decode(trained), "one<|im_end|>two<|im_end|>three<|im_end|>");
    EXPECT_FALSE(made->truncated);
}

TEST_F(Samples, trainsEveryTokenOfATextAndItsEnd)
{
    Row row;
    row.kind = Kind::Text;
    row.text = "Once <|im_end|> upon";
    const Sample made = must(makeSample(row, &m_tokenizer, nullptr, {})).value();
    EXPECT_EQ(made.labels, made.ids);
    EXPECT_EQ(m_tokenizer.decode(made.ids), row.text + "<|im_end|>");
    EXPECT_EQ(std::count(made.ids.begin(), made.ids.end(), *m_tokenizer.eosId()),
              1); // the end, not the content
    EXPECT_FALSE(makeSample(row, nullptr, nullptr, {}).ok());
}

TEST_F(Samples, dropsARowWhosePromptFillsTheLength)
{
    const Dataset dataset = open("alpaca_prompt_longer_than_cutoff.jsonl");
    ASSERT_EQ(dataset.size(), 2);
    EXPECT_FALSE(sample(dataset.row(0)));
    ASSERT_TRUE(sample(dataset.row(1)));
    EXPECT_FALSE(sample(dataset.row(1))->truncated);
    SampleOptions strict;
    strict.errorTooLong = true;
    const auto refused = makeSample(dataset.row(0), &m_tokenizer, &m_template, strict);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::DataRow);
    EXPECT_EQ(refused.error().line, 1);
}

TEST_F(Samples, cutsOrDropsLongRows)
{
    Row row;
    row.kind = Kind::Tokens;
    row.ids.resize(10);
    std::iota(row.ids.begin(), row.ids.end(), 0);
    row.labels = row.ids;
    SampleOptions options;
    options.maxLength = 4;
    const auto cut = must(makeSample(row, nullptr, nullptr, options));
    ASSERT_TRUE(cut);
    EXPECT_TRUE(cut->truncated);
    EXPECT_EQ(cut->ids, (std::vector<text::TokenId>{0, 1, 2, 3}));
    options.dropTooLong = true;
    EXPECT_FALSE(must(makeSample(row, nullptr, nullptr, options)));
    options.maxLength = 10;
    EXPECT_TRUE(must(makeSample(row, nullptr, nullptr, options)));
}

TEST_F(Samples, turnsOfEveryLineEndOnce)
{
    const Dataset dataset = open("control_tokens_in_text.jsonl");
    for (int64_t i = 0; i < dataset.size(); ++i) {
        const auto made = sample(dataset.row(i));
        ASSERT_TRUE(made);
        EXPECT_EQ(std::count(made->ids.begin(), made->ids.end(), *m_tokenizer.eosId()), 2) << i;
    }
}

TEST_F(Samples, conversationsNeedATemplate)
{
    const Dataset dataset = open("tiny_three_rows.jsonl");
    EXPECT_EQ(dataset.size(), 3);
    const auto made = makeSample(dataset.row(0), &m_tokenizer, nullptr, {});
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, ErrorCode::TemplateMissing);
}

TEST_F(Samples, measuresLengths)
{
    const Dataset dataset = open("three_turn_chat.jsonl");
    const auto lengths = must(rowLengths(dataset, &m_tokenizer, &m_template));
    ASSERT_EQ(lengths.size(), 1u);
    EXPECT_EQ(lengths[0], static_cast<int64_t>(sample(dataset.row(0))->ids.size()));
    std::vector<int64_t> numbers(100);
    std::iota(numbers.begin(), numbers.end(), 1);
    const LengthStatistics statistics = lengthStatistics(numbers);
    EXPECT_EQ(statistics.minimum, 1);
    EXPECT_EQ(statistics.median, 50);
    EXPECT_EQ(statistics.p95, 95);
    EXPECT_EQ(statistics.maximum, 100);
    EXPECT_EQ(statistics.total, 5050);
    int64_t rows = 0;
    for (const auto &bin : statistics.histogram)
        rows += bin.rows;
    EXPECT_EQ(rows, 100);
    EXPECT_LE(statistics.histogram.size(), 20u);
    EXPECT_EQ(lengthStatistics({}).rows, 0);
}

} // namespace
} // namespace rentune::data
