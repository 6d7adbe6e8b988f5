// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/file_ops.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "core/hf/safetensors.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rentune::trainer {

/// What a checkpoint holds. Tensors are named and whole; a file is a group ("model", "optimizer", "adapter")
/// and becomes GROUP.safetensors. Bytes are borrowed for the time of save().
struct CheckpointContent
{
    int64_t step = 0; ///< optimizer steps done
    std::map<std::string, std::vector<hf::TensorView>> groups;
    Json state = Json::object();    ///< whatever resume needs besides tensors
    Json versions = Json::object(); ///< trainer, torch, …
    int threads = 1;                ///< sums are split by thread: part of bit-equality
};

/// A verified checkpoint: manifest read, every file's size and xxh3-128 checked, every safetensors header
/// valid.
struct LoadedCheckpoint
{
    std::filesystem::path folder;
    int64_t step = 0;
    int threads = 1;
    Json state;
    Json versions;
    std::map<std::string, hf::SafetensorsFile> groups;
};

/// RUN/checkpoints: one new folder step-N per save, its manifest.json (sizes, hashes, state) written last by
/// atomic replace, so that a folder with a manifest is whole and anything else is ignored. Nothing valid is
/// overwritten; after a save the oldest beyond `keep` go, the newest never. Not thread-safe; one process a
/// folder.
class CheckpointStore
{
public:
    /// `ops` must outlive the store. `keep` below 1 is 1.
    CheckpointStore(FileOps &ops, std::filesystem::path folder, int keep);

    /// Returns the new folder; the same step saved twice is written once. First checks that 1.1 × the size is
    /// free. Errors: disk.full (how many bytes are needed and free), disk.write. Earlier checkpoints stay
    /// whole on any error.
    Result<std::filesystem::path> save(const CheckpointContent &content);

    /// The newest valid checkpoint; nullopt if there is none. `skipped` hears each folder passed over and
    /// why.
    std::optional<LoadedCheckpoint> loadLatest(const std::function<void(const Error &)> &skipped = {}) const;

private:
    FileOps &m_ops;
    std::filesystem::path m_folder;
    int m_keep;

    Result<void> write(const std::filesystem::path &folder, const CheckpointContent &content);
    Result<void> removeOld(int64_t newest);
};

/// Reads and verifies one step-N folder. Errors: checkpoint.broken with the file and the reason.
Result<LoadedCheckpoint> loadCheckpoint(const std::filesystem::path &folder);

} // namespace rentune::trainer
