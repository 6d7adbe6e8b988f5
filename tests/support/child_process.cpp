// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/child_process.h"

#include <csignal>
#include <fcntl.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace rentune::test {

ChildProcess::ChildProcess(const std::vector<std::string> &command, const std::filesystem::path &output)
{
    std::vector<char *> arguments;
    for (const std::string &word : command)
        arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    m_pid = ::fork();
    if (m_pid == 0) {
        const int fd = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd < 0 || ::dup2(fd, 1) < 0 || ::dup2(fd, 2) < 0)
            ::_exit(126);
        ::execv(arguments[0], arguments.data());
        ::_exit(127);
    }
    if (m_pid < 0)
        throw std::runtime_error("could not start " + command.front());
}

ChildProcess::~ChildProcess()
{
    if (m_ended)
        return;
    signal(SIGKILL);
    wait();
}

void ChildProcess::signal(int number)
{
    if (!m_ended)
        ::kill(m_pid, number);
}

bool ChildProcess::running()
{
    if (!m_ended)
        m_ended = ::waitpid(m_pid, &m_status, WNOHANG) == m_pid;
    return !m_ended;
}

int ChildProcess::wait()
{
    while (!m_ended)
        m_ended = ::waitpid(m_pid, &m_status, 0) == m_pid;
    return WIFEXITED(m_status) ? WEXITSTATUS(m_status) : 128 + WTERMSIG(m_status);
}

} // namespace rentune::test
