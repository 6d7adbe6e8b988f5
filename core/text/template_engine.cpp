// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/template_engine.h"

#include "core/text/template_guard.h"
#include "core/text/utf8.h"

#include "jinja/lexer.h"
#include "jinja/parser.h"
#include "jinja/runtime.h"

#include <fmt/format.h>

#include <charconv>
#include <ctime>
#include <exception>
#include <limits>

namespace rentune::text {
namespace {

constexpr size_t maxSourceBytes = 1 << 20;
constexpr size_t maxBlockTokens = 2000; ///< the engine recurses once an operator
constexpr int maxNesting = 100;
constexpr size_t maxRange = 100'000; ///< as many items as Jinja's own sandbox allows
constexpr size_t baseOutput = 1 << 20;

// Noncharacters (Unicode 16, chapter 23.7) in the output of the template's own text; text of messages is
// marked and cannot forge them.
constexpr std::string_view generationBegin = "\uFDD0";
constexpr std::string_view generationEnd = "\uFDD1";

/// The template called raise_exception; not a std::exception, so that the engine lets it pass unwrapped.
struct Raised
{
    std::string message;
};

/// Turns {% generation %} and {% endgeneration %}, which the engine would ignore, into marks in the output.
bool markGeneration(std::vector<jinja::token> &tokens)
{
    bool found = false;
    for (size_t i = 0; i + 2 < tokens.size(); ++i) {
        const bool begin = tokens[i + 1].value == "generation";
        const bool block = tokens[i].t == jinja::token::open_statement &&
                           tokens[i + 1].t == jinja::token::identifier &&
                           (begin || tokens[i + 1].value == "endgeneration") &&
                           tokens[i + 2].t == jinja::token::close_statement;
        if (!block)
            continue;
        tokens[i].t = jinja::token::text;
        tokens[i].value = begin ? generationBegin : generationEnd;
        tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                     tokens.begin() + static_cast<std::ptrdiff_t>(i) + 3);
        found = true;
    }
    return found;
}

/// The engine's parser and interpreter recurse: bounds how deep a template can drive them.
class NestingCheck
{
public:
    explicit NestingCheck(const std::vector<jinja::token> &tokens) : m_tokens(tokens) {}

    /// "" if the template is fine.
    std::string problem()
    {
        for (size_t i = 0; i < m_tokens.size(); ++i) {
            const Token &token = m_tokens[i];
            if (token.t == Token::open_statement || token.t == Token::open_expression) {
                m_inBlock = 0;
                m_brackets = 0;
            }
            if (token.t == Token::open_statement && i + 1 < m_tokens.size())
                countStatement(i + 1);
            countBracket(token.t);
            if (m_depth > maxNesting || m_brackets > maxNesting)
                return fmt::format("blocks or brackets more than {} deep", maxNesting);
            if (++m_inBlock > maxBlockTokens)
                return fmt::format("a block of more than {} tokens", maxBlockTokens);
        }
        return "";
    }

private:
    using Token = jinja::token;

    void countStatement(size_t nameAt)
    {
        const std::string &name = m_tokens[nameAt].value;
        const bool opens = name == "if" || name == "for" || name == "macro" || name == "call" ||
                           name == "filter" || (name == "set" && isSetBlock(nameAt));
        if (opens) {
            m_open.push_back(1);
            ++m_depth;
        } else if (name == "elif" && !m_open.empty()) { // nests in the engine
            ++m_open.back();
            ++m_depth;
        } else if (name.starts_with("end") && name != "endgeneration" && !m_open.empty()) {
            m_depth -= m_open.back();
            m_open.pop_back();
        }
    }

    /// {% set x %} … {% endset %}, not {% set x = … %}.
    bool isSetBlock(size_t at) const
    {
        while (at < m_tokens.size() && m_tokens[at].t != Token::close_statement) {
            if (m_tokens[at++].t == Token::equals)
                return false;
        }
        return true;
    }

    void countBracket(Token::type type)
    {
        if (type == Token::open_paren || type == Token::open_square_bracket ||
            type == Token::open_curly_bracket)
            ++m_brackets;
        if (type == Token::close_paren || type == Token::close_square_bracket ||
            type == Token::close_curly_bracket)
            --m_brackets;
    }

