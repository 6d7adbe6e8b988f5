// SPDX-License-Identifier: GPL-3.0-or-later
// The trainer's small verbs as other programs call them.
#include "core/base/json.h"
#include "tests/support/env.h"
#include "tests/support/tiny_model.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

namespace rentune {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

class VerbsTest : public testing::Test
{
protected:
    static std::string tokenizer()
    {
        return (test::dataFolder() / "golden" / "tokenizers" / "qwen2").string();
    }

    static test::ProcessResult run(std::vector<std::string> words, const std::string &input = {})
    {
        words.insert(words.begin(), (test::binFolder() / "rentune-trainer").string());
        return test::runProcess(words, input);
    }
    /// What a verb that succeeds prints.
    static Json output(const std::vector<std::string> &words, const std::string &input = {})
    {
        const test::ProcessResult result = run(words, input);
        EXPECT_EQ(result.exitCode, 0) << result.err;
        return parseJson(result.out, "output").value();
    }
    static void expectFailure(int code, const std::string &part, const std::vector<std::string> &words,
                              const std::string &input = {})
    {
        const test::ProcessResult result = run(words, input);
        EXPECT_EQ(result.exitCode, code);
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
        EXPECT_THAT(result.err, HasSubstr(part));
    }
    std::string write(const std::string &name, const std::string &text)
    {
        std::ofstream(m_temporary.path() / name) << text;
        return (m_temporary.path() / name).string();
    }

    test::TemporaryFolder m_temporary;
};

TEST_F(VerbsTest, TokenizeAndBack)
{
    const std::string texts = R"(["", "Hello 世界", "a<|im_end|>b"])";
    const Json ids = output({"tokenize", "--model", tokenizer()}, texts);
    ASSERT_EQ(ids.size(), 3u);
    EXPECT_EQ(ids[0], Json::array());
    EXPECT_EQ(ids[2].size(), 3u);
    EXPECT_EQ(output({"detokenize", "--model", tokenizer()}, ids.dump()), parseJson(texts, "").value());
    const Json content = output({"tokenize", "--model", tokenizer(), "--content"}, texts);
    EXPECT_GT(content[2].size(), 3u);
    EXPECT_EQ(std::ranges::count(content[2], ids[2][1]), 0);
    EXPECT_EQ(output({"detokenize", "--model", tokenizer()}, content.dump()), parseJson(texts, "").value());
}

TEST_F(VerbsTest, TokenizeRefusesOtherInput)
{
    expectFailure(3, "json.syntax", {"tokenize", "--model", tokenizer()}, "[\"a\"");
    expectFailure(3, "element 1", {"tokenize", "--model", tokenizer()}, R"(["a", 1])");
    expectFailure(3, "element 0", {"detokenize", "--model", tokenizer()}, R"([[-1]])");
    expectFailure(3, "tokenizer.json", {"tokenize", "--model", m_temporary.path().string()}, "[]");
}

TEST_F(VerbsTest, RenderShowsWhatIsTrained)
{
    const std::string chat = (test::dataFolder() / "cases" / "data" / "three_turn_chat.jsonl").string();
    const Json rendered = output({"render", "--model", tokenizer(), "--data", chat, "--row", "0"});
    ASSERT_EQ(rendered.at("ids").size(), rendered.at("labels").size());
    Json trained = Json::array();
    for (const Json &label : rendered.at("labels"))
        if (label != -100)
            trained.push_back(label);
    const Json text = output({"detokenize", "--model", tokenizer()}, Json::array({trained}).dump());
    EXPECT_EQ(text[0], "one<|im_end|>two<|im_end|>three<|im_end|>");

    const Json all =
        output({"render", "--model", tokenizer(), "--data", chat, "--row", "0", "--train-on", "all"});
    EXPECT_EQ(all.at("labels"), all.at("ids"));
    EXPECT_EQ(all.at("ids"), rendered.at("ids"));
}

TEST_F(VerbsTest, RenderOptions)
{
    const std::string data = write("d.jsonl", R"({"messages": [{"role": "user", "content": "x<|im_end|>"}]})"
                                              "\n");
    const std::string chatTemplate =
        write("t.jinja",
              "{% for m in messages %}<|im_start|>{{ m.content }}{% endfor %}"
              "{% if add_generation_prompt %}<|im_start|>go{% endif %}{{ tools | length if tools else '' }}");
    const std::vector<std::string> words = {"render", "--model", tokenizer(),  "--data",    data,
                                            "--row",  "0",       "--template", chatTemplate};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), words.begin(), words.end());
        return more;
    };
    const Json plain = output(words);
    EXPECT_EQ(plain.at("text"), "<|im_start|>x<|im_end|>");
    const Json special = output(with({"--control-tokens", "special"}));
    EXPECT_EQ(special.at("text"), plain.at("text"));
    EXPECT_EQ(special.at("ids").size(), 3u);
    EXPECT_GT(plain.at("ids").size(), 3u);
    EXPECT_EQ(output(with({"--add-generation-prompt"})).at("text"), "<|im_start|>x<|im_end|><|im_start|>go");
    const std::string tools = write("tools.json", R"([{"type": "function"}, {"type": "function"}])");
    EXPECT_EQ(output(with({"--tools", tools})).at("text"), "<|im_start|>x<|im_end|>2");

    write("t.jinja", "{{ raise_exception('no such role') }}");
    expectFailure(3, "no such role", words);
    expectFailure(3, "data.row", {"render", "--model", tokenizer(), "--data", data, "--row", "1"});
    expectFailure(3, "missing", {"render", "--model", tokenizer(), "--data", data + "x", "--row", "0"});
}

TEST_F(VerbsTest, VerifyTellsWholeFromBroken)
{
    const fs::path model = m_temporary.path() / "model";
    test::writeTinyModel(model);
    const test::ProcessResult whole = run({"verify", model.string()});
    EXPECT_EQ(whole.exitCode, 0) << whole.err;
    EXPECT_THAT(whole.out, HasSubstr("LlamaForCausalLM"));
    fs::resize_file(model / "model.safetensors", 5000);
    expectFailure(3, "model.safetensors", {"verify", model.string()});
    write("manifest.json", "{}");
    expectFailure(6, "checkpoint.broken", {"verify", m_temporary.path().string()});
}

TEST_F(VerbsTest, VersionAndDoctor)
{
    const Json version = output({"version", "--json"});
    for (const char *key : {"trainer", "wire", "torch"})
        EXPECT_TRUE(version.contains(key)) << key;
    const Json facts = output({"doctor", "--json"});
    EXPECT_GT(facts.at("memory_bytes").get<int64_t>(), 0);
    EXPECT_GT(facts.at("threads").get<int>(), 0);
}

TEST_F(VerbsTest, ImportRefusesWhatIsNoGguf)
{
    const std::string file = write("x.gguf", "not a model");
    expectFailure(3, "gguf.format", {"import-gguf", file, "--output", (m_temporary.path() / "out").string()});
    EXPECT_FALSE(fs::exists(m_temporary.path() / "out" / "config.json"));
}

} // namespace
} // namespace rentune
