// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"

#include "app/cli/session.h"
#include "app/text/language.h"
#include "app/text/words.h"
#include "core/base/text.h"
#include "core/wire/event.h"
#include "core/wire/job_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace rentune::app {
namespace {

int report(const Error &error, bool json)
{
    if (json)
        print(Json{{"error",
                    {{"code", codeName(error.code)},
                     {"class", className(codeClass(error.code))},
                     {"detail", error.detail},
                     {"file", error.file},
                     {"line", error.line}}}},
              -1);
    else
        note(errorText(error));
    return exitCode(codeClass(error.code));
}

std::vector<std::string> verbNames(const CLI::App &parser)
{
    std::vector<std::string> names;
    for (const CLI::App *verb : parser.get_subcommands([](const CLI::App *) { return true; }))
        names.push_back(verb->get_name());
    return names;
}

Error usageError(const CLI::App &parser, const CLI::ParseError &error, int argc, char **argv)
{
    std::string detail = error.what();
    const std::string first = argc > 1 ? argv[1] : "";
    const std::vector<std::string> verbs = verbNames(parser);
    if (!first.starts_with('-') && std::find(verbs.begin(), verbs.end(), first) == verbs.end()) {
        const auto near = nearest(first, verbs);
        detail =
            fmt::format("unknown verb {}{}", first, near ? fmt::format(": did you mean {}?", *near) : "");
    }
    return Error{ErrorCode::UsageArguments, detail};
}

} // namespace

void print(const QString &line)
{
    std::fputs((line + QLatin1Char('\n')).toUtf8().constData(), stdout);
    std::fflush(stdout);
}

void print(const Json &value, int indent)
{
    print(QString::fromStdString(value.dump(indent, ' ', false, Json::error_handler_t::replace)));
}

void note(const QString &line)
{
    std::fputs((line + QLatin1Char('\n')).toUtf8().constData(), stderr);
}

void addSchemaVerb(CLI::App &parser, Session &session)
{
    CLI::App *verb =
        parser.add_subcommand("schema", "JSON Schema of job files or events, or the list of error codes");
    auto kind = std::make_shared<std::string>();
    verb->add_option("KIND", *kind, "job, event or codes")
        ->required()
        ->check(CLI::IsMember({"job", "event", "codes"}));
    verb->callback([&session, kind] {
        session.action = [kind]() -> Result<int> {
            if (*kind != "codes") {
                print(*kind == "job" ? wire::jobSchema() : wire::eventSchema());
                return 0;
            }
            Json codes = Json::array();
            for (const ErrorCode code : allErrorCodes())
                codes.push_back({{"code", codeName(code)},
                                 {"class", className(codeClass(code))},
                                 {"exit", exitCode(codeClass(code))}});
            print(Json{{"codes", std::move(codes)}});
            return 0;
        };
    });
}

bool wantsCommandLine(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--lang" || word == "--capture")
            ++i;
        else if (!word.starts_with('-') || word == "--help" || word == "-h" || word == "--version")
            return true;
    }
    return false;
}

int runCommandLine(int argc, char **argv)
{
    CLI::App parser("Plans, runs and watches fine-tunes of language models", "rentune");
    parser.set_version_flag("--version", QCoreApplication::applicationVersion().toStdString());
    parser.require_subcommand(1);
    parser.fallthrough();
    std::string language;
    Session session{.home = userHome(), .action = {}};
    parser.add_flag("--json", session.json, "only JSON on standard output");
    parser.add_option("--lang", language, "en or zh_CN");
    addPlanVerb(parser, session);
    addRunVerbs(parser, session);
    addDataVerb(parser, session);
    addInspectVerbs(parser, session);
    addSchemaVerb(parser, session);
    addDemoVerb(parser, session);
    try {
        parser.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        if (error.get_exit_code() == 0)
            return parser.exit(error);
        setLanguage(chooseLanguage(QString::fromStdString(language)));
        const bool json = std::any_of(argv, argv + argc,
                                      [](const char *word) { return word == std::string_view("--json"); });
        return report(usageError(parser, error, argc, argv), json);
    }
    setLanguage(chooseLanguage(QString::fromStdString(language)));
    const auto code = session.action();
    return code ? *code : report(code.error(), session.json);
}

} // namespace rentune::app
