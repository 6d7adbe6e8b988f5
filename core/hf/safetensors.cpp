// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/safetensors.h"

#include "core/base/json.h"
#include "core/hf/mapped_file.h"
#include "core/hf/safetensors_header.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace rentune::hf {

int64_t TensorEntry::elements() const
{
    int64_t count = 1;
    for (const int64_t size : shape)
        count *= size;
    return count;
}

struct SafetensorsFile::Impl
{
    MappedFile file;
    SafetensorsHeader header;
    std::map<std::string_view, const TensorEntry *> byName;
};

SafetensorsFile::SafetensorsFile(std::shared_ptr<const Impl> impl) : m_impl(std::move(impl)) {}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path &path)
{
    RENTUNE_TRY(auto file, MappedFile::open(path));
    RENTUNE_TRY(auto header, parseSafetensorsHeader(file.bytes(), path.string()));
    auto impl = std::make_shared<Impl>(Impl{std::move(file), std::move(header), {}});
    for (const TensorEntry &entry : impl->header.tensors)
        impl->byName[entry.name] = &entry;
    return SafetensorsFile(std::move(impl));
}

const std::vector<TensorEntry> &SafetensorsFile::tensors() const
{
    return m_impl->header.tensors;
}

const std::map<std::string, std::string> &SafetensorsFile::metadata() const
{
    return m_impl->header.metadata;
}

const TensorEntry *SafetensorsFile::find(std::string_view name) const
{
    const auto it = m_impl->byName.find(name);
    return it == m_impl->byName.end() ? nullptr : it->second;
}

std::span<const std::byte> SafetensorsFile::bytes(const TensorEntry &entry) const
{
    return m_impl->file.bytes().subspan(m_impl->header.dataStart + static_cast<size_t>(entry.begin),
                                        static_cast<size_t>(entry.end - entry.begin));
}

namespace {

int64_t byteCount(const TensorView &tensor)
{
    int64_t count = dtypeBits(tensor.dtype);
    for (const int64_t size : tensor.shape)
        count *= size;
    return count / 8;
}

/// Length prefix and JSON, padded with spaces so that the data begin at a multiple of 8.
std::string headerBytes(const std::vector<TensorView> &tensors, const SafetensorsMetadata &metadata)
{
    Json json = Json::object();
    if (!metadata.empty())
        json["__metadata__"] = metadata;
    int64_t offset = 0;
    for (const TensorView &tensor : tensors) {
        const int64_t end = offset + byteCount(tensor);
        json[tensor.name] = {
            {"dtype", dtypeName(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const uint64_t length = text.size();
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    return bytes + text;
}

Result<void> writeAll(FileOps &ops, const std::filesystem::path &path, const std::vector<TensorView> &tensors,
                      const SafetensorsMetadata &metadata, const TensorBytes &bytesOf)
{
    RENTUNE_TRY(auto file, ops.create(path));
    const std::string header = headerBytes(tensors, metadata);
    RENTUNE_CHECK(file->append(std::as_bytes(std::span(header))));
    for (const TensorView &tensor : tensors) {
        RENTUNE_TRY(const auto bytes, bytesOf(tensor));
        assert(bytes.size() == static_cast<size_t>(byteCount(tensor)));
        RENTUNE_CHECK(file->append(bytes));
    }
    RENTUNE_CHECK(file->sync());
    return file->close();
}

} // namespace

Result<void> writeSafetensors(FileOps &ops, const std::filesystem::path &path,
                              std::vector<TensorView> tensors, const SafetensorsMetadata &metadata,
                              const TensorBytes &bytesOf)
{
    std::sort(tensors.begin(), tensors.end(), [](const TensorView &a, const TensorView &b) {
        const int64_t aBits = dtypeBits(a.dtype);
        const int64_t bBits = dtypeBits(b.dtype);
        return aBits != bBits ? aBits > bBits : a.name < b.name;
    });
    const std::filesystem::path temporary = path.string() + ".tmp";
    Result<void> result = writeAll(ops, temporary, tensors, metadata, bytesOf);
    if (result)
        result = ops.rename(temporary, path);
    if (result)
        return ops.syncFolder(path.parent_path());
    // A full disk is not helped by half a file; the first error is the one that counts.
    (void)ops.removeAll(temporary);
    return result;
}

Result<void> writeSafetensors(FileOps &ops, const std::filesystem::path &path,
                              std::vector<TensorView> tensors, const SafetensorsMetadata &metadata)
{
    return writeSafetensors(
        ops, path, std::move(tensors), metadata,
        [](const TensorView &tensor) -> Result<std::span<const std::byte>> { return tensor.bytes; });
}

} // namespace rentune::hf
