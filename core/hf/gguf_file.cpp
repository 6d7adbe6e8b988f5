// SPDX-License-Identifier: GPL-3.0-or-later
// Format: ggml's docs/gguf.md. Strings are a u64 length and bytes; arrays a u32 type, a u64 count and the
// values.
#include "core/hf/gguf_file.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <limits>

namespace rentune::hf {
namespace {

enum class ValueType : uint32_t
{
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Bool,
    String,
    Array,
    U64,
    I64,
    F64
};

/// Fewest bytes a value of the type takes in the file; 0 for types that do not exist.
size_t smallestSize(ValueType type)
{
    constexpr size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
    const auto index = static_cast<size_t>(type);
    return index < std::size(sizes) ? sizes[index] : 0;
}

bool isKnown(uint32_t type)
{
    switch (static_cast<GgmlType>(type)) {
    case GgmlType::F32:
    case GgmlType::F16:
    case GgmlType::Q4_0:
    case GgmlType::Q4_1:
    case GgmlType::Q8_0:
    case GgmlType::BF16:
        return true;
    }
    return false;
}

} // namespace

GgmlBlock blockOf(GgmlType type)
{
    switch (type) {
    case GgmlType::F32:
        return {1, 4};
    case GgmlType::F16:
    case GgmlType::BF16:
        return {1, 2};
    case GgmlType::Q4_0:
        return {32, 18}; // half scale, 32 nibbles
    case GgmlType::Q4_1:
        return {32, 20}; // half scale, half minimum, 32 nibbles
    case GgmlType::Q8_0:
        return {32, 34}; // half scale, 32 int8
    }
    return {1, 1};
}

/// Reads the file front to back. The first failure sticks; afterwards every read gives zero, so that loops
/// need to look only now and then.
class GgufParser
{
public:
    GgufParser(GgufFile &file, std::string path)
        : m_file(file), m_bytes(file.m_file.bytes()), m_path(std::move(path))
    {
    }

    Result<void> parse();

private:
    using Value = GgufFile::Value;

    void parseHeader();
    void parseMetadata();
    void parseTensorInfos();
    void placeTensors();

    template <typename T>
    T read();
    std::string_view readText();
    Value readValue(ValueType type);
    Value readArray();
    int64_t readInteger(ValueType type);
    double readFloat(ValueType type);

    size_t left() const { return m_bytes.size() - m_at; }
    bool failed() const { return m_error.has_value(); }
    void fail(ErrorCode code, std::string detail);
    void fail(std::string detail) { fail(ErrorCode::GgufFormat, std::move(detail)); }
    /// A count of things that take at least `size` bytes each must fit in what is left.
    bool countFits(uint64_t count, size_t size, std::string_view what);

