// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/main/json_io.h"
#include "trainer/main/verbs.h"

#include "core/base/file_ops.h"
#include "core/hf/adapter_config.h"
#include "core/hf/model_weights.h"
#include "trainer/checkpoint/checkpoint.h"
#include "trainer/checkpoint/manifest.h"
#include "trainer/loop/version.h"

#include <sys/sysinfo.h>

#include <fstream>
#include <memory>
#include <thread>

namespace rentune::trainer {
namespace fs = std::filesystem;
namespace {

/// "name: value, …" lines for people; one JSON line for programs.
Result<int> printFacts(const Json &facts, bool json)
{
    if (json) {
        RENTUNE_CHECK(printJson(facts));
        return 0;
    }
    std::string text;
    for (const auto &[key, value] : facts.items())
        text += key + ": " + (value.is_string() ? value.get<std::string>() : value.dump()) + "\n";
    RENTUNE_CHECK(printText(text));
    return 0;
}

/// Value of the first "key : value" line of /proc/cpuinfo; "" if there is none.
std::string cpuInfo(const std::string &key)
{
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);) {
        const size_t colon = line.find(": ");
        if (line.starts_with(key) && colon != std::string::npos)
            return line.substr(colon + 2);
    }
    return {};
}

/// Instruction sets that decide which kernels run.
Json vectorUnits()
{
    const std::string flags = " " + cpuInfo("flags") + " ";
    Json found = Json::array();
    for (const char *unit : {"avx2", "avx512f", "avx512_bf16", "amx_bf16"})
        if (flags.find(" " + std::string(unit) + " ") != std::string::npos)
            found.push_back(unit);
    return found;
}

Result<int> doctor(bool json)
{
    Json facts = versions();
    facts["cpu"] = cpuInfo("model name");
    facts["threads"] = std::thread::hardware_concurrency();
    facts["vector_units"] = vectorUnits();
    struct sysinfo info;
    if (::sysinfo(&info) == 0) {
        facts["memory_bytes"] = static_cast<Bytes>(info.totalram) * info.mem_unit;
        facts["memory_free_bytes"] = static_cast<Bytes>(info.freeram + info.bufferram) * info.mem_unit;
    }
    facts["devices"] = Json::array({"cpu"});
    RENTUNE_TRY(facts["disk_free_bytes"], systemFileOps().freeSpace("."));
    return printFacts(facts, json);
}

Result<std::string> verifyCheckpoint(const fs::path &folder)
{
    RENTUNE_TRY(const LoadedCheckpoint checkpoint, loadCheckpoint(folder));
    return folder.string() + ": checkpoint of step " + std::to_string(checkpoint.step) + ", every file whole";
}

Result<std::string> verifyModel(const fs::path &folder)
{
    RENTUNE_TRY(const hf::ModelConfig config, hf::readModelConfig(folder));
    RENTUNE_TRY(const hf::ModelWeights weights, hf::ModelWeights::open(folder, config));
    return folder.string() + ": " + config.architecture + ", " + std::to_string(hf::parameterCount(config)) +
           " parameters, every tensor there";
}

Result<std::string> verifyAdapter(const fs::path &folder)
{
    RENTUNE_TRY(const Json config, readJson(folder / "adapter_config.json", 16 * MiB));
    RENTUNE_CHECK(hf::parseAdapterConfig(config, (folder / "adapter_config.json").string()));
    RENTUNE_TRY(const hf::SafetensorsFile file,
                hf::SafetensorsFile::open(folder / "adapter_model.safetensors"));
    return folder.string() + ": adapter of type " + config.value("peft_type", "") + ", " +
           std::to_string(file.tensors().size()) + " tensors";
}

Result<std::string> verifyFolder(const fs::path &folder)
{
    if (fs::exists(folder / manifestName))
        return verifyCheckpoint(folder);
    if (fs::exists(folder / "adapter_config.json"))
        return verifyAdapter(folder);
    if (fs::exists(folder / "config.json"))
        return verifyModel(folder);
    return Error{ErrorCode::FileMissing,
                 "holds no manifest.json, adapter_config.json or config.json: neither a checkpoint, an "
                 "adapter nor a model",
                 folder.string()};
}

Result<int> verify(const std::string &folder)
{
    RENTUNE_TRY(const std::string found, verifyFolder(folder));
    RENTUNE_CHECK(printText(found + "\n"));
    return 0;
}

} // namespace

void addInfoVerbs(CLI::App &program, Action &action)
{
    auto json = std::make_shared<bool>(false);
    CLI::App *version = program.add_subcommand("version", "Versions of the trainer and what it is built on");
    version->add_flag("--json", *json, "One JSON object");
    version->callback([json, &action] { action = [json] { return printFacts(versions(), *json); }; });

    CLI::App *facts = program.add_subcommand("doctor", "What this machine offers a run");
    facts->add_flag("--json", *json, "One JSON object");
    facts->callback([json, &action] { action = [json] { return doctor(*json); }; });

    auto folder = std::make_shared<std::string>();
    CLI::App *check = program.add_subcommand("verify", "Checks a checkpoint, an adapter or a model folder");
    check->add_option("folder", *folder, "The folder")->required();
    check->callback([folder, &action] { action = [folder] { return verify(*folder); }; });
}

} // namespace rentune::trainer
