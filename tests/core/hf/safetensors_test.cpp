// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/safetensors.h"
#include "core/hf/safetensors_header.h"
#include "tests/support/env.h"

#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace rentune::hf {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::filesystem::path caseFile(const std::string &name)
{
    return test::dataFolder() / "cases/st" / (name + ".safetensors");
}

int64_t parameters(const SafetensorsFile &file)
{
    int64_t total = 0;
    for (const TensorEntry &entry : file.tensors())
        total += entry.elements();
    return total;
}

Result<SafetensorsHeader> parseText(const std::string &json, size_t dataBytes)
{
    std::string file(8, '\0');
    const uint64_t length = json.size();
    std::memcpy(file.data(), &length, 8);
    file += json + std::string(dataBytes, 'x');
    return parseSafetensorsHeader(std::as_bytes(std::span(file)), "f");
}

TEST(Safetensors, ReadsPaddedHeaderAndEmptyTensor)
{
    const auto file = SafetensorsFile::open(caseFile("ok_small_padded"));
    ASSERT_TRUE(file.ok()) << file.error().toString();
    ASSERT_EQ(file->tensors().size(), 3u);
    EXPECT_EQ(parameters(*file), 10);
    EXPECT_EQ(file->metadata().at("format"), "pt");
    const TensorEntry *w = file->find("w");
    ASSERT_TRUE(w);
    EXPECT_EQ(w->dtype, Dtype::F32);
    EXPECT_EQ(w->shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(file->bytes(*w).size(), 24u);
    EXPECT_EQ(file->bytes(*w)[1], std::byte{7});
    EXPECT_EQ(file->bytes(*file->find("empty")).size(), 0u);
    EXPECT_EQ(file->find("absent"), nullptr);
}

TEST(Safetensors, ReadsScalarsAndDtypesThatAreNotTrained)
{
    const auto file = SafetensorsFile::open(caseFile("scalar_and_mixed"));
    ASSERT_TRUE(file.ok()) << file.error().toString();
    EXPECT_EQ(parameters(*file), 10);
    EXPECT_EQ(file->find("s")->elements(), 1);
    EXPECT_EQ(dtypeName(file->find("q")->dtype), "F8_E4M3");
    EXPECT_TRUE(parseText(R"({"a":{"dtype":"F4","shape":[3,2],"data_offsets":[0,3]}})", 3).ok());
}

TEST(Safetensors, RefusesBrokenFilesWithTheFigures)
{
    const struct
    {
        const char *name;
        ErrorCode code;
        std::vector<std::string> words;
    } cases[] = {
        {"git_lfs_pointer",
         ErrorCode::SafetensorsIncomplete,
         {"Git LFS pointer", "4976698672", "download the real"}},
        {"header_len_huge", ErrorCode::SafetensorsFormat, {"header length 1099511627776 > limit 100000000"}},
        {"header_len_max_u64", ErrorCode::SafetensorsFormat, {"18446744073709551615"}},
        {"seven_bytes", ErrorCode::SafetensorsIncomplete, {"too short to be safetensors (7 bytes)"}},
        {"overlap", ErrorCode::SafetensorsFormat, {"tensors a and b overlap"}},
        {"hole", ErrorCode::SafetensorsFormat, {"bytes 8-16"}},
        {"data_cut", ErrorCode::SafetensorsIncomplete, {"needs 4075 bytes, has 1575", "download it again"}},
        {"shape_vs_bytes", ErrorCode::SafetensorsFormat, {"tensor a", "12 bytes", "give 8"}},
        {"unknown_dtype", ErrorCode::SafetensorsFormat, {"tensor a", "Q7_X"}},
        {"duplicate_name", ErrorCode::SafetensorsFormat, {"\"a\"", "twice"}},
        {"bad_numbers", ErrorCode::SafetensorsFormat, {"tensor a", "-2"}},
    };
    for (const auto &[name, code, words] : cases) {
        const auto file = SafetensorsFile::open(caseFile(name));
        ASSERT_FALSE(file.ok()) << name;
        EXPECT_EQ(file.error().code, code) << name;
        EXPECT_EQ(file.error().file, caseFile(name).string());
        for (const std::string &word : words)
            EXPECT_THAT(file.error().detail, HasSubstr(word)) << name;
    }
}

TEST(Safetensors, RefusesFilesThatAreNotThere)
{
    const test::TemporaryFolder folder;
    EXPECT_EQ(SafetensorsFile::open(folder.path() / "none").error().code, ErrorCode::FileMissing);
    EXPECT_EQ(SafetensorsFile::open(folder.path()).error().code, ErrorCode::FileRead);
    std::ofstream(folder.path() / "empty");
    EXPECT_THAT(SafetensorsFile::open(folder.path() / "empty").error().detail, HasSubstr("(0 bytes)"));
}

TEST(Safetensors, HeaderRules)
{
    const struct
    {
        const char *json;
        size_t data;
        const char *word;
    } cases[] = {
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 2, "1-2 at the end"},
        {" {}", 0, "does not begin"},
        {"[]", 0, "does not begin"},
        {"{\"a\":1}", 0, "\"dtype\" is missing"},
        {"{\"\xff\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "UTF-8"},
        {"{\"__metadata__\":{\"format\":1}}", 0, "\"format\" must be a string"},
        {"{\"__metadata__\":[]}", 0, "object of strings"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0]}}", 1, "impossible data_offsets"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,0]}}", 1, "impossible data_offsets"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":3,\"data_offsets\":[0,3]}}", 3, "\"shape\" must be"},
        {"{\"a\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2, "do not end on a byte"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0,
         "too large"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[18446744073709551615],\"data_offsets\":[0,0]}}", 0,
         "impossible size"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}", 1, "not valid JSON"},
    };
    for (const auto &[json, data, word] : cases) {
        const auto header = parseText(json, data);
        ASSERT_FALSE(header.ok()) << json;
        EXPECT_EQ(header.error().code, ErrorCode::SafetensorsFormat);
        EXPECT_THAT(header.error().detail, HasSubstr(word)) << json;
    }
    EXPECT_TRUE(parseText("{}", 0).ok());
    EXPECT_TRUE(parseText("{\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]},"
                          "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}   ",
                          2)
                    .ok());
}

