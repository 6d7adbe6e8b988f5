// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/inspection.h"

#include <algorithm>

namespace rentune::app {
namespace {

const char *severityName(Severity severity)
{
    switch (severity) {
    case Severity::Error:
        return "error";
    case Severity::Warning:
        return "warning";
    case Severity::Note:
        break;
    }
    return "note";
}

} // namespace

void Inspection::add(const Error &error)
{
    findings.push_back({Severity::Error, error.line, std::string(codeName(error.code)), error.toString()});
}

void Inspection::warn(std::string code, std::string text)
{
    findings.push_back({Severity::Warning, 0, std::move(code), std::move(text)});
}

void Inspection::remark(std::string code, std::string text)
{
    findings.push_back({Severity::Note, 0, std::move(code), std::move(text)});
}

bool Inspection::ok() const
{
    return std::none_of(findings.begin(), findings.end(),
                        [](const Finding &finding) { return finding.severity == Severity::Error; });
}

Json Inspection::json() const
{
    Json problems = Json::array();
    for (const Finding &finding : findings)
        problems.push_back({{"severity", severityName(finding.severity)},
                            {"line", finding.line},
                            {"code", finding.code},
                            {"text", finding.text}});
    return {{"ok", ok()}, {"values", values}, {"problems", std::move(problems)}};
}

} // namespace rentune::app
