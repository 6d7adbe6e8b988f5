// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/gguf.h"
#include "core/hf/gguf_weights.h"
#include "core/hf/model_weights.h"
#include "tests/core/hf/gguf_writer.h"
#include "tests/support/env.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace rentune::hf {
namespace {

namespace fs = std::filesystem;
using test::GgufWriter;
using testing::ElementsAre;
using testing::HasSubstr;

/// A text file's worth of a byte-level vocabulary with two special and one user's token.
void addTokenizer(GgufWriter &gguf, const std::string &pre)
{
    gguf.text("tokenizer.ggml.model", "gpt2");
    gguf.text("tokenizer.ggml.pre", pre);
    gguf.texts("tokenizer.ggml.tokens", {"<|end|>", "<|im|>", "a", "b", "Ġ", "ab", "<tool>", "[PAD7]"});
    gguf.integers("tokenizer.ggml.token_type", {3, 3, 1, 1, 1, 1, 4, 5});
    gguf.texts("tokenizer.ggml.merges", {"a b"});
    gguf.integer("tokenizer.ggml.bos_token_id", 1);
    gguf.integer("tokenizer.ggml.eos_token_id", 0);
    gguf.text("tokenizer.chat_template", "{{ messages }} 你好");
}

/// One layer, width 32, 4 query and 2 key heads of dimension 8: every row is one quantisation block.
struct TinyGguf
{
    explicit TinyGguf(const std::string &architecture = "llama", GgmlType type = GgmlType::Q8_0,
                      const std::string &pre = "smollm")
    {
        gguf.text("general.architecture", architecture);
        const auto key = [&](const char *name) { return architecture + "." + name; };
        gguf.integer(key("block_count"), 1);
        gguf.integer(key("context_length"), 64);
        gguf.integer(key("embedding_length"), 32);
        gguf.integer(key("feed_forward_length"), 64);
        gguf.integer(key("attention.head_count"), 4);
        gguf.integer(key("attention.head_count_kv"), 2);
        gguf.number(key("rope.freq_base"), 100000.0F);
        gguf.number(key("attention.layer_norm_rms_epsilon"), 1e-5F);
        addTokenizer(gguf, pre);
        std::vector<std::pair<std::string, std::vector<int64_t>>> shapes = {
            {"token_embd.weight", {8, 32}},      {"output_norm.weight", {32}},
            {"blk.0.attn_norm.weight", {32}},    {"blk.0.ffn_norm.weight", {32}},
            {"blk.0.attn_q.weight", {32, 32}},   {"blk.0.attn_k.weight", {16, 32}},
            {"blk.0.attn_v.weight", {16, 32}},   {"blk.0.attn_output.weight", {32, 32}},
            {"blk.0.ffn_gate.weight", {64, 32}}, {"blk.0.ffn_up.weight", {64, 32}},
            {"blk.0.ffn_down.weight", {32, 64}}};
        if (architecture == "qwen2")
            shapes.insert(
                shapes.end(),
                {{"blk.0.attn_q.bias", {32}}, {"blk.0.attn_k.bias", {16}}, {"blk.0.attn_v.bias", {16}}});
        for (const auto &[name, shape] : shapes)
            gguf.randomTensor(name, shape.size() == 1 ? GgmlType::F32 : type, shape);
    }

    Result<void> import() { return importGguf(systemFileOps(), write(), out()); }
    fs::path write() const
    {
        const fs::path path = folder.path() / "m.gguf";
        std::ofstream(path, std::ios::binary) << gguf.bytes();
        return path;
    }
    fs::path out() const { return folder.path() / "out"; }
    Json json(const char *file) const { return *readJson(out() / file); }