    const std::vector<Token> &m_tokens;
    std::vector<int> m_open; ///< levels that each open block takes
    int m_depth = 0;
    int m_brackets = 0;
    size_t m_inBlock = 0;
};

/// "line N" of the engine's message, 0 if it names none.
int64_t lineOf(std::string_view message)
{
    const size_t at = message.find("at line ");
    int64_t line = 0;
    if (at != std::string_view::npos)
        std::from_chars(message.data() + at + 8, message.data() + message.size(), line);
    return line;
}

/// The engine's message without its drawing of the source.
std::string reasonOf(const std::string &message)
{
    const size_t at = message.rfind("Error: ");
    std::string reason = at == std::string::npos ? message : message.substr(at + 7);
    return reason.substr(0, reason.find('\n'));
}

jinja::value toValue(const Json &json, bool marks)
{
    switch (json.type()) {
    case Json::value_t::boolean:
        return jinja::mk_val<jinja::value_bool>(json.get<bool>());
    case Json::value_t::number_unsigned:
        if (json.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
            return jinja::mk_val<jinja::value_float>(json.get<double>());
        return jinja::mk_val<jinja::value_int>(json.get<int64_t>());
    case Json::value_t::number_integer:
        return jinja::mk_val<jinja::value_int>(json.get<int64_t>());
    case Json::value_t::number_float:
        return jinja::mk_val<jinja::value_float>(json.get<double>());
    case Json::value_t::string: {
        auto text = jinja::mk_val<jinja::value_string>(json.get<std::string>());
        if (marks)
            text->mark_input();
        return text;
    }
    case Json::value_t::array: {
        auto list = jinja::mk_val<jinja::value_array>();
        for (const Json &item : json)
            list->push_back(toValue(item, marks));
        return list;
    }
    case Json::value_t::object: {
        auto object = jinja::mk_val<jinja::value_object>();
        for (const auto &[key, value] : json.items())
            object->insert(key, toValue(value, marks && key != "role" && key != "type"));
        return object;
    }
    default:
        return jinja::mk_val<jinja::value_none>();
    }
}

jinja::value messagesValue(const Json &messages, Mark mark)
{
    auto list = jinja::mk_val<jinja::value_array>();
    for (const Json &message : messages) {
        const bool assistant = message.is_object() && message.value("role", "") == "assistant";
        list->push_back(toValue(message, mark == Mark::Content || assistant));
    }
    return list;
}

jinja::value raiseException(const jinja::func_args &arguments)
{
    throw Raised{arguments.count() > 0 ? arguments.get_pos(0)->as_string().str() : ""};
}

jinja::value strftimeNow(const jinja::func_args &arguments)
{
    arguments.ensure_vals<jinja::value_string>();
    const std::time_t now = arguments.ctx.current_time;
    std::tm local{};
    localtime_r(&now, &local);
    char text[256];
    const size_t size =
        std::strftime(text, sizeof text, arguments.get_pos(0)->as_string().str().c_str(), &local);
    return jinja::mk_val<jinja::value_string>(std::string(text, size));
}

jinja::value boundedRange(const jinja::func_args &arguments)
{
    arguments.ensure_count(1, 3);
    int64_t limits[3] = {0, 0, 1}; // start, stop, step
    if (arguments.count() == 1)
        limits[1] = arguments.get_pos(0)->as_int();
    else
        for (size_t i = 0; i < arguments.count(); ++i)
            limits[i] = arguments.get_pos(i)->as_int();
    const auto [start, stop, step] = limits;
    if (step == 0)
        throw std::runtime_error("range() with step 0");
    auto list = jinja::mk_val<jinja::value_array>();
    size_t count = 0;
    for (int64_t i = start; step > 0 ? i < stop : i > stop;) {
        if (++count > maxRange)
            throw TemplateLimitExceeded{fmt::format("range() of more than {} items", maxRange)};
        list->push_back(jinja::mk_val<jinja::value_int>(i));
        if (__builtin_add_overflow(i, step, &i))
            break;
    }
    return list;
}

void fillContext(jinja::context &context, const TemplateInput &input, Mark mark)
{
    const auto text = [](const std::string &s) { return jinja::mk_val<jinja::value_string>(s); };
    const auto function = [&](const char *name, const jinja::func_handler &handler) {
        context.set_val(name, jinja::mk_val<jinja::value_func>(name, handler));
    };
    context.set_val("messages", messagesValue(input.messages, mark));
    context.set_val("tools", toValue(input.tools, mark == Mark::Content));
    context.set_val("documents", jinja::mk_val<jinja::value_none>());
    context.set_val("add_generation_prompt", jinja::mk_val<jinja::value_bool>(input.addGenerationPrompt));
    context.set_val("bos_token", text(input.bosToken));
    context.set_val("eos_token", text(input.eosToken));
    function("raise_exception", raiseException);
    function("strftime_now", strftimeNow);
    function("range", boundedRange);
}

/// Joins the output's parts; takes the generation marks out.
class OutputBuilder
{
public:
    explicit OutputBuilder(TemplateOutput &output) : m_output(output) {}

    void add(const std::string &part, bool marked)
    {
        if (!marked) {
            addTemplateText(part);
            return;
        }
        const size_t begin = m_output.text.size();
        m_output.text += part;
        if (!part.empty())
            m_output.marked.push_back({begin, m_output.text.size()});
    }

private:
    void addTemplateText(std::string_view part)
    {
        while (true) {
            const size_t at = std::min(part.find(generationBegin), part.find(generationEnd));
            m_output.text += part.substr(0, at);
            if (at == std::string_view::npos)
                return;
            part.remove_prefix(at);
            if (part.starts_with(generationBegin))
                m_open = m_output.text.size();
            else
                m_output.generation.push_back({m_open, m_output.text.size()});
            part.remove_prefix(generationBegin.size());
        }
    }

    TemplateOutput &m_output;
    size_t m_open = 0;
};

size_t bytesIn(const Json &json)
{
    if (json.is_string())
        return json.get_ref<const std::string &>().size();
    size_t bytes = 8;
    for (const auto &[key, value] : json.items())
        bytes += json.is_structured() ? key.size() + bytesIn(value) : 0;
    return bytes;
}

} // namespace

struct TemplateEngine::Impl
{
    jinja::program program;
    std::string source;
    std::string file;
    bool hasGeneration = false;

