// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/conversation.h"

#include "core/base/file_ops.h"
#include "core/text/template_engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

namespace rentune::text {
namespace {

constexpr Bytes largestTemplate = MiB;
constexpr Bytes largestConfig = 64 * MiB;

const std::map<std::string, std::string> &builtInSources()
{
    static const std::map<std::string, std::string> sources = {
        {"chatml", "{%- for message in messages -%}\n"
                   "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}\n"
                   "{%- endfor -%}\n"
                   "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}\n"},
        {"llama3", "{{- bos_token -}}\n"
                   "{%- for message in messages -%}\n"
                   "{{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' -}}\n"
                   "{{- message.content | trim + '<|eot_id|>' -}}\n"
                   "{%- endfor -%}\n"
                   "{%- if add_generation_prompt -%}\n"
                   "{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' -}}\n"
                   "{%- endif -%}\n"}};
    return sources;
}

Error missing(const std::filesystem::path &folder)
{
    return Error{ErrorCode::TemplateMissing,
                 fmt::format("no chat template here; set data.template to a file or to a built-in one: {}",
                             fmt::join(ChatTemplate::builtInNames(), ", ")),
                 folder.string()};
}

/// Turns the marks of one output into what is trained.
class Labeller
{
public:
    Labeller(const TemplateOutput &content, const Encoding &encoding)
        : m_content(content), m_encoding(encoding)
    {
    }

    /// What the assistant wrote, with what stands between the texts of one turn and the token that ends it.
    std::vector<Span> turns(const std::vector<Span> &assistant) const
    {
        std::vector<Span> regions;
        for (const Span &text : assistant) {
            if (!regions.empty() && sameTurn(regions.back().end, text.begin))
                regions.back().end = text.end;
            else
                regions.push_back(text);
        }
        for (Span &region : regions)
            region.end = endOfTurn(region.end);
        return regions;
    }

    std::vector<TokenId> labels(const std::vector<Span> &trained) const
    {
        std::vector<TokenId> labels(m_encoding.ids.size(), ignoredLabel);
        auto region = trained.begin();
        for (size_t i = 0; i < labels.size(); ++i) {
            const Span &token = m_encoding.spans[i];
            while (region != trained.end() && region->end <= token.begin)
                ++region;
            if (region != trained.end() && region->overlaps(token))
                labels[i] = m_encoding.ids[i];
        }
        return labels;
    }

private:
    /// Between the two positions nobody else speaks and no turn ends.
    bool sameTurn(size_t end, size_t begin) const
    {
        const Span gap{end, begin};
        const auto speaks = std::any_of(m_content.marked.begin(), m_content.marked.end(),
                                        [&](const Span &text) { return gap.overlaps(text); });
        return !speaks && endOfTurn(end) == end;
    }

    /// Behind the control token that follows `position`, with blanks before it; `position` if none does.
    size_t endOfTurn(size_t position) const
    {
        const std::string_view text = m_content.text;
        const size_t next = std::min(text.find_first_not_of(' ', position), text.size());
        const auto token = std::lower_bound(m_encoding.spans.begin(), m_encoding.spans.end(), next,
                                            [](const Span &span, size_t at) { return span.begin < at; });
        const bool control = token != m_encoding.spans.end() && token->begin == next &&
                             m_encoding.added[static_cast<size_t>(token - m_encoding.spans.begin())];
        return control ? token->end : position;
    }

    const TemplateOutput &m_content;
    const Encoding &m_encoding;
};

/// The named templates of tokenizer_config.json.
Result<std::map<std::string, std::string>> namedTemplates(const Json &list, const std::string &file)
{
    std::map<std::string, std::string> templates;
    for (const Json &entry : list) {
        const bool fits = entry.is_object() && entry.contains("name") && entry["name"].is_string() &&
                          entry.contains("template") && entry["template"].is_string();
        if (!fits)
            return Error{ErrorCode::TemplateSyntax, "chat_template holds an entry without name and template",
                         file};
        templates.emplace(entry["name"].get<std::string>(), entry["template"].get<std::string>());
    }
    return templates;
}

} // namespace

struct ChatTemplate::Impl
{
    std::string source;
    std::optional<TemplateEngine> plain;
    std::optional<TemplateEngine> withTools;

