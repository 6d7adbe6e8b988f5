// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/dataset.h"
#include "tests/support/env.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace rentune::data {
namespace {

std::filesystem::path caseFile(const std::string &name)
{
    return test::dataFolder() / "cases/data" / name;
}

Dataset open(const std::filesystem::path &file, const ReadOptions &options = {})
{
    auto dataset = Dataset::open({file}, options);
    if (!dataset)
        throw std::runtime_error(dataset.error().toString());
    return std::move(dataset).value();
}

Dataset openCase(const std::string &name, const ReadOptions &options = {})
{
    return open(caseFile(name), options);
}

std::string content(const Row &row, size_t message)
{
    return row.conversation.messages[message]["content"];
}

std::string roles(const Row &row)
{
    std::string text;
    for (const Json &message : row.conversation.messages)
        text += message["role"].get<std::string>() + " ";
    return text;
}

/// "code@line" of every problem, in order.
std::vector<std::string> codes(const Dataset &dataset)
{
    std::vector<std::string> list;
    for (const Problem &problem : dataset.problems())
        list.push_back(problem.code + "@" + std::to_string(problem.line));
    return list;
}

using Codes = std::vector<std::string>;

class DatasetText : public testing::Test
{
protected:
    Dataset read(const std::string &text, const ReadOptions &options = {})
    {
        return open(write(text), options);
    }
    std::filesystem::path write(const std::string &text)
    {
        const std::filesystem::path file = m_folder.path() / "data";
        std::ofstream(file, std::ios::binary) << text;
        return file;
    }
    test::TemporaryFolder m_folder;
};

TEST(Dataset, readsAlpacaWithByteOrderMarkAndCarriageReturns)
{
    const Dataset dataset = openCase("alpaca_bom_crlf.jsonl");
    EXPECT_EQ(dataset.size(), 3);
    EXPECT_TRUE(dataset.problems().empty());
    EXPECT_EQ(dataset.encoding(), "utf-8-bom");
    EXPECT_EQ(content(dataset.row(0), 0), "Name a colour.");
    EXPECT_EQ(content(dataset.row(1), 0), "把下面的句子译成英文\n今天下雨。");
    EXPECT_EQ(content(dataset.row(1), 1), "It is raining today.");
    EXPECT_EQ(dataset.kinds(), (std::map<std::string, int64_t>{{"alpaca", 3}}));
    EXPECT_EQ(dataset.mapping().at("output"), "assistant");
}

TEST(Dataset, refusesABrokenArrayWithItsPlace)
{
    const auto dataset = Dataset::open({caseFile("alpaca_trailing_comma.json")});
    ASSERT_FALSE(dataset.ok());
    EXPECT_EQ(dataset.error().code, ErrorCode::JsonSyntax);
    EXPECT_EQ(dataset.error().line, 4);
    EXPECT_NE(dataset.error().detail.find("column 1"), std::string::npos);
    EXPECT_NE(dataset.error().detail.find("trailing comma"), std::string::npos);
}

TEST(Dataset, reportsLiteralsThatAreNoJson)
{
    const Dataset dataset = openCase("alpaca_nan_literal.jsonl");
    EXPECT_EQ(dataset.size(), 2);
    EXPECT_EQ(codes(dataset), (Codes{"syntax@2", "syntax@3", "syntax@4"}));
}

TEST(Dataset, dropsRowsWithoutAnswer)
{
    const Dataset dataset = openCase("alpaca_empty_outputs.jsonl");
    EXPECT_EQ(dataset.size(), 2);
    EXPECT_EQ(dataset.totalRows(), 7);
    EXPECT_EQ(content(dataset.row(1), 1), "0");
    EXPECT_EQ(codes(dataset), (Codes{"empty_output@2", "empty_output@3", "empty_output@4", "empty_output@5",
                                     "empty_output@6"}));
}

TEST(Dataset, detectsArraysAndLinesByContent)
{
    for (const char *name : {"array_named.jsonl", "lines_named.json"}) {
        const Dataset dataset = openCase(name);
        EXPECT_EQ(dataset.size(), 2) << name;
        EXPECT_TRUE(dataset.problems().empty()) << name;
        EXPECT_EQ(content(dataset.row(1), 1), "2");
    }
    EXPECT_EQ(openCase("array_named.jsonl").row(1).line, 7);
}

TEST(Dataset, readsNullsAndNumbersByOneRule)
{
    const Dataset dataset = openCase("null_then_text.jsonl");
    EXPECT_EQ(dataset.size(), 62);
    EXPECT_EQ(content(dataset.row(59), 0), "q59");
    EXPECT_NE(content(dataset.row(60), 0).find("\nlate text"), std::string::npos);
    EXPECT_TRUE(content(dataset.row(61), 0).ends_with("\n7"));
    EXPECT_EQ(codes(dataset), Codes{"number_as_text@62"});
    EXPECT_FALSE(dataset.problems()[0].fatal);
}

TEST(Dataset, checksReadyIds)
{
    ReadOptions options;
    options.vocabSize = 151936;
    const Dataset dataset = openCase("pretokenized.jsonl", options);
    ASSERT_EQ(dataset.size(), 1);
    EXPECT_EQ(dataset.row(0).ids.size(), 6u);
    EXPECT_EQ(std::count(dataset.row(0).labels.begin(), dataset.row(0).labels.end(), text::ignoredLabel), 3);
    EXPECT_EQ(codes(dataset), (Codes{"length_mismatch@2", "bad_id@3", "no_trained_token@4", "bad_id@5"}));
    EXPECT_NE(dataset.problems()[0].detail.find("4"), std::string::npos);
    EXPECT_NE(dataset.problems()[0].detail.find("5"), std::string::npos);
    EXPECT_NE(dataset.problems()[1].detail.find("151936"), std::string::npos);
}

TEST(Dataset, skipsALineThatIsStillBeingWritten)
{
    const Dataset dataset = openCase("truncated_last_line.jsonl");
    EXPECT_EQ(dataset.size(), 3);
    EXPECT_EQ(codes(dataset), Codes{"incomplete_line@4"});
    EXPECT_NE(dataset.problems()[0].detail.find("uploading"), std::string::npos);
}

TEST(Dataset, keepsUnicodeAsItIs)
{
    const Dataset forms = openCase("unicode_forms.jsonl");
    EXPECT_EQ(content(forms.row(0), 0), "caf\u00e9");
    EXPECT_EQ(content(forms.row(1), 0), "cafe\u0301");
    EXPECT_EQ(content(forms.row(4), 1), "(x):\n");
    const Dataset emoji = openCase("emoji_zwj_surrogates.jsonl");
    EXPECT_EQ(codes(emoji), (Codes{"broken_character@3", "broken_character@4"}));
    ASSERT_EQ(emoji.size(), 4);
    EXPECT_EQ(content(emoji.row(0), 1), "\U0001F600");
    EXPECT_EQ(content(emoji.row(3), 1), (std::string("a\0b", 3)));
}

TEST(Dataset, noticesControlTokensInText)
{
    const Dataset dataset = openCase("control_tokens_in_text.jsonl");
    EXPECT_EQ(dataset.size(), 4);
    EXPECT_EQ(codes(dataset), (Codes{"control_tokens@1", "control_tokens@2", "control_tokens@3"}));
}

TEST(Dataset, readsEachRowByItsOwnKind)
{
    const Dataset dataset = openCase("mixed_schemas.jsonl");
    EXPECT_EQ(dataset.kinds(),
              (std::map<std::string, int64_t>{{"alpaca", 2}, {"messages", 1}, {"sharegpt", 1}, {"text", 1}}));
    EXPECT_EQ(codes(dataset), (Codes{"unknown_kind@6"}));
}

TEST(Dataset, refusesPreferenceDataWithAWayOut)
{
    const auto dataset = Dataset::open({caseFile("preference_pairs.jsonl")});
    ASSERT_FALSE(dataset.ok());
    EXPECT_EQ(dataset.error().code, ErrorCode::DataFormat);
    EXPECT_NE(dataset.error().detail.find("preference"), std::string::npos) << dataset.error().detail;
    EXPECT_NE(dataset.error().detail.find("chosen"), std::string::npos);
}

TEST(Dataset, readsPlainText)
{
    const Dataset dataset = openCase("text_only.jsonl");
    EXPECT_EQ(dataset.kinds(), (std::map<std::string, int64_t>{{"text", 3}}));
    EXPECT_FALSE(dataset.row(0).text.empty());
    EXPECT_TRUE(dataset.row(0).conversation.messages.empty());
}

TEST(Dataset, readsSharegptTags)
{
    const Dataset dataset = openCase("sharegpt_role_aliases.jsonl");
    ASSERT_EQ(dataset.size(), 4);
    EXPECT_EQ(codes(dataset), Codes{"unknown_role@5"});
    EXPECT_NE(dataset.problems()[0].detail.find("narrator"), std::string::npos);
    EXPECT_EQ(roles(dataset.row(1)), "user assistant ");
    EXPECT_EQ(roles(dataset.row(2)), "system user assistant tool assistant ");
    const Json &call = dataset.row(2).conversation.messages[2];
    EXPECT_TRUE(call["content"].is_null());
    EXPECT_EQ(call["tool_calls"][0]["function"]["arguments"]["city"], "Oslo");
    EXPECT_EQ(content(dataset.row(2), 3), "{\"t\":4}");
}

TEST(Dataset, keepsOddTurnsInOrderOrSaysWhyNot)
{
    const Dataset dataset = openCase("sharegpt_odd_turns.jsonl");
    EXPECT_EQ(codes(dataset), (Codes{"dangling_turn@1", "no_assistant_turn@4", "empty_conversation@5"}));
    ASSERT_EQ(dataset.size(), 3);
    EXPECT_EQ(roles(dataset.row(0)), "user assistant ");
    EXPECT_EQ(roles(dataset.row(1)), "assistant user assistant ");
    EXPECT_EQ(roles(dataset.row(2)), "user user assistant ");
    EXPECT_EQ(content(dataset.row(2), 1), "second part");
}

TEST(Dataset, readsTables)
{
    const Dataset quotes = openCase("csv_quotes_newlines.csv");
    ASSERT_EQ(quotes.size(), 3);
    EXPECT_EQ(quotes.delimiter(), ",");
    EXPECT_EQ(content(quotes.row(0), 1), "- one\n- two, with comma\n- \"three\"");
    EXPECT_EQ(content(quotes.row(2), 0).substr(0, 10), "semi;colon");
    const Dataset semicolons = openCase("csv_semicolon_bom.csv");
    ASSERT_EQ(semicolons.size(), 2);
    EXPECT_EQ(semicolons.delimiter(), ";");
    EXPECT_EQ(semicolons.encoding(), "utf-8-bom");
    EXPECT_EQ(content(semicolons.row(0), 1), "1,5 kg");
    const Dataset unclosed = openCase("csv_unbalanced_quote.csv");
    EXPECT_EQ(unclosed.size(), 1);
    EXPECT_EQ(codes(unclosed), Codes{"syntax@3"});
    EXPECT_NE(unclosed.problems()[0].detail.find("unclosed quote"), std::string::npos);
}

TEST(Dataset, readsOtherEncodings)
{
    const Dataset dataset = openCase("alpaca_gbk.csv");
    EXPECT_EQ(dataset.encoding(), "gb18030");
    ASSERT_EQ(dataset.size(), 2);
    EXPECT_EQ(content(dataset.row(0), 1), "你好，很高兴见到你。");
    EXPECT_NE(content(dataset.row(1), 0).find("三加四，等于多少？"), std::string::npos);
}

TEST(Dataset, bringsConversationsIntoShape)
{
    const Dataset systems = openCase("messages_system_middle.jsonl");
    EXPECT_EQ(systems.size(), 3);
    EXPECT_EQ(codes(systems), (Codes{"system_position@2", "systems_joined@3"}));
    EXPECT_NE(systems.problems()[0].detail.find("message 3"), std::string::npos);
    EXPECT_EQ(content(systems.row(1), 0), "S1\n\nS2");
    EXPECT_EQ(roles(systems.row(2)), "system user assistant ");
    const Dataset tools = openCase("messages_tool_calls_null.jsonl");
    EXPECT_EQ(tools.size(), 2);
    EXPECT_EQ(codes(tools), Codes{"empty_output@3"});
    const Json &call = tools.row(1).conversation.messages[1]["tool_calls"][0]["function"];
    EXPECT_EQ(call["arguments"]["n"], 3);
}

TEST_F(DatasetText, cutsTurnsBehindTheLastAnswer)
{
    const Dataset dataset =
        read(R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},
                                    {"role":"user","content":"c"}]})");
    ASSERT_EQ(dataset.size(), 1);
    EXPECT_EQ(roles(dataset.row(0)), "user assistant ");
    EXPECT_EQ(codes(dataset), Codes{"dangling_turn@1"});
}

