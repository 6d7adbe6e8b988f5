// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/main/json_io.h"
#include "trainer/main/verbs.h"

#include "core/data/dataset.h"
#include "core/text/conversation.h"
#include "core/text/tokenizer.h"

#include <memory>

namespace rentune::trainer {
namespace {

struct RenderVerbOptions
{
    std::string model;
    std::string data;
    int64_t row = 0;
    std::string trainOn = "assistant";
    std::string chatTemplate;
    std::string tools;
    std::string controlTokens = "text";
    bool addGenerationPrompt = false;
};

Result<text::Rendered> renderRow(const RenderVerbOptions &options, const text::Tokenizer &tokenizer)
{
    RENTUNE_TRY(data::Row row, data::Dataset::readRow(options.data, options.row));
    text::RenderOptions render;
    render.addGenerationPrompt = options.addGenerationPrompt;
    render.trainAll = options.trainOn == "all";
    render.contentTokens =
        options.controlTokens == "special" ? text::AddedTokens::Match : text::AddedTokens::AsText;
    if (row.kind == data::Kind::Tokens || row.kind == data::Kind::Text)
        return data::renderRow(row, &tokenizer, nullptr, render);
    if (!options.tools.empty()) {
        RENTUNE_TRY(row.conversation.tools, readJson(options.tools));
    }
    RENTUNE_TRY(const text::ChatTemplate chatTemplate,
                text::ChatTemplate::choose(options.chatTemplate, options.model));
    return data::renderRow(row, &tokenizer, &chatTemplate, render);
}

Result<int> render(const RenderVerbOptions &options)
{
    RENTUNE_TRY(const text::Tokenizer tokenizer, text::Tokenizer::load(options.model));
    RENTUNE_TRY(const text::Rendered rendered, renderRow(options, tokenizer));
    RENTUNE_CHECK(
        printJson(Json{{"text", rendered.text}, {"ids", rendered.ids}, {"labels", rendered.labels}}));
    return 0;
}

} // namespace

void addRenderVerb(CLI::App &program, Action &action)
{
    auto options = std::make_shared<RenderVerbOptions>();
    CLI::App *verb = program.add_subcommand("render", "A data row as the model sees it");
    verb->add_option("--model", options->model, "Folder with tokenizer and chat template")->required();
    verb->add_option("--data", options->data, "Data file")->required();
    verb->add_option("--row", options->row, "Row of the file, from 0")
        ->required()
        ->check(CLI::NonNegativeNumber);
    verb->add_option("--train-on", options->trainOn, "assistant or all")
        ->check(CLI::IsMember({"assistant", "all"}));
    verb->add_option("--template", options->chatTemplate,
                     "Jinja file, or the name of a built-in template, instead of the model's");
    verb->add_option("--tools", options->tools, "JSON file with the tools the template is told of");
    verb->add_flag("--add-generation-prompt", options->addGenerationPrompt,
                   "End where the assistant would begin");
    verb->add_option("--control-tokens", options->controlTokens,
                     "How control tokens inside messages are read: text or special")
        ->check(CLI::IsMember({"text", "special"}));
    verb->callback([options, &action] { action = [options] { return render(*options); }; });
}

} // namespace rentune::trainer