    GgufFile &m_file;
    std::span<const std::byte> m_bytes;
    std::string m_path;
    size_t m_at = 0;
    uint64_t m_tensorCount = 0;
    uint64_t m_valueCount = 0;
    std::vector<uint64_t> m_offsets; ///< of the tensors, from the start of the data
    std::optional<Error> m_error;
};

void GgufParser::fail(ErrorCode code, std::string detail)
{
    if (!m_error)
        m_error = Error{code, std::move(detail), m_path};
}

template <typename T>
T GgufParser::read()
{
    T value{};
    if (failed())
        return value;
    if (left() < sizeof value) {
        fail(fmt::format("cut off at byte {}; download it again", m_bytes.size()));
        return value;
    }
    std::memcpy(&value, m_bytes.data() + m_at, sizeof value);
    m_at += sizeof value;
    return value;
}

bool GgufParser::countFits(uint64_t count, size_t size, std::string_view what)
{
    if (failed())
        return false;
    if (count <= left() / size)
        return true;
    fail(fmt::format("byte {}: {} {} cannot fit in the {} bytes left; the file is broken or cut off", m_at,
                     count, what, left()));
    return false;
}

std::string_view GgufParser::readText()
{
    const auto length = read<uint64_t>();
    if (!countFits(length, 1, "bytes of text"))
        return {};
    const auto text = std::string_view(reinterpret_cast<const char *>(m_bytes.data() + m_at), length);
    m_at += length;
    return text;
}

int64_t GgufParser::readInteger(ValueType type)
{
    switch (type) {
    case ValueType::U8:
        return read<uint8_t>();
    case ValueType::I8:
        return read<int8_t>();
    case ValueType::U16:
        return read<uint16_t>();
    case ValueType::I16:
        return read<int16_t>();
    case ValueType::U32:
        return read<uint32_t>();
    case ValueType::I32:
        return read<int32_t>();
    case ValueType::I64:
        return read<int64_t>();
    default:
        break;
    }
    const auto value = read<uint64_t>();
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        fail(fmt::format("byte {}: {} is too large a number", m_at, value));
    return static_cast<int64_t>(value);
}

double GgufParser::readFloat(ValueType type)
{
    return type == ValueType::F32 ? static_cast<double>(read<float>()) : read<double>();
}

GgufParser::Value GgufParser::readValue(ValueType type)
{
    switch (type) {
    case ValueType::F32:
    case ValueType::F64:
        return readFloat(type);
    case ValueType::Bool:
        return read<uint8_t>() != 0;
    case ValueType::String:
        return readText();
    case ValueType::Array:
        return readArray();
    default:
        break;
    }
    if (smallestSize(type) == 0) {
        fail(fmt::format("byte {}: value type {} does not exist", m_at, static_cast<uint32_t>(type)));
        return {};
    }
    return readInteger(type);
}

GgufParser::Value GgufParser::readArray()
{
    const auto type = static_cast<ValueType>(read<uint32_t>());
    const auto count = read<uint64_t>();
    const size_t size = smallestSize(type);
    if (size == 0 || type == ValueType::Array) {
        fail(fmt::format("byte {}: arrays of value type {} are not readable", m_at,
                         static_cast<uint32_t>(type)));
        return {};
    }
    if (!countFits(count, size, "array values"))
        return {};
    const auto fill = [&](auto list, auto readOne) -> Value {
        list.reserve(count);
        for (uint64_t i = 0; i < count && !failed(); ++i)
            list.push_back(readOne());
        return list;
    };
    if (type == ValueType::String)
        return fill(std::vector<std::string_view>(), [&] { return readText(); });
    if (type == ValueType::F32 || type == ValueType::F64)
        return fill(std::vector<double>(), [&] { return readFloat(type); });
    if (type == ValueType::Bool)
        return fill(std::vector<int64_t>(), [&] { return int64_t{read<uint8_t>()}; });
    return fill(std::vector<int64_t>(), [&] { return readInteger(type); });
}

void GgufParser::parseHeader()
{
    constexpr std::string_view magic = "GGUF";
    if (left() < magic.size() || std::memcmp(m_bytes.data(), magic.data(), magic.size()) != 0)
        return fail("does not begin with \"GGUF\": not a GGUF file");
    m_at = magic.size();
    const auto version = read<uint32_t>();
    if (!failed() && version != 2 && version != 3)
        return fail(ErrorCode::GgufUnsupported,
                    version >= 1 << 24
                        ? "is a big-endian GGUF file, which is not supported"
                        : fmt::format("GGUF version {} is not supported; 2 and 3 are", version));
    m_tensorCount = read<uint64_t>();
    m_valueCount = read<uint64_t>();
}

void GgufParser::parseMetadata()
{
    constexpr size_t smallestPair = 8 + 4 + 1; // empty key, type, one byte
    if (!countFits(m_valueCount, smallestPair, "metadata values"))
        return;
    for (uint64_t i = 0; i < m_valueCount && !failed(); ++i) {
        const std::string_view key = readText();
        const auto type = static_cast<ValueType>(read<uint32_t>());
        Value value = readValue(type);
        if (!failed() && !m_file.m_values.emplace(key, std::move(value)).second)
            fail(fmt::format("key {} stands twice", key));
    }
}

void GgufParser::parseTensorInfos()
{
    constexpr size_t smallestInfo = 8 + 4 + 4 + 8; // name, dimensions, type, offset
    constexpr uint32_t mostDimensions = 4;
    if (!countFits(m_tensorCount, smallestInfo, "tensors"))
        return;
    for (uint64_t i = 0; i < m_tensorCount && !failed(); ++i) {
        GgufTensor tensor;
        tensor.name = readText();
        const auto dimensions = read<uint32_t>();
        if (dimensions > mostDimensions)
            return fail(fmt::format("tensor {} has {} dimensions", tensor.name, dimensions));
        for (uint32_t d = 0; d < dimensions; ++d)
            tensor.shape.push_back(readInteger(ValueType::U64));
        std::reverse(tensor.shape.begin(), tensor.shape.end());
        const auto type = read<uint32_t>();
        if (!failed() && !isKnown(type))
            return fail(
                ErrorCode::GgufUnsupported,
                fmt::format(
                    "tensor {} has type {}, which is not supported; F32, F16, BF16, Q8_0, Q4_0 and Q4_1 "
                    "are",
                    tensor.name, type));
        tensor.type = static_cast<GgmlType>(type);
        m_offsets.push_back(read<uint64_t>());
        m_file.m_tensors.push_back(std::move(tensor));
    }
}

void GgufParser::placeTensors()
{
    const int64_t alignment = m_file.integer("general.alignment").value_or(32);
    if (alignment < 8 || alignment > 1 << 20 || (alignment & (alignment - 1)) != 0)
        return fail(fmt::format("alignment {} is impossible", alignment));
    const auto step = static_cast<size_t>(alignment);
    const size_t dataStart = std::min((m_at + step - 1) / step * step, m_bytes.size());
    const std::span<const std::byte> data = m_bytes.subspan(dataStart);
    for (size_t i = 0; i < m_offsets.size() && !failed(); ++i) {
        GgufTensor &tensor = m_file.m_tensors[i];
        const GgmlBlock block = blockOf(tensor.type);
        if (tensor.shape.empty() || tensor.shape.back() % block.values != 0)
            return fail(
                fmt::format("tensor {}: its rows are no multiple of {} values", tensor.name, block.values));
        int64_t size = block.bytes;
        bool overflow = false;
        for (size_t d = 0; d < tensor.shape.size(); ++d) {
            const bool last = d + 1 == tensor.shape.size();
            overflow |=
                __builtin_mul_overflow(size, last ? tensor.shape[d] / block.values : tensor.shape[d], &size);
        }
        const auto bytes = static_cast<size_t>(size);
        if (m_offsets[i] % step != 0)
            return fail(
                fmt::format("tensor {}: offset {} is not aligned to {}", tensor.name, m_offsets[i], step));
        if (overflow || bytes > data.size() || m_offsets[i] > data.size() - bytes)
            return fail(fmt::format(
                "tensor {} lies outside the file (offset {}, data {} bytes); the file is cut off, "
                "download it again",
                tensor.name, m_offsets[i], data.size()));
        tensor.bytes = data.subspan(m_offsets[i], bytes);
    }
}

Result<void> GgufParser::parse()
{
    parseHeader();
    parseMetadata();
    parseTensorInfos();
    if (!failed())
        placeTensors();
    return m_error ? Result<void>(*m_error) : Result<void>();
}

Result<GgufFile> GgufFile::open(const std::filesystem::path &path)
{
    RENTUNE_TRY(auto mapped, MappedFile::open(path));
    GgufFile file(std::move(mapped));
    file.m_path = path.string();
    RENTUNE_CHECK(GgufParser(file, file.m_path).parse());
    return file;
}

const GgufTensor *GgufFile::find(const std::string &name) const
{
    const auto it =
        std::find_if(m_tensors.begin(), m_tensors.end(), [&](const auto &t) { return t.name == name; });
    return it == m_tensors.end() ? nullptr : &*it;
}

template <typename T>
const T *GgufFile::get(std::string_view key) const
{
    const auto it = m_values.find(key);
    return it == m_values.end() ? nullptr : std::get_if<T>(&it->second);
}

std::optional<std::string_view> GgufFile::text(std::string_view key) const
{
    const auto *value = get<std::string_view>(key);
    return value ? std::optional(*value) : std::nullopt;
}

std::optional<int64_t> GgufFile::integer(std::string_view key) const
{
    const auto *value = get<int64_t>(key);
    return value ? std::optional(*value) : std::nullopt;
}

std::optional<double> GgufFile::number(std::string_view key) const
{
    if (const auto *value = get<double>(key))
        return *value;
    const auto whole = integer(key);
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::optional<bool> GgufFile::flag(std::string_view key) const
{
    const auto *value = get<bool>(key);
    return value ? std::optional(*value) : std::nullopt;
}

std::span<const std::string_view> GgufFile::texts(std::string_view key) const
{
    const auto *value = get<std::vector<std::string_view>>(key);
    return value ? std::span(*value) : std::span<const std::string_view>();
}

std::span<const int64_t> GgufFile::integers(std::string_view key) const
{
    const auto *value = get<std::vector<int64_t>>(key);
    return value ? std::span(*value) : std::span<const int64_t>();
}

} // namespace rentune::hf
