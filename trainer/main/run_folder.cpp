// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/main/run_folder.h"

#include "core/wire/job_file.h"
#include "trainer/export/export.h"
#include "trainer/loop/version.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <new>
#include <sys/file.h>
#include <unistd.h>

namespace rentune::trainer {
namespace fs = std::filesystem;

fs::path defaultRunFolder(const std::string &name, const Clock &clock)
{
    const auto seconds = static_cast<std::time_t>(clock.nowMicros() / 1'000'000);
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    char stamp[32];
    std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &utc);
    const char *home = std::getenv("RENTUNE_HOME");
    const char *user = std::getenv("HOME");
    const fs::path root = home ? fs::path(home) : fs::path(user ? user : ".") / ".rentune";
    return root / "runs" / (name + "-" + stamp);
}

Result<std::unique_ptr<RunFolderLock>> RunFolderLock::take(const fs::path &folder)
{
    const fs::path file = folder / ".lock";
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return Error{ErrorCode::DiskWrite, std::string("cannot be opened: ") + std::strerror(errno),
                     file.string()};
    std::unique_ptr<RunFolderLock> lock(new RunFolderLock(fd));
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
        return Error{ErrorCode::RunFolderUsed, "another trainer is at work in this folder; stop it first",
                     folder.string()};
    return lock;
}

RunFolderLock::~RunFolderLock()
{
    ::close(m_fd);
}

Result<std::unique_ptr<RunFolderLock>> prepareFolder(FileOps &ops, const fs::path &folder,
                                                     const wire::JobSpec &job, bool resume)
{
    RENTUNE_CHECK(ops.createFolders(folder));
    RENTUNE_TRY(std::unique_ptr<RunFolderLock> lock, RunFolderLock::take(folder));
    const bool used = fs::exists(folder / "events.jsonl") || fs::exists(folder / "checkpoints");
    if (used && !resume)
        return Error{ErrorCode::RunFolderUsed,
                     "a run has already been in this folder; give another --run-dir or go on with --resume",
                     folder.string()};
    RENTUNE_CHECK(atomicReplace(ops, folder / "job.yaml", wire::writeJob(job)));
    return lock;
}

Result<Json> makeReceipt(const TrainConfig &config, int interruptions, const fs::path &result)
{
    const wire::JobSpec &job = config.job;
    Json receipt = Json::object();
    receipt["run"] = job.name;
    receipt["job"] = wire::writeJob(job);
    RENTUNE_TRY(receipt["model"], fileHashes({config.model}));
    std::vector<fs::path> data = job.data.train;
    data.insert(data.end(), job.data.eval.begin(), job.data.eval.end());
    RENTUNE_TRY(receipt["data"], fileHashes(data));
    RENTUNE_TRY(receipt["result"], fileHashes({result}));
    receipt["versions"] = versions();
    receipt["threads"] = config.threads;
    receipt["interruptions"] = interruptions;
    const wire::PriceSpec &price = job.hardware.price;
    receipt["price"] =
        price.currency.empty()
            ? Json(nullptr)
            : Json{{"class", price.priceClass}, {"currency", price.currency}, {"per_hour", price.perHour}};
    return receipt;
}

Error errorOf(const std::exception &exception)
{
    // torch puts a stack trace below its message
    const std::string all = exception.what();
    const std::string text = all.substr(0, all.find('\n'));
    // and reports a failed allocation as a general exception: its text is all there is to tell it by
    const bool memory =
        dynamic_cast<const std::bad_alloc *>(&exception) || text.find("allocate memory") != std::string::npos;
    if (memory)
        return {ErrorCode::OutOfMemory,
                "memory ran out; use a smaller training.micro_batch or data.max_length, or "
                "training.gradient_checkpointing: true"};
    return {ErrorCode::Internal, text};
}

} // namespace rentune::trainer
