// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/main/verbs.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdio>
#include <new>
#include <string>

namespace {

using namespace rentune;

int report(const Error &error)
{
    std::fprintf(stderr, "rentune-trainer: %s: %s\n", std::string(codeName(error.code)).c_str(),
                 error.toString().c_str());
    return exitCode(codeClass(error.code));
}

/// torch reports a failed allocation as a general exception; its text is all there is to tell it by.
bool isOutOfMemory(const std::exception &exception)
{
    return dynamic_cast<const std::bad_alloc *>(&exception) ||
           std::string(exception.what()).find("allocate memory") != std::string::npos;
}

/// The end of every verb: library exceptions become errors here and nowhere else.
int run(const trainer::Action &action)
{
    try {
        const Result<int> result = action();
        return result.ok() ? *result : report(result.error());
    } catch (const std::exception &exception) {
        if (isOutOfMemory(exception))
            return report({ErrorCode::OutOfMemory,
                           "memory ran out; use a smaller training.micro_batch or "
                           "data.max_length, or training.gradient_checkpointing: true"});
        return report({ErrorCode::Internal, exception.what()});
    }
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App program("Trains language models on this machine");
    program.require_subcommand(1);
    trainer::Action action;
    trainer::addForwardVerb(program, action);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return program.exit(error) == 0 ? 0 : exitCode(ErrorClass::Usage);
    }
    return run(action);
}
