// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/resources.h"

#include <fmt/format.h>

namespace rentune::catalog {
namespace fs = std::filesystem;

Result<fs::path> resourceFolder()
{
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    const fs::path installed = program.parent_path().parent_path() / "share" / "rentune";
    const fs::path source = RENTUNE_SOURCE_RESOURCES;
    for (const fs::path &folder : {installed, source}) {
        if (fs::is_directory(folder / "catalog", ignored))
            return folder;
    }
    return Error{ErrorCode::FileMissing,
                 fmt::format("the product's tables lie neither in {} nor in {}; install the package again",
                             installed.string(), source.string())};
}

} // namespace rentune::catalog