    const TemplateEngine &engineFor(const Conversation &conversation) const
    {
        return withTools && !conversation.tools.empty() ? *withTools : *plain;
    }
};

ChatTemplate::ChatTemplate(std::shared_ptr<const Impl> impl) : m_impl(std::move(impl)) {}

Result<ChatTemplate> ChatTemplate::compile(const std::string &source, const std::string &file)
{
    auto impl = std::make_shared<Impl>();
    impl->source = source;
    RENTUNE_TRY(impl->plain, TemplateEngine::compile(source, file));
    return ChatTemplate(std::move(impl));
}

Result<ChatTemplate> ChatTemplate::load(const std::filesystem::path &folder)
{
    std::error_code ignored;
    const std::filesystem::path jinjaFile = folder / "chat_template.jinja";
    if (std::filesystem::exists(jinjaFile, ignored)) {
        RENTUNE_TRY(const std::string source, readFile(jinjaFile, largestTemplate));
        return compile(source, jinjaFile.string());
    }
    const std::filesystem::path configFile = folder / "tokenizer_config.json";
    if (!std::filesystem::exists(configFile, ignored))
        return missing(folder);
    RENTUNE_TRY(const Json config, readJson(configFile, largestConfig));
    const Json value = config.is_object() ? config.value("chat_template", Json()) : Json();
    if (value.is_string())
        return compile(value.get<std::string>(), configFile.string());
    if (!value.is_array() || value.empty())
        return missing(configFile);
    RENTUNE_TRY(const auto templates, namedTemplates(value, configFile.string()));
    const auto plain = templates.contains("default") ? templates.find("default") : templates.begin();
    RENTUNE_TRY(ChatTemplate result, compile(plain->second, configFile.string()));
    const auto tools = templates.find("tool_use");
    if (tools == templates.end())
        return result;
    auto impl = std::make_shared<Impl>(*result.m_impl);
    RENTUNE_TRY(impl->withTools, TemplateEngine::compile(tools->second, configFile.string()));
    return ChatTemplate(std::move(impl));
}

Result<ChatTemplate> ChatTemplate::choose(const std::filesystem::path &choice,
                                          const std::filesystem::path &folder)
{
    if (choice.empty())
        return load(folder);
    auto source = readFile(choice, largestTemplate);
    if (source)
        return compile(*source, choice.string());
    if (source.error().code != ErrorCode::FileMissing)
        return source.error();
    auto known = builtIn(choice.filename().string());
    if (known)
        return known;
    return Error{ErrorCode::FileMissing,
                 fmt::format("no such template file, and no built-in template of that name: {}",
                             fmt::join(builtInNames(), ", ")),
                 choice.string()};
}

Result<ChatTemplate> ChatTemplate::builtIn(const std::string &name)
{
    const auto source = builtInSources().find(name);
    if (source == builtInSources().end())
        return Error{ErrorCode::TemplateMissing, fmt::format("no built-in template \"{}\"; there are: {}",
                                                             name, fmt::join(builtInNames(), ", "))};
    return compile(source->second, "built-in template " + name);
}

std::vector<std::string> ChatTemplate::builtInNames()
{
    std::vector<std::string> names;
    for (const auto &[name, source] : builtInSources())
        names.push_back(name);
    return names;
}

const std::string &ChatTemplate::source() const
{
    return m_impl->source;
}

Result<Rendered> ChatTemplate::render(const Tokenizer &tokenizer, const Conversation &conversation,
                                      const RenderOptions &options) const
{
    const TemplateInput input{conversation.messages, conversation.tools, std::string(tokenizer.bosToken()),
                              std::string(tokenizer.eosToken()), options.addGenerationPrompt};
    const TemplateEngine &engine = m_impl->engineFor(conversation);
    RENTUNE_TRY(TemplateOutput output, engine.render(input, Mark::Content));
    const bool asText = options.contentTokens == AddedTokens::AsText;
    Encoding encoding = tokenizer.encodeWithSpans(output.text, asText ? output.marked : std::vector<Span>());
    Rendered rendered;
    const Labeller labeller(output, encoding);
    if (options.trainAll) {
        rendered.labels = encoding.ids;
    } else if (output.hasGeneration) {
        rendered.labels = labeller.labels(output.generation);
    } else {
        RENTUNE_TRY(const TemplateOutput assistant, engine.render(input, Mark::Assistant));
        rendered.labels = labeller.labels(labeller.turns(assistant.marked));
    }
    rendered.text = std::move(output.text);
    rendered.ids = std::move(encoding.ids);
    return rendered;
}

} // namespace rentune::text
