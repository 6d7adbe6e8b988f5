// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace rentune::app {

/// Where everything of the user's lies.
struct Home
{
    std::filesystem::path folder;

    std::filesystem::path runs() const { return folder / "runs"; }
    std::filesystem::path cache() const { return folder / "cache"; }
    std::filesystem::path store() const { return folder / "store.sqlite"; }
};

/// RENTUNE_HOME, else ~/.rentune.
Home userHome();

/// rentune-trainer beside the running program.
std::filesystem::path trainerProgram();

} // namespace rentune::app
