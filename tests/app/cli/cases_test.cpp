// SPDX-License-Identifier: GPL-3.0-or-later
// Files that broke other tools, put to the product as its users would: `rentune inspect KIND FILE --json`.
#include "core/base/json.h"
#include "tests/support/env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rentune {
namespace {

using testing::HasSubstr;

struct Value
{
    std::string pointer; ///< into `values`
    std::string json;
};

struct Problem
{
    int64_t line;
    std::string code;
    std::string part; ///< of the text
};

/// Every problem the product must report; none besides.
struct Case
{
    std::string kind;
    std::string file;
    int exitCode;
    std::vector<Value> values;
    std::vector<Problem> problems;
};

void PrintTo(const Case &c, std::ostream *out)
{
    *out << c.kind << " " << c.file;
}

const std::vector<Problem> fine;

std::vector<Problem> format(const std::string &part)
{
    return {{0, "safetensors.format", part}};
}

const Case cases[] = {
    {"safetensors",
     "st/ok_small_padded.safetensors",
     0,
     {{"/tensors", "3"}, {"/parameters", "10"}, {"/bytes", "32"}},
     fine},
    {"safetensors", "st/scalar_and_mixed.safetensors", 0, {{"/parameters", "10"}}, fine},
    {"safetensors", "st/git_lfs_pointer.safetensors", 3, {}, {{0, "safetensors.incomplete", "4976698672"}}},
    {"safetensors", "st/header_len_huge.safetensors", 3, {}, format("1099511627776")},
    {"safetensors", "st/header_len_max_u64.safetensors", 3, {}, format("18446744073709551615")},
    {"safetensors", "st/seven_bytes.safetensors", 3, {}, {{0, "safetensors.incomplete", "7 bytes"}}},
    {"safetensors", "st/overlap.safetensors", 3, {}, format("overlap")},
    {"safetensors", "st/hole.safetensors", 3, {}, format("8-16")},
    {"safetensors",
     "st/data_cut.safetensors",
     3,
     {},
     {{0, "safetensors.incomplete", "needs 4075 bytes, has 1575"}}},
    {"safetensors", "st/shape_vs_bytes.safetensors", 3, {}, format("12")},
    {"safetensors", "st/unknown_dtype.safetensors", 3, {}, format("Q7_X")},
    {"safetensors", "st/duplicate_name.safetensors", 3, {}, format("\"a\"")},
    {"safetensors", "st/bad_numbers.safetensors", 3, {}, format("")},

    {"adapter",
     "adapter/all_linear.json",
     0,
     {{"/modules", "14"}, {"/trainable_parameters", "18688"}, {"/scale", "2.0"}},
     fine},
    {"adapter",
     "adapter/suffix_list.json",
     0,
     {{"/modules", "3"}, {"/trainable_parameters", "3968"}},
     {{0, "adapter.unmatched", "\"proj\""}}},
    {"adapter",
     "adapter/regex_target.json",
     0,
     {{"/modules", "2"},
      {"/trainable_parameters", "1792"},
      {"/targets/0/module", "\"model.layers.1.self_attn.q_proj\""}},
     fine},
    {"adapter",
     "adapter/rank_alpha_patterns.json",
     0,
     {{"/trainable_parameters", "19776"}, {"/rank_max", "16"}, {"/targets/1/scale", "0.5"}},
     {{0, "adapter.unmatched", "\"^v_proj\""}, {0, "adapter.unmatched", "\"qproj\""}}},
    {"adapter", "adapter/dora.json", 0, {{"/trainable_parameters", "19904"}}, fine},
    {"adapter", "adapter/modules_to_save.json", 0, {{"/trainable_parameters", "69120"}}, fine},
    {"adapter", "adapter/rslora.json", 0, {{"/scale", "2.0"}, {"/rank_max", "64"}}, fine},
    {"adapter",
     "adapter/legacy_keys.json",
     0,
     {{"/scale", "2.0"}},
     {{0, "adapter.ignored_keys", "enable_lora"}}},
    {"adapter",
     "adapter/future_keys.json",
     0,
     {{"/rank", "8"}, {"/type", "\"lora\""}},
     {{0, "adapter.ignored_keys", "brand_new_null"}}},

    {"data",
     "data/alpaca_bom_crlf.jsonl",
     0,
     {{"/kind", "\"alpaca\""}, {"/usable", "3"}, {"/encoding", "\"utf-8-bom\""}},
     fine},
    {"data", "data/alpaca_trailing_comma.json", 3, {}, {{4, "json.syntax", "trailing comma"}}},
    {"data",
     "data/alpaca_nan_literal.jsonl",
     0,
     {{"/rows", "5"}, {"/usable", "2"}},
     {{2, "syntax", ""}, {3, "syntax", ""}, {4, "syntax", ""}}},
    {"data",
     "data/alpaca_empty_outputs.jsonl",
     0,
     {{"/rows", "7"}, {"/usable", "2"}},
     {{2, "empty_output", ""},
      {3, "empty_output", ""},
      {4, "empty_output", ""},
      {5, "empty_output", ""},
      {6, "empty_output", ""}}},
    {"data", "data/alpaca_prompt_longer_than_cutoff.jsonl", 0, {{"/usable", "2"}}, fine},
    {"data", "data/array_named.jsonl", 0, {{"/kind", "\"alpaca\""}, {"/usable", "2"}}, fine},
    {"data", "data/lines_named.json", 0, {{"/usable", "2"}}, fine},
    {"data", "data/null_then_text.jsonl", 0, {{"/usable", "62"}}, {{62, "number_as_text", "7"}}},
    {"data",
     "data/pretokenized.jsonl",
     0,
     {{"/kind", "\"tokens\""}, {"/rows", "5"}},
     {{2, "length_mismatch", "4"}, {4, "no_trained_token", ""}, {5, "bad_id", "-4"}}},
    {"data", "data/three_turn_chat.jsonl", 0, {{"/kind", "\"messages\""}, {"/usable", "1"}}, fine},
    {"data", "data/tiny_three_rows.jsonl", 0, {{"/usable", "3"}}, fine},
    {"data",
     "data/truncated_last_line.jsonl",
     0,
     {{"/rows", "4"}, {"/usable", "3"}},
     {{4, "incomplete_line", ""}}},
    {"data", "data/unicode_forms.jsonl", 0, {{"/usable", "5"}}, fine},
    {"data",
     "data/control_tokens_in_text.jsonl",
     0,
     {{"/usable", "4"}},
     {{1, "control_tokens", "<|im_end|>"},
      {2, "control_tokens", "<|eot_id|>"},
      {3, "control_tokens", "<s>"}}},

    {"template",
     "tok/chatml_plain.json",
     0,
     {{"/rendered",
       R"("<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\nA<|im_end|>\n")"}},
     fine},
    {"template",
     "tok/bos_in_template.json",
     0,
     {{"/rendered",
       R"("<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nS<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nU<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nA<|eot_id|>")"}},
     fine},
    {"template", "tok/template_null.json", 3, {}, {{0, "template.missing", "chatml, llama3"}}},
    {"template", "tok/template_hostile.json", 3, {}, {{1, "template.syntax", ""}}},
    {"tokenizer",
     "tok/pad_is_eos.json",
     0,
     {{"/pad_is_eos", "true"}, {"/eos_token", "\"<|im_end|>\""}},
     {{0, "tokenizer.pad_is_eos", "masked by position"}}},
    {"tokenizer",
     "tok/template_null.json",
     0,
     {{"/has_template", "false"}},
     {{0, "template.missing", "chatml"}}},
};

class CaseTest : public testing::TestWithParam<Case>
{
};

TEST_P(CaseTest, IsReadAsItMust)
{
    const Case &c = GetParam();
    const auto file = test::dataFolder() / "cases" / c.file;
    const auto result =
        test::runProcess({test::binFolder() / "rentune", "inspect", c.kind, file.string(), "--json"});
    EXPECT_EQ(result.exitCode, c.exitCode) << result.err;
    const auto json = parseJson(result.out, "stdout");
    ASSERT_TRUE(json.ok()) << result.out;
    EXPECT_EQ(json->at("ok"), c.exitCode == 0);
    for (const Value &value : c.values)
        EXPECT_EQ(json->at("values").at(Json::json_pointer(value.pointer)), Json::parse(value.json))
            << value.pointer;
    const Json &problems = json->at("problems");
    ASSERT_EQ(problems.size(), c.problems.size()) << problems.dump(2);
    for (size_t i = 0; i < c.problems.size(); ++i) {
        EXPECT_EQ(problems[i].at("line"), c.problems[i].line);
        EXPECT_EQ(problems[i].at("code"), c.problems[i].code);
        EXPECT_THAT(problems[i].at("text").get<std::string>(), HasSubstr(c.problems[i].part));
    }
}

std::string caseName(const testing::TestParamInfo<Case> &info)
{
    std::string name = info.param.kind + "_" + info.param.file;
    for (char &c : name)
        c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(Given, CaseTest, testing::ValuesIn(cases), caseName);

struct FolderCase
{
    std::string folder;
    std::vector<std::string> parts; ///< each stands in some problem
};

TEST(FolderCases, EveryFaultOfAnIndexIsNamed)
{
    const FolderCase folders[] = {
        {"idx_missing_shard", {"model-00003-of-00003.safetensors", "model.norm.weight"}},
        {"idx_wrong_map", {"model.norm.weight", "model.layers.1.mlp.up_proj.weight", "999", "208"}},
        {"idx_path_escape", {"not a plain file name"}},
        {"idx_tied_no_head", {"lm_head.weight", "k_proj"}},
    };
    for (const FolderCase &c : folders) {
        const auto folder = test::dataFolder() / "cases" / c.folder;
        const auto index = folder / "model.safetensors.index.json";
        const bool model = std::filesystem::exists(folder / "config.json");
        const auto result =
            test::runProcess({test::binFolder() / "rentune", "inspect", model ? "model" : "safetensors",
                              model ? folder.string() : index.string(), "--json"});
        EXPECT_EQ(result.exitCode, 3) << c.folder << result.err;
        for (const std::string &part : c.parts)
            EXPECT_THAT(result.out, HasSubstr(part)) << c.folder;
    }
}

} // namespace
} // namespace rentune
