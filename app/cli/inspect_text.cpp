// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/inspection.h"
#include "core/base/file_ops.h"
#include "core/text/conversation.h"
#include "core/text/template_engine.h"
#include "core/text/tokenizer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace rentune::app {
namespace {

namespace fs = std::filesystem;

/// A token of tokenizer_config.json: text, or an object with "content"; "" if it is null or absent.
std::string tokenOf(const Json &config, const char *key)
{
    const Json token = config.is_object() ? config.value(key, Json()) : Json();
    if (token.is_object())
        return tokenOf(token, "content");
    return token.is_string() ? token.get<std::string>() : "";
}

Error noTemplate(const std::string &file)
{
    return Error{ErrorCode::TemplateMissing,
                 fmt::format("no chat template: set data.template to a Jinja file; built in are {}",
                             fmt::join(text::ChatTemplate::builtInNames(), ", ")),
                 file};
}

/// tokenizer_config.json of a folder or that file itself; {} for any other file.
Result<Json> configOf(const fs::path &file)
{
    const fs::path config = fs::is_directory(file) ? file / "tokenizer_config.json" : file;
    if (config.extension() != ".json" || (fs::is_directory(file) && !fs::exists(config)))
        return Json::object();
    RENTUNE_TRY(Json json, readJson(config));
    if (!json.is_object())
        return Error{ErrorCode::TokenizerFormat, "not a JSON object", config.string()};
    return json;
}

/// The template for plain conversations. Errors: template.missing, template.syntax, file.*.
Result<std::string> templateSource(const fs::path &file, const Json &config)
{
    const fs::path own = fs::is_directory(file) ? file / "chat_template.jinja" : file;
    if (own.extension() != ".json" && fs::is_regular_file(own))
        return readFile(own, 16 * MiB);
    const Json stated = config.value("chat_template", Json());
    if (stated.is_string())
        return stated.get<std::string>();
    if (stated.is_array() && !stated.empty()) {
        const auto plain = std::find_if(stated.begin(), stated.end(), [](const Json &named) {
            return named.is_object() && tokenOf(named, "name") == "default";
        });
        return tokenOf(plain == stated.end() ? stated.front() : *plain, "template");
    }
    return noTemplate(file.string());
}

void addTokens(Inspection &inspection, const Json &config)
{
    for (const char *key : {"eos_token", "pad_token", "bos_token"})
        inspection.values[key] =
            config.contains(key) && !config[key].is_null() ? Json(tokenOf(config, key)) : Json();
    const std::string pad = tokenOf(config, "pad_token");
    const bool padIsEos = !pad.empty() && pad == tokenOf(config, "eos_token");
    inspection.values["pad_is_eos"] = padIsEos;
    if (padIsEos)
        inspection.remark(
            "tokenizer.pad_is_eos",
            "padding and end are the same token: padding is masked by position, real ends are trained");
}

} // namespace

Inspection inspectTokenizer(const InspectOptions &options)
{
    Inspection inspection;
    const auto config = configOf(options.file);
    if (!config) {
        inspection.add(config.error());
        return inspection;
    }
    const bool hasModel = config->contains("model"); // tokenizer.json itself
    if (!hasModel) {
        addTokens(inspection, *config);
        const auto source = templateSource(options.file, *config);
        inspection.values["has_template"] = source.ok();
        if (!source)
            inspection.warn(std::string(codeName(source.error().code)), source.error().detail);
    }
    if (!hasModel && !fs::is_directory(options.file))
        return inspection;
    const auto tokenizer = text::Tokenizer::load(
        fs::is_directory(options.file) ? options.file : fs::absolute(options.file).parent_path());
    if (!tokenizer) {
        inspection.add(tokenizer.error());
        return inspection;
    }
    inspection.values["vocab_size"] = tokenizer->vocabSize();
    inspection.values["added_tokens"] = tokenizer->addedTokens();
    return inspection;
}

Inspection inspectTemplate(const InspectOptions &options)
{
    Inspection inspection;
    const auto rendered = [&]() -> Result<std::string> {
        RENTUNE_TRY(const Json config, configOf(options.file));
        RENTUNE_TRY(const std::string source, templateSource(options.file, config));
        inspection.values["source"] = source;
        RENTUNE_TRY(const text::TemplateEngine engine,
                    text::TemplateEngine::compile(source, options.file.string()));
        const Json messages = {{{"role", "system"}, {"content", "S"}},
                               {{"role", "user"}, {"content", "U"}},
                               {{"role", "assistant"}, {"content", "A"}}};
        RENTUNE_TRY(const text::TemplateOutput output,
                    engine.render({.messages = messages,
                                   .tools = Json(),
                                   .bosToken = tokenOf(config, "bos_token"),
                                   .eosToken = tokenOf(config, "eos_token")},
                                  text::Mark::Content));
        return output.text;
    }();
    if (rendered)
        inspection.values["rendered"] = *rendered;
    else
        inspection.add(rendered.error());
    return inspection;
}

} // namespace rentune::app
