// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/local/home.h"
#include "core/base/json.h"
#include "core/base/result.h"

#include <CLI/CLI.hpp>

#include <QCoreApplication>
#include <QString>

#include <functional>

namespace rentune::app {

/// Context of the command line's translatable strings.
struct Cli
{
    Q_DECLARE_TR_FUNCTIONS(Cli)
};

/// What every verb shares. A verb's function adds its options to `parser` and sets `action` in its callback,
/// which runs after the whole command line is understood.
struct Session
{
    bool json = false;
    Home home;
    std::function<Result<int>()> action; ///< the exit code, or a failure to report
};

/// One line on stdout, flushed: a reader at the other end of a pipe sees it at once.
void print(const QString &line);
void print(const Json &value, int indent = 2);

/// One line on stderr.
void note(const QString &line);

void addPlanVerb(CLI::App &parser, Session &session);
void addRunVerbs(CLI::App &parser, Session &session);
void addDataVerb(CLI::App &parser, Session &session);
void addInspectVerbs(CLI::App &parser, Session &session);
void addSchemaVerb(CLI::App &parser, Session &session);
void addDemoVerb(CLI::App &parser, Session &session);

} // namespace rentune::app
