// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/file_ops.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rentune::hf {

enum class Dtype
{
    Bool,
    F4,
    F6E2M3,
    F6E3M2,
    U8,
    I8,
    F8E4M3,
    F8E5M2,
    F8E8M0,
    F8E4M3Fnuz,
    F8E5M2Fnuz,
    I16,
    U16,
    F16,
    BF16,
    I32,
    U32,
    F32,
    I64,
    U64,
    F64,
    C64
};

std::string_view dtypeName(Dtype dtype); ///< safetensors' spelling: "BF16"
int64_t dtypeBits(Dtype dtype);          ///< bits per element
int64_t dtypeSize(Dtype dtype);          ///< bytes per element; precondition: not F4, F6E2M3, F6E3M2

/// A tensor as it lies in a file.
struct TensorEntry
{
    std::string name;
    Dtype dtype = Dtype::F32;
    std::vector<int64_t> shape; ///< [] is a scalar; a zero dimension is legal
    int64_t begin = 0;          ///< byte offsets into the data part
    int64_t end = 0;
    int64_t elements() const;
};

/// A memory-mapped, fully validated .safetensors file (all rules of the format: header size, UTF-8, no
/// duplicate names, known dtypes, contiguous offsets without holes, shape × dtype = bytes with overflow
/// checks, no trailing bytes). Read-only; spans stay valid as long as the object lives. Thread-safe after
/// open().
class SafetensorsFile
{
public:
    /// Errors: safetensors.format, safetensors.incomplete (both with the figures; a Git LFS pointer counts as
    /// incomplete), file.*.
    static Result<SafetensorsFile> open(const std::filesystem::path &path);

    const std::vector<TensorEntry> &tensors() const; ///< in offset order
    const std::map<std::string, std::string> &metadata() const;
    const TensorEntry *find(std::string_view name) const; ///< nullptr if absent
    std::span<const std::byte> bytes(const TensorEntry &entry) const;

private:
    struct Impl;
    explicit SafetensorsFile(std::shared_ptr<const Impl> impl);
    std::shared_ptr<const Impl> m_impl;
};

/// A tensor to be written; the bytes are borrowed until writeSafetensors returns.
struct TensorView
{
    std::string name;
    Dtype dtype = Dtype::F32;
    std::vector<int64_t> shape;
    std::span<const std::byte> bytes;
};

using SafetensorsMetadata = std::map<std::string, std::string>;

/// Writes, fsyncs and atomically renames into place. Tensors are ordered by dtype size (largest first), then
/// name; the header is padded to 8 bytes, as the reference writer does. Preconditions: names are UTF-8 and
/// differ; bytes fit the shapes. After an error nothing of the new file is left.
Result<void> writeSafetensors(FileOps &ops, const std::filesystem::path &path,
                              std::vector<TensorView> tensors,
                              const SafetensorsMetadata &metadata = {{"format", "pt"}});

/// The same for tensors that are made one at a time: `bytesOf` is called once a tensor, in the file's order,
/// with the views given (their own `bytes` are not used); what it returns is borrowed until its next call.
using TensorBytes = std::function<Result<std::span<const std::byte>>(const TensorView &)>;
Result<void> writeSafetensors(FileOps &ops, const std::filesystem::path &path,
                              std::vector<TensorView> tensors, const SafetensorsMetadata &metadata,
                              const TensorBytes &bytesOf);

} // namespace rentune::hf
