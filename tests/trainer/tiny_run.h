// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/wire/event.h"
#include "tests/support/child_process.h"

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rentune::test {

inline constexpr int64_t tinySteps = 60;

/// Writes ROOT/{model,rows.jsonl,job.yaml}: the tiny model with LoRA, shuffled rows, dropout 0.1,
/// accumulation 2, fp32, tinySteps steps, a checkpoint every third.
void writeTinyJob(const std::filesystem::path &root);

/// Replaces the first `from` in a text file; fails the test if there is none.
void replaceIn(const std::filesystem::path &file, const std::string &from, const std::string &to);

/// loss, grad_norm, lr of one step.
using StepNumbers = std::array<double, 3>;
StepNumbers stepNumbers(const wire::Event &event);

/// A run of a job in a folder of its own, by the built rentune-trainer.
class TinyRun
{
public:
    TinyRun(std::filesystem::path job, std::filesystem::path folder);

    const std::filesystem::path &folder() const { return m_folder; }
    std::unique_ptr<ChildProcess> start(bool resume = false) const;
    int runToEnd(bool resume = false) const { return start(resume)->wait(); } ///< the exit code
    std::string printed() const; ///< what the last start wrote to its terminal

    /// Events of the log's whole lines: the last may be torn at any time.
    std::vector<wire::Event> events() const;
    int64_t lastStep() const; ///< of the log, 0 if none
    /// Numbers of each step; a step that was trained again counts with its last.
    std::map<int64_t, StepNumbers> steps() const;
    std::vector<std::filesystem::path> checkpoints() const; ///< step-N folders, whole or not

private:
    std::filesystem::path m_job;
    std::filesystem::path m_folder;
};

} // namespace rentune::test
