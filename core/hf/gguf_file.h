// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/hf/mapped_file.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rentune::hf {

/// Tensor encodings of GGUF that are read here, by their number in the file.
enum class GgmlType : uint32_t
{
    F32 = 0,
    F16 = 1,
    Q4_0 = 2,
    Q4_1 = 3,
    Q8_0 = 8,
    BF16 = 30
};

/// How a tensor's values are packed: `values` of them in `bytes`.
struct GgmlBlock
{
    int64_t values;
    int64_t bytes;
};
GgmlBlock blockOf(GgmlType type);

/// A tensor of the file; `bytes` point into it.
struct GgufTensor
{
    std::string name;
    GgmlType type = GgmlType::F32;
    std::vector<int64_t>
        shape; ///< slowest dimension first, as in PyTorch (the file has it the other way round)
    std::span<const std::byte> bytes;
};

/// A memory-mapped GGUF file of version 2 or 3, little-endian, wholly checked: no count or offset leads
/// outside it. Views stay valid as long as the object lives.
class GgufFile
{
public:
    /// Errors: gguf.format (with the place), gguf.unsupported (version, tensor type by number), file.*.
    static Result<GgufFile> open(const std::filesystem::path &path);

    const std::string &path() const { return m_path; }
    const std::vector<GgufTensor> &tensors() const { return m_tensors; }
    const GgufTensor *find(const std::string &name) const; ///< nullptr if absent

    /// Metadata by key; nothing if it is absent or of another kind.
    std::optional<std::string_view> text(std::string_view key) const;
    std::optional<int64_t> integer(std::string_view key) const;
    std::optional<double> number(std::string_view key) const; ///< of float and integer values
    std::optional<bool> flag(std::string_view key) const;
    std::span<const std::string_view> texts(std::string_view key) const; ///< empty if absent
    std::span<const int64_t> integers(std::string_view key) const;
    bool has(std::string_view key) const { return m_values.contains(key); }

private:
    friend class GgufParser;
    using Value = std::variant<std::monostate, int64_t, double, bool, std::string_view,
                               std::vector<std::string_view>, std::vector<int64_t>, std::vector<double>>;
    template <typename T>
    const T *get(std::string_view key) const;

    explicit GgufFile(MappedFile file) : m_file(std::move(file)) {}

    MappedFile m_file;
    std::string m_path;
    std::map<std::string_view, Value> m_values;
    std::vector<GgufTensor> m_tensors;
};

} // namespace rentune::hf
