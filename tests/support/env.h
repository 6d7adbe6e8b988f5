// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rentune::test {

/// tests/data of the source tree.
std::filesystem::path dataFolder();

/// Folder of the built programs (rentune, rentune-trainer).
std::filesystem::path binFolder();

/// A new empty folder, removed with everything in it when the object goes.
class TemporaryFolder
{
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;
    const std::filesystem::path &path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

/// What a finished program left behind.
struct ProcessResult
{
    int exitCode = -1;      ///< 128 + n if signal n ended it
    std::string out;
    std::string err;
};

/// Runs a program to its end (no shell), `input` on its standard input.
ProcessResult runProcess(const std::vector<std::string> &command, const std::string &input = {});

} // namespace rentune::test
