// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/safetensors_header.h"

#include "core/base/json.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <fmt/core.h>
#include <optional>

namespace rentune::hf {
namespace {

struct DtypeFacts
{
    std::string_view name;
    int64_t bits;
};

/// In the order of the enum.
constexpr std::array dtypes{
    DtypeFacts{"BOOL", 8},        DtypeFacts{"F4", 4},          DtypeFacts{"F6_E2M3", 6},
    DtypeFacts{"F6_E3M2", 6},     DtypeFacts{"U8", 8},          DtypeFacts{"I8", 8},
    DtypeFacts{"F8_E4M3", 8},     DtypeFacts{"F8_E5M2", 8},     DtypeFacts{"F8_E8M0", 8},
    DtypeFacts{"F8_E4M3FNUZ", 8}, DtypeFacts{"F8_E5M2FNUZ", 8}, DtypeFacts{"I16", 16},
    DtypeFacts{"U16", 16},        DtypeFacts{"F16", 16},        DtypeFacts{"BF16", 16},
    DtypeFacts{"I32", 32},        DtypeFacts{"U32", 32},        DtypeFacts{"F32", 32},
    DtypeFacts{"I64", 64},        DtypeFacts{"U64", 64},        DtypeFacts{"F64", 64},
    DtypeFacts{"C64", 64},
};
static_assert(dtypes.size() == static_cast<size_t>(Dtype::C64) + 1);

std::optional<Dtype> dtypeByName(std::string_view name)
{
    const auto it = std::find_if(dtypes.begin(), dtypes.end(), [&](const auto &d) { return d.name == name; });
    if (it == dtypes.end())
        return {};
    return static_cast<Dtype>(it - dtypes.begin());
}

std::string_view asText(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// A whole number from 0 that fits 63 bits.
std::optional<int64_t> asSize(const SortedJson &value)
{
    if (!value.is_number_unsigned() || value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
        return {};
    return value.get<int64_t>();
}

std::string shown(const SortedJson &value)
{
    return value.dump(-1, ' ', true, SortedJson::error_handler_t::replace).substr(0, 60);
}

/// Reads the entries of one header; every error names the file.
class HeaderReader
{
public:
    explicit HeaderReader(const std::string &file) : m_file(file) {}

    Error malformed(std::string detail) const
    {
        return {ErrorCode::SafetensorsFormat, std::move(detail), m_file};
    }
    Error incomplete(std::string detail) const
    {
        return {ErrorCode::SafetensorsIncomplete, std::move(detail), m_file};
    }

    Result<std::string_view> headerText(std::span<const std::byte> bytes) const;
    Result<std::map<std::string, std::string>> metadata(const SortedJson &value) const;
    Result<TensorEntry> entry(const std::string &name, const SortedJson &value) const;
    Result<void> checkCover(std::span<const TensorEntry> sorted, size_t dataStart, size_t fileSize) const;

private:
    Result<std::vector<int64_t>> shape(const std::string &name, const SortedJson &value) const;

    const std::string &m_file;
};

/// What a checkout without Git LFS leaves in place of the file.
std::optional<std::string> lfsPointerSize(std::string_view text)
{
    if (!text.starts_with("version https://git-lfs"))
        return {};
    constexpr std::string_view key = "\nsize ";
    const size_t at = text.substr(0, 1024).find(key);
    if (at == std::string_view::npos)
        return "an unknown number of";
    const std::string_view digits = text.substr(at + key.size(), 20);
    return std::string(digits.substr(0, digits.find_first_not_of("0123456789")));
}

Result<std::string_view> HeaderReader::headerText(std::span<const std::byte> bytes) const
{
    if (const auto size = lfsPointerSize(asText(bytes)))
        return incomplete(
            fmt::format("is a Git LFS pointer, not the weights; download the real file ({} bytes)", *size));
    uint64_t length = 0;
    if (bytes.size() < sizeof length)
        return incomplete(
            fmt::format("too short to be safetensors ({} bytes); download it again", bytes.size()));
    std::memcpy(&length, bytes.data(), sizeof length); // little-endian, as every machine this runs on
    if (length > maxHeaderBytes)
        return malformed(
            fmt::format("header length {} > limit {} (the file has {} bytes): not a safetensors file", length,
                        maxHeaderBytes, bytes.size()));
    if (length > bytes.size() - sizeof length)
        return incomplete(
            fmt::format("incomplete: the header alone needs {} bytes, the file has {}; download it again",
                        length + sizeof length, bytes.size()));
    const std::string_view text = asText(bytes.subspan(sizeof length, length));
    if (!text.starts_with('{'))
        return malformed("the header does not begin with \"{\": not a safetensors file");
    return text;
}

Result<std::map<std::string, std::string>> HeaderReader::metadata(const SortedJson &value) const
{
    std::map<std::string, std::string> result;
    if (!value.is_object())
        return malformed("__metadata__ must be an object of strings");
    for (const auto &[key, item] : value.items()) {
        if (!item.is_string())
            return malformed(fmt::format("__metadata__: \"{}\" must be a string", key));
        result[key] = item.get<std::string>();
    }
    return result;
}

Result<std::vector<int64_t>> HeaderReader::shape(const std::string &name, const SortedJson &value) const
{
    std::vector<int64_t> sizes;
    if (!value.is_array())
        return malformed(fmt::format("tensor {}: \"shape\" must be a list of whole numbers", name));
    for (const SortedJson &item : value) {
        const auto size = asSize(item);
        if (!size)
            return malformed(fmt::format("tensor {}: impossible size {} in its shape", name, shown(item)));
        sizes.push_back(*size);
    }
    return sizes;
}

/// Bits of a tensor, or nothing where they do not fit 63 bits.
std::optional<int64_t> bitsOf(const TensorEntry &entry)
{
    int64_t bits = dtypeBits(entry.dtype);
    for (const int64_t size : entry.shape) {
        if (__builtin_mul_overflow(bits, size, &bits))
            return {};
    }
    return bits;
}

Result<TensorEntry> HeaderReader::entry(const std::string &name, const SortedJson &value) const
{
    for (const char *key : {"dtype", "shape", "data_offsets"}) {
        if (!value.is_object() || !value.contains(key))
            return malformed(fmt::format("tensor {}: \"{}\" is missing", name, key));
    }
    TensorEntry entry;
    entry.name = name;
    const SortedJson &dtype = value.at("dtype");
    const auto known = dtype.is_string() ? dtypeByName(dtype.get_ref<const std::string &>()) : std::nullopt;
    if (!known)
        return malformed(fmt::format("tensor {}: unknown dtype {}", name, shown(dtype)));
    entry.dtype = *known;
    RENTUNE_TRY(entry.shape, shape(name, value.at("shape")));

    const SortedJson &offsets = value.at("data_offsets");
    const bool pair = offsets.is_array() && offsets.size() == 2;
    const auto begin = pair ? asSize(offsets[0]) : std::nullopt;
    const auto end = pair ? asSize(offsets[1]) : std::nullopt;
    if (!begin || !end || *begin > *end)
        return malformed(fmt::format("tensor {}: impossible data_offsets {}", name, shown(offsets)));
    entry.begin = *begin;
    entry.end = *end;

    const auto bits = bitsOf(entry);
    if (!bits)
        return malformed(fmt::format("tensor {}: its shape {} is too large", name, shown(value.at("shape"))));
    if (*bits % 8 != 0)
        return malformed(fmt::format("tensor {}: {} bits do not end on a byte", name, *bits));
    if (*bits / 8 != entry.end - entry.begin)
        return malformed(fmt::format("tensor {}: shape {} of {} needs {} bytes, its offsets give {}", name,
                                     shown(value.at("shape")), dtypeName(entry.dtype), *bits / 8,
                                     entry.end - entry.begin));
    return entry;
}

Result<void> HeaderReader::checkCover(std::span<const TensorEntry> sorted, size_t dataStart,
                                      size_t fileSize) const
{
    int64_t covered = 0;
    const TensorEntry *before = nullptr;
    for (const TensorEntry &entry : sorted) {
        if (entry.begin < covered)
            return malformed(fmt::format("tensors {} and {} overlap: [{}, {}) and [{}, {})", before->name,
                                         entry.name, before->begin, before->end, entry.begin, entry.end));
        if (entry.begin > covered)
            return malformed(fmt::format("bytes {}-{} before tensor {} belong to no tensor", covered,
                                         entry.begin, entry.name));
        covered = entry.end;
        before = &entry;
    }
    const size_t has = fileSize - dataStart;
    if (static_cast<uint64_t>(covered) > has)
        return incomplete(fmt::format("incomplete: needs {} bytes, has {}; download it again",
                                      static_cast<uint64_t>(covered) + dataStart, fileSize));
    if (static_cast<uint64_t>(covered) < has)
        return malformed(fmt::format("bytes {}-{} at the end belong to no tensor", covered, has));
    return {};
}

} // namespace

std::string_view dtypeName(Dtype dtype)
{
    return dtypes.at(static_cast<size_t>(dtype)).name;
}

int64_t dtypeBits(Dtype dtype)
{
    return dtypes.at(static_cast<size_t>(dtype)).bits;
}

int64_t dtypeSize(Dtype dtype)
{
    assert(dtypeBits(dtype) % 8 == 0);
    return dtypeBits(dtype) / 8;
}

Result<SafetensorsHeader> parseSafetensorsHeader(std::span<const std::byte> bytes, const std::string &file)
{
    const HeaderReader reader(file);
    RENTUNE_TRY(const std::string_view text, reader.headerText(bytes));
    // A hostile header may hold a million names: an ordered object would search them one by one.
    const Result<SortedJson> json = parseSortedJson(text, file);
    if (!json)
        return reader.malformed("header: " + json.error().detail);

    SafetensorsHeader header;
    header.dataStart = sizeof(uint64_t) + text.size();
    for (const auto &[name, value] : json->items()) {
        if (name == "__metadata__") {
            RENTUNE_TRY(header.metadata, reader.metadata(value));
        } else {
            RENTUNE_TRY(auto entry, reader.entry(name, value));
            header.tensors.push_back(std::move(entry));
        }
    }
    std::sort(header.tensors.begin(), header.tensors.end(), [](const TensorEntry &a, const TensorEntry &b) {
        return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    RENTUNE_CHECK(reader.checkCover(header.tensors, header.dataStart, bytes.size()));
    return header;
}

} // namespace rentune::hf