TEST_F(DatasetText, refusesImpossibleConversations)
{
    const Dataset dataset = read(R"({"messages":[]}
{"messages":"hello"}
{"messages":{"role":"user"}}
{"messages":[{"role":"user","content":"a"}]}

{"messages":[{"role":"narrator","content":"a"},{"role":"assistant","content":"b"}]}
{"messages":[{"content":"a"}]}
{"messages":[{"role":"user","content":[{"type":"image"}]},{"role":"assistant","content":"b"}]}
{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":"b"}]}
)");
    EXPECT_EQ(codes(dataset),
              (Codes{"empty_conversation@1", "empty_conversation@2", "empty_conversation@3",
                     "no_assistant_turn@4", "unknown_role@6", "wrong_type@7", "unsupported_content@8"}));
    ASSERT_EQ(dataset.size(), 1);
    EXPECT_EQ(content(dataset.row(0), 0), "a");
    EXPECT_EQ(dataset.problems().back().row, 6);
}

TEST_F(DatasetText, mapsAlpacaFieldsTheUsualWay)
{
    ReadOptions options;
    options.systemPrompt = "Default.";
    const Dataset dataset = read(R"([{"instruction":"do","input":"it","output":"done","system":"Sys",
        "history":[["h1","r1"]]}, {"instruction":"do","output":"done"}, {"input":"only","output":"x"},
        {"instruction":"  ","output":"x"}])",
                                 options);
    ASSERT_EQ(dataset.size(), 2);
    EXPECT_EQ(roles(dataset.row(0)), "system user assistant user assistant ");
    EXPECT_EQ(content(dataset.row(0), 0), "Sys");
    EXPECT_EQ(content(dataset.row(0), 3), "do\nit");
    EXPECT_EQ(content(dataset.row(1), 0), "Default.");
    EXPECT_EQ(codes(dataset), (Codes{"unknown_kind@2", "empty_prompt@3"}));
}

