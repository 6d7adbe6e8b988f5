// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/main/verbs.h"

#include "core/base/file_ops.h"
#include "core/hf/gguf.h"

#include <memory>

namespace rentune::trainer {
namespace {

struct ImportOptions
{
    std::string file;
    std::string output;
};

Result<int> importFile(const ImportOptions &options)
{
    RENTUNE_CHECK(hf::importGguf(systemFileOps(), options.file, options.output));
    return 0;
}

} // namespace

void addImportGgufVerb(CLI::App &program, Action &action)
{
    auto options = std::make_shared<ImportOptions>();
    CLI::App *verb =
        program.add_subcommand("import-gguf", "A GGUF file as a Hugging Face folder in bfloat16");
    verb->add_option("file", options->file, "GGUF file")->required();
    verb->add_option("--output", options->output, "Folder to write")->required();
    verb->callback([options, &action] { action = [options] { return importFile(*options); }; });
}

} // namespace rentune::trainer
