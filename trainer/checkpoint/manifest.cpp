// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/manifest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <fstream>
#include <memory>

namespace rentune::trainer {
namespace fs = std::filesystem;
namespace {

constexpr int manifestFormat = 1;

Error broken(const fs::path &file, std::string detail)
{
    return {ErrorCode::CheckpointBroken, std::move(detail), file.string()};
}

std::string hexDigits(XXH128_hash_t hash)
{
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string hashOfText(const std::string &text)
{
    return hexDigits(XXH3_128bits(text.data(), text.size()));
}

bool isPlainFileName(const std::string &name)
{
    return !name.empty() && name != "." && name != ".." && fs::path(name).filename() == name;
}

Result<std::vector<ManifestFile>> parseFiles(const Json &list, const fs::path &manifest)
{
    std::vector<ManifestFile> files;
    for (const Json &entry : list) {
        ManifestFile file{entry.at("name").get<std::string>(), entry.at("bytes").get<int64_t>(),
                          entry.at("xxh3_128").get<std::string>()};
        if (!isPlainFileName(file.name))
            return broken(manifest, "lists a file outside its folder: " + file.name);
        const fs::path path = manifest.parent_path() / file.name;
        std::error_code error;
        const uintmax_t size = fs::file_size(path, error);
        if (error)
            return broken(path, "is missing although manifest.json lists it");
        if (static_cast<Bytes>(size) != file.bytes)
            return broken(path, fmt::format("has {} bytes, manifest.json lists {}", size, file.bytes));
        files.push_back(std::move(file));
    }
    return files;
}

} // namespace

std::string manifestText(const Manifest &manifest)
{
    Json files = Json::array();
    for (const ManifestFile &file : manifest.files)
        files.push_back(Json{{"name", file.name}, {"bytes", file.bytes}, {"xxh3_128", file.hash}});
    Json json{{"format", manifestFormat},      {"step", manifest.step},     {"threads", manifest.threads},
              {"versions", manifest.versions}, {"files", std::move(files)}, {"state", manifest.state}};
    json["xxh3_128"] = hashOfText(json.dump());
    return json.dump(1) + "\n";
}

Result<Manifest> readManifest(const fs::path &folder)
{
    const fs::path path = folder / manifestName;
    Result<Json> read = readJson(path, 64 * MiB);
    if (!read.ok())
        return broken(path, read.error().code == ErrorCode::FileMissing
                                ? "there is no manifest: the save was never finished"
                                : read.error().detail);
    Json &json = *read;
    try {
        if (const int format = json.at("format").get<int>(); format != manifestFormat)
            return broken(path, fmt::format("has format {}, this version reads {}", format, manifestFormat));
        const std::string hash = json.at("xxh3_128").get<std::string>();
        json.erase("xxh3_128");
        if (hashOfText(json.dump()) != hash)
            return broken(path, "its content does not match its own hash");
        Manifest manifest;
        manifest.step = json.at("step").get<int64_t>();
        manifest.threads = json.at("threads").get<int>();
        manifest.versions = std::move(json.at("versions"));
        manifest.state = std::move(json.at("state"));
        RENTUNE_TRY(manifest.files, parseFiles(json.at("files"), path));
        return manifest;
    } catch (const Json::exception &error) {
        return broken(path, std::string("is not a manifest: ") + error.what());
    }
}

Result<ManifestFile> describeFile(const fs::path &file)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return broken(file, "is missing");
    const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
    XXH3_128bits_reset(state.get());
    std::vector<char> buffer(static_cast<size_t>(MiB));
    ManifestFile entry;
    entry.name = file.filename().string();
    while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
        XXH3_128bits_update(state.get(), buffer.data(), static_cast<size_t>(in.gcount()));
        entry.bytes += in.gcount();
    }
    if (in.bad())
        return Error{ErrorCode::FileRead, "cannot be read", file.string()};
    entry.hash = hexDigits(XXH3_128bits_digest(state.get()));
    return entry;
}

} // namespace rentune::trainer