TEST_F(DatasetText, readsARowAsItStands)
{
    const auto file =
        write("{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n{\"instruction\":\"i\"}\n{bad}\n");
    const auto first = Dataset::readRow(file, 0);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(roles(*first), "user ");
    const auto second = Dataset::readRow(file, 1);
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(content(*second, 1), "");
    EXPECT_EQ(Dataset::readRow(file, 2).error().line, 3);
    EXPECT_EQ(Dataset::readRow(file, 3).error().code, ErrorCode::DataRow);
    EXPECT_EQ(Dataset::readRow(file, -1).error().code, ErrorCode::DataRow);
}

TEST_F(DatasetText, saysWhatAFileIsThatHoldsNoRows)
{
    const std::pair<const char *, const char *> files[] = {{"", "empty"},
                                                           {" \n\n", "empty"},
                                                           {"PAR1xxxx", "Parquet"},
                                                           {"a,b\n1,2\n", "table"},
                                                           {"\xFF\xFE{", "UTF-16"}};
    for (const auto &[text, word] : files) {
        const auto dataset = Dataset::open({write(text)});
        ASSERT_FALSE(dataset.ok()) << word;
        EXPECT_NE(dataset.error().detail.find(word), std::string::npos) << dataset.error().detail;
    }
    EXPECT_EQ(Dataset::open({m_folder.path() / "none"}).error().code, ErrorCode::FileMissing);
    ReadOptions options;
    options.format = "alpacca";
    EXPECT_EQ(Dataset::open({write("{}")}, options).error().code, ErrorCode::DataFormat);
}

