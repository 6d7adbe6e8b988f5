// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/inspection.h"
#include "app/cli/session.h"
#include "core/base/error.h"

#include <algorithm>
#include <map>

namespace rentune::app {
namespace {

using Inspector = Inspection (*)(const InspectOptions &);

const std::map<std::string, Inspector> &inspectors()
{
    static const std::map<std::string, Inspector> table = {
        {"adapter", inspectAdapter},
        {"data", inspectData},
        {"job", inspectJob},
        {"model", inspectModel},
        {"safetensors", inspectSafetensors},
        {"template", inspectTemplate},
        {"tokenizer", inspectTokenizer},
    };
    return table;
}

/// The class of the first error decides, as it would if the file were used.
int verdict(const Inspection &inspection)
{
    for (const Finding &finding : inspection.findings) {
        if (finding.severity != Severity::Error)
            continue;
        for (const ErrorCode code : allErrorCodes())
            if (codeName(code) == finding.code)
                return exitCode(codeClass(code));
        return exitCode(ErrorClass::Data);
    }
    return 0;
}

Result<int> show(const Session &session, const Inspection &inspection)
{
    if (session.json) {
        print(inspection.json());
        return verdict(inspection);
    }
    for (const auto &[key, value] : inspection.values.items())
        print(QStringLiteral("%1: %2").arg(
            QString::fromStdString(key),
            QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump())));
    for (const Finding &finding : inspection.findings)
        note(QString::fromStdString(finding.text));
    return verdict(inspection);
}

} // namespace

void addInspectVerbs(CLI::App &parser, Session &session)
{
    struct Options
    {
        std::string kind;
        std::string file;
        std::string model;
    };
    const auto options = std::make_shared<Options>();
    std::vector<std::string> kinds;
    for (const auto &[kind, inspector] : inspectors())
        kinds.push_back(kind);
    CLI::App *verb =
        parser.add_subcommand("inspect", "What Rentune reads in a file, and what is wrong with it");
    verb->add_option("KIND", options->kind, "what the file is")->required()->check(CLI::IsMember(kinds));
    verb->add_option("FILE", options->file)->required();
    verb->add_option("--model", options->model, "model folder, for adapters and data");
    verb->callback([&session, options] {
        session.action = [&session, options] {
            return show(session,
                        inspectors().at(options->kind)({.file = options->file, .model = options->model}));
        };
    });
}

} // namespace rentune::app