    test::TemporaryFolder folder;
    GgufWriter gguf;
};

/// One value as the format defines it, by its place in the packed tensor: written for clarity, not speed.
double plainValue(GgmlType type, const std::string &packed, size_t index)
{
    const auto half = [&](size_t at) {
        const int bits = static_cast<uint8_t>(packed[at]) | static_cast<uint8_t>(packed[at + 1]) << 8;
        const int exponent = bits >> 10 & 31;
        const double fraction = (bits & 1023) / 1024.0;
        const double magnitude =
            exponent == 0 ? std::pow(2.0, -14) * fraction : std::pow(2.0, exponent - 15) * (1 + fraction);
        return bits & 0x8000 ? -magnitude : magnitude;
    };
    const auto byte = [&](size_t at) { return static_cast<uint8_t>(packed[at]); };
    const size_t block = index / 32;
    const size_t in = index % 32;
    const auto nibble = [&](size_t quants) {
        return in < 16 ? byte(quants + in) % 16 : byte(quants + in - 16) / 16;
    };
    float value = 0;
    switch (type) {
    case GgmlType::F32:
        std::memcpy(&value, &packed[4 * index], 4);
        return static_cast<double>(value);
    case GgmlType::F16:
        return half(2 * index);
    case GgmlType::BF16: {
        std::memcpy(reinterpret_cast<char *>(&value) + 2, &packed[2 * index], 2);
        return static_cast<double>(value);
    }
    case GgmlType::Q8_0:
        return half(34 * block) * static_cast<int8_t>(packed[34 * block + 2 + in]);
    case GgmlType::Q4_0:
        return half(18 * block) * (nibble(18 * block + 2) - 8);
    case GgmlType::Q4_1:
        return half(20 * block) * nibble(20 * block + 4) + half(20 * block + 2);
    }
    return NAN;
}

float bf16At(std::span<const std::byte> bytes, size_t index)
{
    uint16_t bits = 0;
    std::memcpy(&bits, bytes.data() + 2 * index, 2);
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

class GgufTypes : public testing::TestWithParam<GgmlType>
{
};

TEST_P(GgufTypes, ValuesAreThoseOfTheFormatRoundedToBf16)
{
    TinyGguf tiny("qwen2", GetParam(), "qwen2");
    const auto result = tiny.import();
    ASSERT_TRUE(result.ok()) << result.error().toString();
    const auto weights = ModelWeights::open(tiny.out(), *readModelConfig(tiny.out()));
    ASSERT_TRUE(weights.ok()) << weights.error().toString();
    const std::pair<const char *, const char *> names[] = {
        {"model.layers.0.mlp.down_proj.weight", "blk.0.ffn_down.weight"},
        {"model.layers.0.self_attn.q_proj.weight", "blk.0.attn_q.weight"},
        {"model.embed_tokens.weight", "token_embd.weight"}};
    for (const auto &[name, source] : names) {
        const auto tensor = weights->tensor(name);
        EXPECT_EQ(tensor.entry->dtype, Dtype::BF16);
        for (size_t i = 0; i < static_cast<size_t>(tensor.entry->elements()); ++i) {
            const double expected = plainValue(GetParam(), tiny.gguf.packed(source), i);
            // Half a unit in the last of bf16's 8 bits.
            ASSERT_NEAR(static_cast<double>(bf16At(tensor.bytes, i)), expected, std::abs(expected) / 256)
                << name << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, GgufTypes,
                         testing::Values(GgmlType::F32, GgmlType::F16, GgmlType::BF16, GgmlType::Q8_0,
                                         GgmlType::Q4_0, GgmlType::Q4_1));

TEST(Gguf, RoundsToNearestEven)
{
    const std::pair<uint32_t, uint16_t> cases[] = {
        {0x3f800000, 0x3f80}, {0x3f808000, 0x3f80}, {0x3f818000, 0x3f82}, {0x3f808001, 0x3f81},
        {0x7f7fffff, 0x7f80}, {0xff800000, 0xff80}, {0x80000000, 0x8000}};
    for (const auto &[bits, rounded] : cases)
        EXPECT_EQ(toBf16(std::bit_cast<float>(bits)), rounded) << std::hex << bits;
    EXPECT_TRUE(std::isnan(std::bit_cast<float>(uint32_t{toBf16(std::bit_cast<float>(0x7f800001U))} << 16)));
    EXPECT_EQ(fromHalf(0x0001), 0x1p-24F);
    EXPECT_EQ(fromHalf(0x83ff), -1023 * 0x1p-24F);
    EXPECT_EQ(fromHalf(0x7bff), 65504.0F);
    EXPECT_EQ(fromHalf(0xfc00), -INFINITY);
    EXPECT_TRUE(std::isnan(fromHalf(0x7e00)));
}

/// The converter reshapes a head's rows [2, half] to [half, 2]; undoing it must give every row its old place.
TEST(Gguf, RowsOfQueryAndKeyGoBackToTheirPlaces)
{
    TinyGguf tiny("llama", GgmlType::F32);
    for (const auto &[name, heads] :
         {std::pair("blk.0.attn_q.weight", 4), std::pair("blk.0.attn_k.weight", 2)}) {
        std::string packed;
        for (int head = 0; head < heads; ++head) {
            for (int i = 0; i < 4; ++i) {
                for (const int part : {0, 1}) {
                    const auto row = static_cast<float>(head * 8 + part * 4 + i);
                    for (int column = 0; column < 32; ++column)
                        packed.append(reinterpret_cast<const char *>(&row), sizeof row);
                }
            }
        }
        tiny.gguf.replace(name, packed);
    }
    ASSERT_TRUE(tiny.import().ok());
    const auto weights = ModelWeights::open(tiny.out(), *readModelConfig(tiny.out()));
    for (const char *name :
         {"model.layers.0.self_attn.q_proj.weight", "model.layers.0.self_attn.k_proj.weight"}) {
        const auto tensor = weights->tensor(name);
        for (int64_t row = 0; row < tensor.entry->shape[0]; ++row)
            EXPECT_EQ(bf16At(tensor.bytes, static_cast<size_t>(row * 32 + 5)), static_cast<float>(row))
                << name;
    }
}

TEST(Gguf, WritesTheConfiguration)
{
    TinyGguf tiny;
    const auto result = tiny.import();
    ASSERT_TRUE(result.ok()) << result.error().toString();
    const auto config = readModelConfig(tiny.out());
    ASSERT_TRUE(config.ok());
    EXPECT_EQ(config->architecture, "LlamaForCausalLM");
    EXPECT_EQ(config->rmsNormEps, 1e-5);
    EXPECT_EQ(config->rope.theta, 100000);
    EXPECT_EQ(config->kvHeads, 2);
    EXPECT_EQ(config->headDim, 8);
    EXPECT_EQ(config->vocabSize, 8);
    EXPECT_TRUE(config->tieWordEmbeddings);
    EXPECT_EQ(config->dtype, "bfloat16");
    EXPECT_THAT(config->eosTokenIds, ElementsAre(0));
    EXPECT_EQ(tiny.json("generation_config.json"), (Json{{"bos_token_id", 1}, {"eos_token_id", 0}}));

    TinyGguf untied("qwen3", GgmlType::F16, "qwen2");
    untied.gguf.randomTensor("output.weight", GgmlType::F16, {8, 32});
    untied.gguf.integer("qwen3.attention.key_length", 8);
    untied.gguf.integer("tokenizer.ggml.eot_token_id", 1);
    untied.gguf.randomTensor("blk.0.attn_q_norm.weight", GgmlType::F32, {8});
    untied.gguf.randomTensor("blk.0.attn_k_norm.weight", GgmlType::F32, {8});
    const auto imported = untied.import();
    ASSERT_TRUE(imported.ok()) << imported.error().toString();
    EXPECT_FALSE(readModelConfig(untied.out())->tieWordEmbeddings);
    EXPECT_THAT(readModelConfig(untied.out())->eosTokenIds, ElementsAre(0, 1));
}

TEST(Gguf, WritesTheTokenizer)
{
    TinyGguf tiny;
    ASSERT_TRUE(tiny.import().ok());
    const Json tokenizer = tiny.json("tokenizer.json");
    EXPECT_EQ(tokenizer["model"]["vocab"],
              (Json{{"<|end|>", 0}, {"<|im|>", 1}, {"a", 2}, {"b", 3}, {"Ġ", 4}, {"ab", 5}, {"<tool>", 6}}));
    EXPECT_EQ(tokenizer["model"]["merges"], (Json::array({{"a", "b"}})));
    ASSERT_EQ(tokenizer["added_tokens"].size(), 3u);
    EXPECT_EQ(tokenizer["added_tokens"][0]["content"], "<|end|>");
    EXPECT_EQ(tokenizer["added_tokens"][0]["special"], true);
    EXPECT_EQ(tokenizer["added_tokens"][2]["id"], 6);
    EXPECT_EQ(tokenizer["added_tokens"][2]["special"], false);
    EXPECT_EQ(tokenizer["post_processor"], nullptr);
    const Json settings = tiny.json("tokenizer_config.json");
    EXPECT_EQ(settings["bos_token"], "<|im|>");
    EXPECT_EQ(settings["eos_token"], "<|end|>");
    EXPECT_FALSE(settings.contains("pad_token"));
    EXPECT_EQ(settings["chat_template"], "{{ messages }} 你好");
    EXPECT_EQ(settings["model_max_length"], 64);
}

TEST(Gguf, PreTokenizersFollowTheName)
{
    const auto preTokenizer = [](const char *name) {
        TinyGguf tiny("llama", GgmlType::F32, name);
        EXPECT_TRUE(tiny.import().ok()) << name;
        return tiny.json("tokenizer.json");
    };
    const Json smollm = preTokenizer("smollm")["pre_tokenizer"]["pretokenizers"];
    EXPECT_EQ(smollm[0], (Json{{"type", "Digits"}, {"individual_digits", true}}));
    EXPECT_EQ(smollm[1]["type"], "ByteLevel");
    EXPECT_EQ(smollm[1]["use_regex"], true);
    const Json qwen2 = preTokenizer("qwen2");
    EXPECT_EQ(qwen2["normalizer"]["type"], "NFC");
    EXPECT_EQ(
        qwen2["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"],
        R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)");
    const Json llama = preTokenizer("llama-bpe");
    EXPECT_THAT(llama["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"].get<std::string>(),
                HasSubstr(R"(|\p{N}{1,3}|)"));
    EXPECT_EQ(llama["model"]["ignore_merges"], true);
    EXPECT_EQ(llama["post_processor"]["single"][0]["SpecialToken"]["id"], "<|im|>");
    for (const char *name : {"gpt-2", "default"})
        EXPECT_EQ(preTokenizer(name)["pre_tokenizer"]["type"], "ByteLevel");
}

void expectRefusal(TinyGguf &tiny, ErrorCode code, const std::string &word)
{
    const auto result = tiny.import();
    ASSERT_FALSE(result.ok()) << word;
    EXPECT_EQ(result.error().code, code) << result.error().toString();
    EXPECT_THAT(result.error().detail, HasSubstr(word));
    EXPECT_FALSE(fs::exists(tiny.out() / "config.json"));
}

TEST(Gguf, RefusesWhatItCannotImportByName)
{
    TinyGguf falcon("falcon");
    expectRefusal(falcon, ErrorCode::GgufUnsupported, "architecture falcon");
    TinyGguf tekken("llama", GgmlType::F32, "tekken");
    expectRefusal(tekken, ErrorCode::GgufUnsupported, "pre-tokenizer tekken");
    TinyGguf unigram;
    unigram.gguf.text("tokenizer.ggml.model", "llama");
    expectRefusal(unigram, ErrorCode::GgufUnsupported, "tokenizer llama");
    TinyGguf scaled;
    scaled.gguf.text("llama.rope.scaling.type", "yarn");
    expectRefusal(scaled, ErrorCode::GgufUnsupported, "rope scaling yarn");
    TinyGguf experts;
    experts.gguf.integer("llama.expert_count", 8);
    expectRefusal(experts, ErrorCode::GgufUnsupported, "llama.expert_count");
    TinyGguf partial;
    partial.gguf.integer("llama.rope.dimension_count", 4);
    expectRefusal(partial, ErrorCode::GgufUnsupported, "over 4 of 8 dimensions");
    TinyGguf extra;
    extra.gguf.randomTensor("blk.0.ffn_gate_exps.weight", GgmlType::F32, {4, 4});
    expectRefusal(extra, ErrorCode::GgufUnsupported, "blk.0.ffn_gate_exps.weight has no place");
    TinyGguf exotic;
    exotic.gguf.randomTensor("x", static_cast<GgmlType>(12), {1, 256});
    expectRefusal(exotic, ErrorCode::GgufUnsupported, "tensor x has type 12");
}

TEST(Gguf, RefusesContradictions)
{
    TinyGguf shape;
    shape.gguf.integer("llama.feed_forward_length", 96);
    expectRefusal(shape, ErrorCode::GgufFormat, "has shape [64, 32], the metadata ask for [96, 32]");
    TinyGguf layers;
    layers.gguf.integer("llama.block_count", 2);
    expectRefusal(layers, ErrorCode::GgufFormat, "blk.1.attn_q.weight is missing");
    TinyGguf absurd;
    absurd.gguf.integer("llama.embedding_length", int64_t{1} << 60);
    expectRefusal(absurd, ErrorCode::GgufFormat, "hidden_size");
    TinyGguf types;
    types.gguf.integers("tokenizer.ggml.token_type", {1, 1});
    expectRefusal(types, ErrorCode::GgufFormat, "8 tokens but 2 token types");
    TinyGguf merge;
    merge.gguf.texts("tokenizer.ggml.merges", {"a b", "b a"});
    expectRefusal(merge, ErrorCode::GgufFormat, "merge 1 (\"b a\")");
    TinyGguf end;
    end.gguf.integer("tokenizer.ggml.eos_token_id", 8);
    expectRefusal(end, ErrorCode::GgufFormat, "eos_token_id 8 is beyond the 8 tokens");
    TinyGguf alignment;
    alignment.gguf.integer("general.alignment", 24);
    expectRefusal(alignment, ErrorCode::GgufFormat, "alignment 24");
}

Result<GgufFile> openBytes(const fs::path &path, const std::string &bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
    return GgufFile::open(path);
}

TEST(Gguf, EveryCutIsRefused)
{
    const TinyGguf tiny;
    const fs::path path = tiny.write();
    ASSERT_TRUE(GgufFile::open(path).ok());
    for (size_t size = fs::file_size(path); size > 0; size -= std::min<size_t>(size, size > 3000 ? 501 : 1)) {
        fs::resize_file(path, size - 1);
        const auto file = GgufFile::open(path);
        ASSERT_FALSE(file.ok()) << size;
        EXPECT_EQ(file.error().code, ErrorCode::GgufFormat);
    }
}

/// Counts and lengths set to huge values must be refused before memory is taken for them.
TEST(Gguf, DamagedFilesAreRefusedOrStaySound)
{
    const TinyGguf tiny;
    const std::string whole = tiny.gguf.bytes();
    const fs::path path = tiny.write();
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto put = [&](size_t at, const std::string &bytes) {
        file.seekp(static_cast<std::streamoff>(at));
        file << bytes << std::flush;
    };
    std::mt19937 random(3);
    int refused = 0;
    for (int round = 0; round < 3000; ++round) {
        const size_t at = random() % 2200;
        const std::string damage =
            round % 2 == 0 ? std::string(8, '\xff') : std::string(1, static_cast<char>(random()));
        put(at, damage);
        const auto gguf = GgufFile::open(path);
        refused += gguf.ok() ? 0 : 1;
        for (const GgufTensor &tensor : gguf.ok() ? gguf->tensors() : std::vector<GgufTensor>{})
            ASSERT_LE(tensor.bytes.size(), whole.size());
        put(at, whole.substr(at, damage.size()));
    }
    EXPECT_TRUE(GgufFile::open(path).ok());
    EXPECT_GT(refused, 1000);
}

TEST(Gguf, OtherVersionsAreNamed)
{
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "f";
    EXPECT_THAT(openBytes(path, "GGML" + std::string(20, '\0')).error().detail, HasSubstr("not a GGUF file"));
    EXPECT_THAT(openBytes(path, std::string("GGUF\x01\0\0\0", 8) + std::string(16, '\0')).error().detail,
                HasSubstr("GGUF version 1"));
    EXPECT_THAT(openBytes(path, std::string("GGUF\0\0\0\x03", 8) + std::string(16, '\0')).error().detail,
                HasSubstr("big-endian"));
    EXPECT_EQ(openBytes(path, std::string("GGUF\x03\0\0\0", 8) + std::string(16, '\xff')).error().code,
              ErrorCode::GgufFormat);
}

} // namespace
} // namespace rentune::hf
