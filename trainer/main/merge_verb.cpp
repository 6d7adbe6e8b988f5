// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/main/verbs.h"

#include "core/base/file_ops.h"
#include "trainer/export/merge.h"
#include "trainer/torch/threads.h"

#include <memory>

namespace rentune::trainer {
namespace {

struct MergeOptions
{
    std::string model;
    std::string adapter;
    std::string output;
};

Result<int> merge(const MergeOptions &options)
{
    fixThreads(0);
    FileOps &ops = systemFileOps();
    RENTUNE_CHECK(mergeAdapter(ops, options.model, options.adapter, options.output));
    RENTUNE_TRY(const Json report, mergeReport(options.model, options.adapter, options.output));
    RENTUNE_CHECK(atomicReplace(ops, std::filesystem::path(options.output) / "merge_report.json",
                                report.dump(2) + "\n"));
    return 0;
}

} // namespace

void addMergeVerb(CLI::App &program, Action &action)
{
    CLI::App *verb = program.add_subcommand("merge", "Works an adapter into its base model's weights");
    auto options = std::make_shared<MergeOptions>();
    verb->add_option("--model", options->model, "Base model folder")->required();
    verb->add_option("--adapter", options->adapter, "Adapter folder (PEFT layout)")->required();
    verb->add_option("--output", options->output, "Folder to write")->required();
    verb->callback([options, &action] { action = [options] { return merge(*options); }; });
}

} // namespace rentune::trainer
