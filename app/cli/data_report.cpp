// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/data_report.h"

#include "app/cli/inspection.h"
#include "app/cli/session.h"
#include "core/data/length_statistics.h"

#include <fmt/format.h>

#include <algorithm>

namespace rentune::app {
namespace {

namespace fs = std::filesystem;

constexpr int64_t samplesShown = 3;

/// What a row needs of a model to become ids; a row of ready ids needs no template.
struct Renderer
{
    text::Tokenizer tokenizer;
    std::optional<text::ChatTemplate> chatTemplate;
};

Result<std::optional<Renderer>> rendererOf(const fs::path &model)
{
    if (model.empty())
        return std::optional<Renderer>();
    RENTUNE_TRY(text::Tokenizer tokenizer, text::Tokenizer::load(model));
    Renderer renderer{std::move(tokenizer), std::nullopt};
    auto chatTemplate = text::ChatTemplate::load(model);
    if (chatTemplate)
        renderer.chatTemplate = std::move(chatTemplate).value();
    else if (chatTemplate.error().code != ErrorCode::TemplateMissing)
        return chatTemplate.error();
    return std::optional(std::move(renderer));
}

const text::ChatTemplate *templateOf(const Renderer &renderer)
{
    return renderer.chatTemplate ? &*renderer.chatTemplate : nullptr;
}

bool needsTemplate(const std::map<std::string, int64_t> &kinds)
{
    return std::any_of(kinds.begin(), kinds.end(), [](const auto &kind) {
        return kind.first != data::kindName(data::Kind::Tokens) &&
               kind.first != data::kindName(data::Kind::Text);
    });
}

Json sampleJson(const data::Row &row)
{
    if (row.kind == data::Kind::Tokens)
        return {{"line", row.line}, {"input_ids", row.ids}, {"labels", row.labels}};
    if (row.kind == data::Kind::Text)
        return {{"line", row.line}, {"text", row.text}};
    return {{"line", row.line}, {"messages", row.conversation.messages}};
}

Json lengthsJson(const data::LengthStatistics &lengths)
{
    Json histogram = Json::array();
    for (const auto &bin : lengths.histogram)
        histogram.push_back({{"from", bin.from}, {"to", bin.to}, {"rows", bin.rows}});
    return {{"minimum", lengths.minimum}, {"median", lengths.median}, {"p95", lengths.p95},
            {"maximum", lengths.maximum}, {"total", lengths.total},   {"histogram", std::move(histogram)}};
}

Result<Json> renderJson(const data::Row &row, const Renderer &renderer)
{
    RENTUNE_TRY(const text::Rendered rendered,
                data::renderRow(row, &renderer.tokenizer, templateOf(renderer)));
    return Json{{"text", rendered.text}, {"ids", rendered.ids}, {"labels", rendered.labels}};
}

Json problemJson(const data::Problem &problem)
{
    return {{"file", problem.file}, {"line", problem.line},     {"row", problem.row},
            {"code", problem.code}, {"detail", problem.detail}, {"used", !problem.fatal}};
}

Json wholeJson(const DataReport &report)
{
    Json problems = Json::array();
    for (const data::Problem &problem : report.problems)
        problems.push_back(problemJson(problem));
    Json json = report.values;
    json["problems"] = std::move(problems);
    return json;
}

void printReport(const DataReport &report)
{
    const Json &values = report.values;
    print(Cli::tr("%1 of %2 rows can be used (%3)")
              .arg(values["usable"].get<qint64>())
              .arg(values["rows"].get<qint64>())
              .arg(QString::fromStdString(values["kind"].get<std::string>())));
    if (!values["lengths"].is_null())
        print(Cli::tr("Tokens a row: %1 median, %2 at most")
                  .arg(values["lengths"]["median"].get<qint64>())
                  .arg(values["lengths"]["maximum"].get<qint64>()));
    for (const data::Problem &problem : report.problems)
        print(QString::fromStdString(
            fmt::format("{}:{}: {}: {}", problem.file, problem.line, problem.code, problem.detail)));
    if (!values["render"].is_null())
        print(QString::fromStdString(values["render"]["text"].get<std::string>()));
}

} // namespace

Result<DataReport> reportData(const fs::path &file, const fs::path &model, std::optional<int64_t> row)
{
    RENTUNE_TRY(const std::optional<Renderer> renderer, rendererOf(model));
    data::ReadOptions options;
    if (renderer) {
        options.vocabSize = renderer->tokenizer.vocabSize();
        options.controlTokens = renderer->tokenizer.addedTokens();
    }
    RENTUNE_TRY(const data::Dataset dataset, data::Dataset::open({file}, options));
    if (row && (*row < 0 || *row >= dataset.size()))
        return Error{
            ErrorCode::UsageArguments,
            fmt::format("there is no usable row {}: the file has {}, counted from 0", *row, dataset.size()),
            file.string()};
    DataReport report{Json::object(), dataset.problems()};
    Json &values = report.values;
    const auto kinds = dataset.kinds();
    values["kind"] = kinds.empty() ? "" : kinds.size() > 1 ? "mixed" : kinds.begin()->first;
    values["kinds"] = kinds;
    values["encoding"] = dataset.encoding();
    values["delimiter"] = dataset.delimiter().empty() ? Json() : Json(dataset.delimiter());
    values["rows"] = dataset.totalRows();
    values["usable"] = dataset.size();
    values["mapping"] = dataset.mapping();
    values["samples"] = Json::array();
    for (int64_t i = 0; i < std::min(dataset.size(), samplesShown); ++i)
        values["samples"].push_back(sampleJson(dataset.row(i)));
    values["lengths"] = nullptr;
    values["render"] = nullptr;
    const bool rendered = renderer && (renderer->chatTemplate || !needsTemplate(kinds));
    if (rendered) {
        RENTUNE_TRY(const auto lengths,
                    data::rowLengths(dataset, &renderer->tokenizer, templateOf(*renderer)));
        values["lengths"] = lengthsJson(data::lengthStatistics(lengths));
    }
    if (dataset.size() > 0 && (rendered || (renderer && row))) {
        RENTUNE_TRY(values["render"], renderJson(dataset.row(row.value_or(0)), *renderer));
    }
    return report;
}

Inspection inspectData(const InspectOptions &options)
{
    Inspection inspection;
    const auto report = reportData(options.file, options.model, std::nullopt);
    if (!report) {
        inspection.add(report.error());
        return inspection;
    }
    inspection.values = report->values;
    for (const data::Problem &problem : report->problems)
        inspection.findings.push_back(
            {problem.fatal ? Severity::Warning : Severity::Note, problem.line, problem.code, problem.detail});
    if (report->values["usable"] == 0)
        inspection.add(Error{ErrorCode::DataEmpty, "no row can be used", options.file.string()});
    return inspection;
}

void addDataVerb(CLI::App &parser, Session &session)
{
    struct Options
    {
        std::string file;
        std::string model;
        std::optional<int64_t> row;
    };
    const auto options = std::make_shared<Options>();
    CLI::App *verb = parser.add_subcommand("data", "Training data")->require_subcommand(1);
    CLI::App *inspect = verb->add_subcommand("inspect", "Which rows of a file would be trained, and how");
    inspect->add_option("FILE", options->file)->required();
    inspect->add_option("--model", options->model, "model folder whose tokenizer and template are used");
    inspect->add_option("--row", options->row, "usable row to render, from 0");
    inspect->callback([&session, options] {
        session.action = [&session, options]() -> Result<int> {
            RENTUNE_TRY(const DataReport report, reportData(options->file, options->model, options->row));
            if (session.json)
                print(wholeJson(report));
            else
                printReport(report);
            return 0;
        };
    });
}

} // namespace rentune::app
