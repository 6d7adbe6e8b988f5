// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/trainer/tiny_run.h"

#include "core/base/file_ops.h"
#include "tests/support/env.h"
#include "tests/support/tiny_model.h"

#include <gtest/gtest.h>

#include <fstream>

namespace rentune::test {
namespace fs = std::filesystem;
namespace {

const char *const job = R"(version: 1
name: tiny
model: {path: model}
data: {train: [rows.jsonl], format: tokens, max_length: 64, shuffle: true}
method: {type: lora, rank: 8, alpha: 16, dropout: 0.1, targets: all-linear}
training: {max_steps: 60, micro_batch: 4, grad_accumulation: 2, learning_rate: 1e-3, warmup_steps: 3, precision: fp32,
           seed: 5, threads: 1}
checkpoint: {every_steps: 3, keep: 2}
hardware: {device: cpu}
)";

} // namespace

void writeTinyJob(const fs::path &root)
{
    writeTinyModel(root / "model");
    writeTinyRows(root / "rows.jsonl", 50);
    std::ofstream(root / "job.yaml") << job;
}

void replaceIn(const fs::path &file, const std::string &from, const std::string &to)
{
    std::string text = readFile(file).value();
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(file) << text.replace(at, from.size(), to);
}

StepNumbers stepNumbers(const wire::Event &event)
{
    return {event.fields.at("loss").get<double>(), event.fields.at("grad_norm").get<double>(),
            event.fields.at("lr").get<double>()};
}

TinyRun::TinyRun(fs::path job, fs::path folder) : m_job(std::move(job)), m_folder(std::move(folder)) {}

std::unique_ptr<ChildProcess> TinyRun::start(bool resume) const
{
    std::vector<std::string> command = {(binFolder() / "rentune-trainer").string(), "train", m_job.string(),
                                        "--run-dir", m_folder.string()};
    if (resume)
        command.emplace_back("--resume");
    return std::make_unique<ChildProcess>(command, m_folder.string() + ".output");
}

std::string TinyRun::printed() const
{
    return readFile(m_folder.string() + ".output").value();
}

std::vector<wire::Event> TinyRun::events() const
{
    std::vector<wire::Event> found;
    const auto text = readFile(m_folder / "events.jsonl");
    if (!text.ok())
        return found;
    size_t begin = 0;
    for (size_t end = text->find('\n'); end != std::string::npos; end = text->find('\n', begin)) {
        auto event = wire::decodeEvent(std::string_view(*text).substr(begin, end - begin));
        EXPECT_TRUE(event.ok());
        found.push_back(std::move(event).value());
        begin = end + 1;
    }
    return found;
}

int64_t TinyRun::lastStep() const
{
    int64_t step = 0;
    for (const wire::Event &event : events())
        if (event.type == "step")
            step = event.fields.at("step").get<int64_t>();
    return step;
}

std::map<int64_t, StepNumbers> TinyRun::steps() const
{
    std::map<int64_t, StepNumbers> found;
    for (const wire::Event &event : events())
        if (event.type == "step")
            found[event.fields.at("step").get<int64_t>()] = stepNumbers(event);
    return found;
}

std::vector<fs::path> TinyRun::checkpoints() const
{
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator it(m_folder / "checkpoints", error), end; !error && it != end;
         it.increment(error))
        found.push_back(it->path());
    return found;
}

} // namespace rentune::test
