// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/env.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <sstream>

namespace rentune::test {
namespace fs = std::filesystem;
namespace {

fs::path fromEnvironment(const char *name)
{
    const char *value = std::getenv(name);
    if (!value)
        throw std::runtime_error(std::string(name) + " is not set: run the tests through ctest or ./dev test");
    return value;
}

std::string slurp(const fs::path &path)
{
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
}

void redirect(const fs::path &path, int flags, int fd)
{
    const int opened = ::open(path.c_str(), flags, 0600);
    if (opened < 0 || ::dup2(opened, fd) < 0)
        ::_exit(126);
}

} // namespace

fs::path dataFolder()
{
    return fromEnvironment("RENTUNE_TEST_DATA");
}

fs::path binFolder()
{
    return fromEnvironment("RENTUNE_BIN");
}

TemporaryFolder::TemporaryFolder()
{
    std::string pattern = (fs::temp_directory_path() / "rentune-test-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
        throw std::runtime_error("no temporary folder could be made");
    m_path = pattern;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

ProcessResult runProcess(const std::vector<std::string> &command, const std::string &input)
{
    const TemporaryFolder folder;
    const fs::path in = folder.path() / "in";
    const fs::path out = folder.path() / "out";
    const fs::path err = folder.path() / "err";
    std::ofstream(in, std::ios::binary) << input;

    std::vector<char *> arguments;
    for (const std::string &word : command)
        arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);

    const pid_t child = ::fork();
    if (child == 0) {
        redirect(in, O_RDONLY, 0);
        redirect(out, O_WRONLY | O_CREAT | O_TRUNC, 1);
        redirect(err, O_WRONLY | O_CREAT | O_TRUNC, 2);
        ::execv(arguments[0], arguments.data());
        ::_exit(127);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child)
        throw std::runtime_error("could not run " + command.front());
    ProcessResult result;
    result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = slurp(out);
    result.err = slurp(err);
    return result;
}

} // namespace rentune::test
