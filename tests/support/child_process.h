// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace rentune::test {

/// A program running beside the test. Destroying the object kills it.
class ChildProcess
{
public:
    /// No shell; both output streams go to `output`.
    ChildProcess(const std::vector<std::string> &command, const std::filesystem::path &output);
    ~ChildProcess();
    ChildProcess(const ChildProcess &) = delete;
    ChildProcess &operator=(const ChildProcess &) = delete;

    void signal(int number);
    bool running();
    /// Exit code, 128 + n if signal n ended it.
    int wait();

private:
    pid_t m_pid;
    bool m_ended = false;
    int m_status = 0;
};

} // namespace rentune::test