/// A file of random tensors, and the bytes they own.
struct RandomFile
{
    std::vector<TensorView> tensors;
    std::vector<std::vector<std::byte>> data;

    explicit RandomFile(std::mt19937 &random)
    {
        constexpr Dtype kinds[] = {Dtype::F32, Dtype::BF16, Dtype::U8, Dtype::I64, Dtype::F8E4M3};
        const size_t count = random() % 6;
        data.resize(count);
        for (size_t i = 0; i < count; ++i) {
            TensorView tensor;
            tensor.name = "层." + std::to_string(random() % 1000) + "." + std::to_string(i);
            tensor.dtype = kinds[random() % 5];
            int64_t size = dtypeSize(tensor.dtype);
            for (size_t d = random() % 4; d > 0; --d) {
                tensor.shape.push_back(static_cast<int64_t>(random() % 4));
                size *= tensor.shape.back();
            }
            data[i].resize(static_cast<size_t>(size));
            for (std::byte &byte : data[i])
                byte = static_cast<std::byte>(random());
            tensor.bytes = data[i];
            tensors.push_back(std::move(tensor));
        }
    }
};

TEST(Safetensors, WhatIsWrittenReadsBackTheSame)
{
    std::mt19937 random(1);
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "f.safetensors";
    for (int round = 0; round < 60; ++round) {
        const RandomFile written(random);
        ASSERT_TRUE(
            writeSafetensors(systemFileOps(), path, written.tensors, {{"format", "pt"}, {"k", "值"}}).ok());
        const auto file = SafetensorsFile::open(path);
        ASSERT_TRUE(file.ok()) << file.error().toString();
        EXPECT_EQ(file->metadata().at("k"), "值");
        ASSERT_EQ(file->tensors().size(), written.tensors.size());
        for (const TensorView &tensor : written.tensors) {
            const TensorEntry *entry = file->find(tensor.name);
            ASSERT_TRUE(entry);
            EXPECT_EQ(entry->shape, tensor.shape);
            EXPECT_EQ(entry->dtype, tensor.dtype);
            EXPECT_TRUE(std::ranges::equal(file->bytes(*entry), tensor.bytes));
        }
    }
}

TEST(Safetensors, DataBeginAlignedAndInOrderOfDtypeSizeThenName)
{
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "f.safetensors";
    const std::vector<std::byte> bytes(8);
    const auto view = [&](const char *name, Dtype dtype) {
        return TensorView{name, dtype, {1}, std::span(bytes).first(static_cast<size_t>(dtypeSize(dtype)))};
    };
    ASSERT_TRUE(writeSafetensors(systemFileOps(), path,
                                 {view("c", Dtype::U8), view("b", Dtype::F32), view("a", Dtype::F32),
                                  view("d", Dtype::I64)})
                    .ok());
    const auto file = SafetensorsFile::open(path);
    ASSERT_TRUE(file.ok());
    std::string order;
    for (const TensorEntry &entry : file->tensors())
        order += entry.name;
    EXPECT_EQ(order, "dabc");
    EXPECT_EQ((std::filesystem::file_size(path) - 8 - 4 - 4 - 1) % 8, 0u);
    EXPECT_FALSE(std::filesystem::exists(path.string() + ".tmp"));
}

TEST(Safetensors, AFullDiskLeavesTheOldFileAndNoRest)
{
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "f.safetensors";
    std::ofstream(path) << "old";
    const TensorBytes fails = [](const TensorView &) -> Result<std::span<const std::byte>> {
        return Error{ErrorCode::DiskFull, "full"};
    };
    const auto result = writeSafetensors(systemFileOps(), path, {{"a", Dtype::U8, {1}, {}}}, {}, fails);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::DiskFull);
    EXPECT_EQ(*readFile(path), "old");
    EXPECT_FALSE(std::filesystem::exists(path.string() + ".tmp"));
}

/// Whatever bytes change, a reader answers; and if it accepts, every tensor lies inside the file.
TEST(Safetensors, DamagedFilesAreRefusedOrStaySound)
{
    std::mt19937 random(2);
    const std::string original = *readFile(caseFile("scalar_and_mixed"));
    int refused = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string bytes = original;
        for (size_t edits = 1 + random() % 3; edits > 0; --edits) {
            const size_t at = random() % bytes.size();
            switch (random() % 4) {
            case 0:
                bytes[at] = static_cast<char>(random());
                break;
            case 1:
                bytes.erase(at, 1 + random() % 4);
                break;
            case 2:
                bytes.insert(at, 1, "0123456789{}[]\",:-"[random() % 18]);
                break;
            default:
                bytes.resize(at + 1);
                break;
            }
            if (bytes.empty())
                break;
        }
        const auto header = parseSafetensorsHeader(std::as_bytes(std::span(bytes)), "f");
        if (!header) {
            ++refused;
            EXPECT_FALSE(header.error().detail.empty());
            continue;
        }
        for (const TensorEntry &entry : header->tensors) {
            ASSERT_LE(header->dataStart + static_cast<size_t>(entry.end), bytes.size());
            ASSERT_EQ(entry.elements() * dtypeBits(entry.dtype), (entry.end - entry.begin) * 8);
        }
    }
    EXPECT_GT(refused, 10000);
}

} // namespace
} // namespace rentune::hf
