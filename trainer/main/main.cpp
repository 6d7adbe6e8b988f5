// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/main/run_folder.h"
#include "trainer/main/verbs.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdio>
#include <string>

namespace {

using namespace rentune;

int report(const Error &error)
{
    std::fprintf(stderr, "rentune-trainer: %s: %s\n", std::string(codeName(error.code)).c_str(),
                 error.toString().c_str());
    return exitCode(codeClass(error.code));
}

/// The end of every verb: what a library throws becomes an error here.
int run(const trainer::Action &action)
{
    try {
        const Result<int> result = action();
        return result.ok() ? *result : report(result.error());
    } catch (const std::exception &exception) {
        return report(trainer::errorOf(exception));
    }
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App program("Trains language models on this machine");
    program.require_subcommand(1);
    trainer::Action action;
    trainer::addTrainVerb(program, action);
    trainer::addForwardVerb(program, action);
    trainer::addGenerateVerb(program, action);
    trainer::addRenderVerb(program, action);
    trainer::addTokenizeVerbs(program, action);
    trainer::addMergeVerb(program, action);
    trainer::addQuantizeVerb(program, action);
    trainer::addImportGgufVerb(program, action);
    trainer::addInfoVerbs(program, action);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return program.exit(error) == 0 ? 0 : exitCode(ErrorClass::Usage);
    }
    return run(action);
}
