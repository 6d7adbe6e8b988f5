// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/units.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rentune::trainer {

inline constexpr std::string_view manifestName = "manifest.json";

struct ManifestFile
{
    std::string name; ///< plain file name beside the manifest
    Bytes bytes = 0;
    std::string hash; ///< xxh3-128, 32 hexadecimal digits
};

/// A checkpoint's manifest.json:
/// {"format":1, "step", "threads", "versions":{…}, "files":[{"name","bytes","xxh3_128"}], "state":{…},
/// "xxh3_128"}, the last being the hash of the compact JSON of all before it, so that a flipped bit in
/// `state` is seen too.
struct Manifest
{
    int64_t step = 0;
    int threads = 1;
    Json versions = Json::object();
    std::vector<ManifestFile> files;
    Json state = Json::object();
};

std::string manifestText(const Manifest &manifest);

/// FOLDER/manifest.json, checked by itself: format, own hash, names that stay inside the folder. The files it
/// lists are only checked for their size. Errors: checkpoint.broken.
Result<Manifest> readManifest(const std::filesystem::path &folder);

/// Size and hash of a file as it lies on the disk. Errors: checkpoint.broken if it is missing, file.read.
Result<ManifestFile> describeFile(const std::filesystem::path &file);

} // namespace rentune::trainer