    Error error(ErrorCode code, std::string detail, int64_t line = 0) const
    {
        return Error{code, replaceInvalidUtf8(std::move(detail)), file, line};
    }
};

TemplateEngine::TemplateEngine(std::shared_ptr<const Impl> impl) : m_impl(std::move(impl)) {}

Result<TemplateEngine> TemplateEngine::compile(const std::string &source, const std::string &file)
{
    auto impl = std::make_shared<Impl>();
    impl->source = source;
    impl->file = file;
    if (source.size() > maxSourceBytes)
        return impl->error(ErrorCode::TemplateLimit,
                           fmt::format("a template of more than {} bytes", maxSourceBytes));
    for (const std::string_view mark : {generationBegin, generationEnd}) {
        if (source.find(mark) != std::string::npos)
            return impl->error(ErrorCode::TemplateSyntax,
                               "the template holds a Unicode noncharacter (U+FDD0, U+FDD1)");
    }
    try {
        jinja::lexer_result lexed = jinja::lexer().tokenize(source);
        if (const std::string problem = NestingCheck(lexed.tokens).problem(); !problem.empty())
            return impl->error(ErrorCode::TemplateLimit, problem);
        impl->hasGeneration = markGeneration(lexed.tokens);
        impl->program = jinja::parse_from_tokens(lexed);
    } catch (const std::exception &exception) {
        return impl->error(ErrorCode::TemplateSyntax, reasonOf(exception.what()), lineOf(exception.what()));
    }
    guardTemplate(impl->program);
    return TemplateEngine(std::move(impl));
}

Result<TemplateOutput> TemplateEngine::render(const TemplateInput &input, Mark mark) const
{
    const size_t limit = baseOutput + 16 * (bytesIn(input.messages) + bytesIn(input.tools));
    TemplateOutput output;
    output.hasGeneration = m_impl->hasGeneration;
    try {
        TemplateBudget budget(limit);
        jinja::context context(m_impl->source);
        fillContext(context, input, mark);
        const jinja::value result = jinja::runtime(context).execute(m_impl->program);
        OutputBuilder builder(output);
        const jinja::value_string parts = jinja::runtime::gather_string_parts(result);
        for (const auto &part : parts->val_str.parts)
            builder.add(part.val, part.is_input);
    } catch (const Raised &raised) {
        return m_impl->error(ErrorCode::TemplateRaised,
                             "the template refuses the conversation: " + raised.message);
    } catch (const TemplateLimitExceeded &exceeded) {
        return m_impl->error(ErrorCode::TemplateLimit, "the template was stopped: " + exceeded.what);
    } catch (const std::exception &exception) {
        return m_impl->error(ErrorCode::TemplateSyntax, reasonOf(exception.what()), lineOf(exception.what()));
    }
    if (output.text.size() > limit)
        return m_impl->error(ErrorCode::TemplateLimit, fmt::format("an output of more than {} bytes", limit));
    return output;
}

} // namespace rentune::text
