// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/local/process.h"

#include "core/base/file_ops.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>

extern char **environ;

namespace rentune::app {
namespace {

namespace fs = std::filesystem;

/// Exit codes of this program's own children, once collected.
class Reaper
{
public:
    std::optional<int> exitCode(int64_t pid)
    {
        const std::scoped_lock lock(m_mutex);
        if (const auto known = m_codes.find(pid); known != m_codes.end())
            return known->second;
        int status = 0;
        if (::waitpid(static_cast<pid_t>(pid), &status, WNOHANG) != pid)
            return std::nullopt;
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return m_codes[pid] = code;
    }
    void started(int64_t pid)
    {
        const std::scoped_lock lock(m_mutex);
        m_codes.erase(pid);
    }

private:
    std::mutex m_mutex;
    std::map<int64_t, int> m_codes;
};

Reaper &reaper()
{
    static Reaper instance;
    return instance;
}

std::string bootId()
{
    auto text = readFile("/proc/sys/kernel/random/boot_id", KiB);
    return text ? text->substr(0, text->find('\n')) : "";
}

/// Field 22 of /proc/PID/stat (proc(5)); nullopt if the process is gone or only waits to be collected.
std::optional<int64_t> startTicks(int64_t pid)
{
    const auto stat = readFile(fmt::format("/proc/{}/stat", pid), 64 * KiB);
    const size_t nameEnd = stat ? stat->rfind(')') : std::string::npos;
    if (nameEnd == std::string::npos)
        return std::nullopt;
    std::istringstream fields(stat->substr(nameEnd + 1));
    std::string field;
    fields >> field;
    if (field == "Z" || field == "X")
        return std::nullopt;
    for (int number = 4; number <= 22; ++number)
        fields >> field;
    return fields ? std::optional<int64_t>(std::strtoll(field.c_str(), nullptr, 10)) : std::nullopt;
}

struct SpawnSetup
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    SpawnSetup()
    {
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
    }
    ~SpawnSetup()
    {
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
    }
    SpawnSetup(const SpawnSetup &) = delete;
    SpawnSetup &operator=(const SpawnSetup &) = delete;
};

} // namespace

Result<ProcessId> startDetached(const std::vector<std::string> &command, const fs::path &log)
{
    if (::access(command.front().c_str(), X_OK) != 0)
        return Error{ErrorCode::FileMissing, "the program is missing: build or install it again",
                     command.front()};
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (out < 0)
        return Error{ErrorCode::DiskWrite, std::strerror(errno), log.string()};
    std::vector<char *> arguments;
    for (const std::string &word : command)
        arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);

    SpawnSetup setup;
    ::posix_spawn_file_actions_addopen(&setup.actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&setup.actions, out, 1);
    ::posix_spawn_file_actions_adddup2(&setup.actions, out, 2);
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&setup.attributes, &none);
    ::posix_spawnattr_setflags(&setup.attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    pid_t pid = 0;
    const int failure =
        ::posix_spawn(&pid, arguments[0], &setup.actions, &setup.attributes, arguments.data(), environ);
    ::close(out);
    if (failure != 0)
        return Error{ErrorCode::Internal,
                     fmt::format("the system starts no process: {}", std::strerror(failure)),
                     command.front()};
    reaper().started(pid);
    return ProcessId{pid, startTicks(pid).value_or(0), bootId()};
}

bool isAlive(const ProcessId &process)
{
    if (process.pid <= 0 || process.boot != bootId())
        return false;
    return startTicks(process.pid) == process.startTicks;
}

std::optional<int> exitCodeOf(const ProcessId &process)
{
    return process.pid > 0 && !isAlive(process) ? reaper().exitCode(process.pid) : std::nullopt;
}

void sendSignal(const ProcessId &process, int signal)
{
    if (isAlive(process))
        ::kill(static_cast<pid_t>(process.pid), signal);
}

} // namespace rentune::app