TEST_F(DatasetText, readsUtf16AndKeepsBrokenUtf8Apart)
{
    const std::u16string text = u"[{\"prompt\":\"问\",\"completion\":\"答\"}]";
    std::string little = "\xFF\xFE";
    std::string big = "\xFE\xFF";
    for (const char16_t unit : text) {
        little += {static_cast<char>(unit & 0xFF), static_cast<char>(unit >> 8)};
        big += {static_cast<char>(unit >> 8), static_cast<char>(unit & 0xFF)};
    }
    EXPECT_EQ(content(read(little).row(0), 1), "答");
    EXPECT_EQ(read(little).encoding(), "utf-16le");
    EXPECT_EQ(content(read(big).row(0), 0), "问");
    // One broken row among UTF-8 ones is a broken row, not a reason to read the file as another encoding.
    const Dataset mixed = read("{\"text\":\"é 你好\"}\n{\"text\":\"\xC4\xE3\"}\n");
    EXPECT_EQ(mixed.encoding(), "utf-8");
    EXPECT_EQ(codes(mixed), Codes{"encoding@2"});
}

TEST_F(DatasetText, readsQuestionsAndAnswersByAnyName)
{
    const Dataset dataset = read(R"({"prompt":"p","completion":"c"}
{"prompt":"p","response":"r"}
{"prompt":[{"role":"user","content":"u"}],"completion":[{"role":"assistant","content":"a"}]}
{"query":"q","response":"r","history":[["h1","r1"],["h2","r2"]],"system":"s"}
{"query":"q","response":" "}
{"text":""}
{"conversation":[{"role":"user","content":"u"},{"role":"assistant","content":"a"}],"tools":"[{\"name\":\"f\"}]"}
)");
    EXPECT_EQ(codes(dataset), (Codes{"empty_output@5", "empty_text@6"}));
    ASSERT_EQ(dataset.size(), 5);
    EXPECT_EQ(content(dataset.row(1), 1), "r");
    EXPECT_EQ(content(dataset.row(2), 0), "u");
    EXPECT_EQ(roles(dataset.row(3)), "system user assistant user assistant user assistant ");
    EXPECT_EQ(dataset.row(4).conversation.tools[0]["name"], "f");
}

TEST_F(DatasetText, namesTableRowsOfAnotherWidth)
{
    const Dataset dataset = read("prompt\tcompletion\na\tb\nc\nd\te\tf\n\ng\t\"h\ni\"\n");
    EXPECT_EQ(dataset.delimiter(), "\t");
    EXPECT_EQ(codes(dataset), (Codes{"wrong_columns@3", "wrong_columns@4"}));
    ASSERT_EQ(dataset.size(), 2);
    EXPECT_EQ(content(dataset.row(1), 1), "h\ni");
}

TEST_F(DatasetText, holdsRowsToTheStatedFormat)
{
    ReadOptions options;
    options.format = "alpaca";
    const Dataset dataset =
        read("{\"instruction\":\"a\",\"output\":\"b\"}\n{\"input_ids\":[1,2]}\n", options);
    EXPECT_EQ(dataset.size(), 1);
    EXPECT_EQ(codes(dataset), Codes{"wrong_kind@2"});
}

} // namespace
} // namespace rentune::data
