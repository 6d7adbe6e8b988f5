// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "core/base/file_ops.h"
#include "core/base/json.h"
#include "trainer/config/train_config.h"

#include <filesystem>
#include <memory>
#include <string>

namespace rentune::trainer {

/// $RENTUNE_HOME/runs/NAME-TIME (RENTUNE_HOME is ~/.rentune by default), TIME as 20261201-001524 in UTC.
std::filesystem::path defaultRunFolder(const std::string &name, const Clock &clock);

/// Keeps other trainers out of a run folder while it lives; the system lets go of it when the process ends,
/// however that happens.
class RunFolderLock
{
public:
    /// Errors: run.folder_used if a living trainer holds the folder; disk.write.
    static Result<std::unique_ptr<RunFolderLock>> take(const std::filesystem::path &folder);
    ~RunFolderLock();
    RunFolderLock(const RunFolderLock &) = delete;
    RunFolderLock &operator=(const RunFolderLock &) = delete;

private:
    explicit RunFolderLock(int fd) : m_fd(fd) {}
    int m_fd;
};

/// Makes the folder, locks it and puts job.yaml into it. Errors: run.folder_used if a run has been there and
/// `resume` is not asked for, or another trainer is at work in it; disk.*.
Result<std::unique_ptr<RunFolderLock>> prepareFolder(FileOps &ops, const std::filesystem::path &folder,
                                                     const wire::JobSpec &job, bool resume);

/// receipt.json: what went in, what came out, with what.
Result<Json> makeReceipt(const TrainConfig &config, int interruptions, const std::filesystem::path &result);

/// The error that an exception of a library stands for: memory.out or internal.
Error errorOf(const std::exception &exception);

} // namespace rentune::trainer
