// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/checkpoint.h"

#include "trainer/checkpoint/manifest.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace rentune::trainer {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view folderPrefix = "step-";

std::optional<int64_t> stepOf(const fs::path &folder)
{
    const std::string name = folder.filename().string();
    if (!name.starts_with(folderPrefix))
        return std::nullopt;
    int64_t step = 0;
    const char *end = name.data() + name.size();
    const auto [stopped, error] = std::from_chars(name.data() + folderPrefix.size(), end, step);
    return error == std::errc{} && stopped == end && step >= 0 ? std::optional(step) : std::nullopt;
}

/// step-N folders, newest first.
std::vector<std::pair<int64_t, fs::path>> stepFolders(const fs::path &folder)
{
    std::vector<std::pair<int64_t, fs::path>> found;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        if (const auto step = stepOf(it->path()); step && it->is_directory(error))
            found.emplace_back(*step, it->path());
    }
    std::ranges::sort(found, std::greater{});
    return found;
}

Bytes sizeOf(const CheckpointContent &content)
{
    constexpr Bytes forHeaders = MiB;
    Bytes size = forHeaders;
    for (const auto &[name, tensors] : content.groups)
        for (const hf::TensorView &tensor : tensors)
            size += static_cast<Bytes>(tensor.bytes.size());
    return size;
}

Result<void> checkFreeSpace(FileOps &ops, const fs::path &folder, Bytes size)
{
    const Bytes needed = size + size / 10;
    RENTUNE_TRY(const Bytes available, ops.freeSpace(folder));
    if (available >= needed)
        return {};
    return Error{ErrorCode::DiskFull,
                 "a checkpoint needs " + std::to_string(needed) + " bytes and " + std::to_string(available) +
                     " are free; free some space and resume, earlier checkpoints are whole",
                 folder.string()};
}

/// The manifest goes first, so that a half-removed folder is never taken for a checkpoint.
Result<void> removeFolder(FileOps &ops, const fs::path &folder)
{
    RENTUNE_CHECK(ops.removeAll(folder / manifestName));
    RENTUNE_CHECK(ops.syncFolder(folder));
    return ops.removeAll(folder);
}

} // namespace

CheckpointStore::CheckpointStore(FileOps &ops, fs::path folder, int keep)
    : m_ops(ops), m_folder(std::move(folder)), m_keep(std::max(keep, 1))
{
}

Result<fs::path> CheckpointStore::save(const CheckpointContent &content)
{
    const fs::path folder = m_folder / (std::string(folderPrefix) + std::to_string(content.step));
    RENTUNE_CHECK(m_ops.createFolders(m_folder));
    if (std::error_code error; fs::exists(folder, error)) {
        if (loadCheckpoint(folder).ok())
            return folder;
        // What a killed save left behind, or bytes that went bad.
        RENTUNE_CHECK(removeFolder(m_ops, folder));
    }
    RENTUNE_CHECK(checkFreeSpace(m_ops, m_folder, sizeOf(content)));
    if (Result<void> written = write(folder, content); !written.ok()) {
        // Gives the space back; where even that fails, the folder without a manifest is ignored.
        static_cast<void>(m_ops.removeAll(folder));
        return std::move(written).error();
    }
    RENTUNE_CHECK(removeOld(content.step));
    return folder;
}

Result<void> CheckpointStore::write(const fs::path &folder, const CheckpointContent &content)
{
    RENTUNE_CHECK(m_ops.createFolders(folder));
    RENTUNE_CHECK(m_ops.syncFolder(m_folder));
    Manifest manifest;
    manifest.step = content.step;
    manifest.threads = content.threads;
    manifest.versions = content.versions;
    manifest.state = content.state;
    for (const auto &[group, tensors] : content.groups) {
        const fs::path file = folder / (group + ".safetensors");
        RENTUNE_CHECK(hf::writeSafetensors(m_ops, file, tensors));
        RENTUNE_TRY(ManifestFile entry, describeFile(file));
        manifest.files.push_back(std::move(entry));
    }
    return atomicReplace(m_ops, folder / manifestName, manifestText(manifest));
}

Result<void> CheckpointStore::removeOld(int64_t newest)
{
    int kept = 0;
    for (const auto &[step, folder] : stepFolders(m_folder)) {
        const bool valid = readManifest(folder).ok();
        // Steps beyond the one just saved belong to a future that this run has not reached again.
        if (valid && (step >= newest || ++kept < m_keep))
            continue;
        if (step != newest)
            RENTUNE_CHECK(removeFolder(m_ops, folder));
    }
    return {};
}

std::optional<LoadedCheckpoint>
CheckpointStore::loadLatest(const std::function<void(const Error &)> &skipped) const
{
    for (const auto &[step, folder] : stepFolders(m_folder)) {
        Result<LoadedCheckpoint> loaded = loadCheckpoint(folder);
        if (loaded.ok() && loaded->step == step)
            return std::move(loaded).value();
        if (skipped)
            skipped(loaded.ok() ? Error{ErrorCode::CheckpointBroken, "manifest.json names another step",
                                        folder.string()}
                                : loaded.error());
    }
    return std::nullopt;
}

Result<LoadedCheckpoint> loadCheckpoint(const fs::path &folder)
{
    RENTUNE_TRY(Manifest manifest, readManifest(folder));
    LoadedCheckpoint loaded;
    loaded.folder = folder;
    loaded.step = manifest.step;
    loaded.threads = manifest.threads;
    loaded.state = std::move(manifest.state);
    loaded.versions = std::move(manifest.versions);
    for (const ManifestFile &file : manifest.files) {
        const fs::path path = folder / file.name;
        RENTUNE_TRY(const ManifestFile found, describeFile(path));
        if (found.bytes != file.bytes || found.hash != file.hash)
            return Error{ErrorCode::CheckpointBroken, "its bytes are not those that manifest.json lists",
                         path.string()};
        RENTUNE_TRY(hf::SafetensorsFile opened, hf::SafetensorsFile::open(path));
        loaded.groups.emplace(path.stem().string(), std::move(opened));
    }
    return loaded;
}

} // namespace rentune::trainer
