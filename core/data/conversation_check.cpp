// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/conversation_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace rentune::data {
namespace {

/// The text of a list of {"type": "text"} parts; nullopt if it holds anything else.
std::optional<std::string> textOfParts(const Json &parts)
{
    std::string text;
    for (const Json &part : parts) {
        if (!part.is_object() || part.value("type", Json()) != "text" ||
            !part.value("text", Json()).is_string())
            return std::nullopt;
        text += part["text"].get<std::string>();
    }
    return text;
}

/// A JSON text becomes the value it spells; anything else stays.
void parseInPlace(Json &value)
{
    if (!value.is_string())
        return;
    if (Result<Json> parsed = parseJson(value.get_ref<const std::string &>(), "");
        parsed.ok() && parsed->is_structured())
        value = std::move(parsed).value();
}

class Checker
{
public:
    Checker(text::Conversation &conversation, std::vector<Notice> &notices)
        : m_messages(conversation.messages), m_tools(conversation.tools), m_notices(notices)
    {
    }

    void run()
    {
        parseInPlace(m_tools);
        if (!m_messages.is_array() || m_messages.empty()) {
            fatal("empty_conversation", "empty conversation");
            return;
        }
        for (size_t i = 0; i < m_messages.size() && !m_failed; ++i)
            checkMessage(m_messages[i], i);
        if (m_failed)
            return;
        joinSystems();
        cutDanglingTurns();
    }

private:
    void fatal(const char *code, std::string detail)
    {
        m_notices.push_back({code, std::move(detail)});
        m_failed = true;
    }

    void checkMessage(Json &message, size_t index)
    {
        if (!message.is_object() || !message.value("role", Json()).is_string()) {
            fatal("wrong_type", fmt::format("message {} is not an object with a role", index + 1));
            return;
        }
        std::string role = message["role"].get<std::string>();
        if (role == "developer")
            message["role"] = role = "system";
        static constexpr std::array<std::string_view, 4> known = {"system", "user", "assistant", "tool"};
        if (std::find(known.begin(), known.end(), role) == known.end()) {
            fatal("unknown_role", fmt::format("message {} has the unknown role \"{}\"", index + 1, role));
            return;
        }
        checkToolCalls(message, index);
        checkContent(message, index);
        const bool calls = message.contains("tool_calls");
        const Json &content = message["content"];
        if (!m_failed && role == "assistant" && !calls &&
            (!content.is_string() || isBlank(content.get<std::string>())))
            fatal("empty_output",
                  fmt::format("message {}: the assistant turn has neither text nor call", index + 1));
    }

    void checkContent(Json &message, size_t index)
    {
        Json content = message.value("content", Json());
        if (content.is_array()) {
            const std::optional<std::string> text = textOfParts(content);
            if (!text) {
                fatal("unsupported_content",
                      fmt::format("message {} holds parts that are not text", index + 1));
                return;
            }
            content = *text;
        } else if (content.is_object()) {
            fatal("wrong_type",
                  fmt::format("the content of message {} must be text, not an object", index + 1));
            return;
        } else if (content.is_number() || content.is_boolean()) {
            m_notices.push_back(
                {"number_as_text",
                 fmt::format("the content of message {} is {}, read as text", index + 1, content.dump()),
                 false});
            content = content.dump();
        } else if (content.is_null() && message["role"] != "assistant") {
            content = "";
        }
        message["content"] = std::move(content);
    }

    void checkToolCalls(Json &message, size_t index)
    {
        const auto calls = message.find("tool_calls");
        if (calls == message.end())
            return;
        if (calls->is_null() || (calls->is_array() && calls->empty())) {
            message.erase(calls);
            return;
        }
        if (!calls->is_array()) {
            fatal("wrong_type", fmt::format("the tool_calls of message {} must be a list", index + 1));
            return;
        }
        for (Json &call : *calls) {
            if (!call.is_object()) {
                fatal("wrong_type", fmt::format("message {} holds a tool call that is no object", index + 1));
                return;
            }
            Json &function =
                call.contains("function") && call["function"].is_object() ? call["function"] : call;
            if (function.contains("arguments"))
                parseInPlace(function["arguments"]);
        }
    }

    bool hasRole(size_t index, const char *role) const { return m_messages[index]["role"] == role; }

    void joinSystems()
    {
        size_t leading = 0;
        while (leading < m_messages.size() && hasRole(leading, "system"))
            ++leading;
        for (size_t i = leading; i < m_messages.size(); ++i) {
            if (hasRole(i, "system")) {
                fatal("system_position", fmt::format("system turn not at start (message {})", i + 1));
                return;
            }
        }
        if (leading < 2)
            return;
        std::string joined;
        for (size_t i = 0; i < leading; ++i)
            joined += (i > 0 ? "\n\n" : "") + m_messages[i]["content"].get<std::string>();
        m_messages[0]["content"] = std::move(joined);
        m_messages.erase(m_messages.begin() + 1, m_messages.begin() + static_cast<std::ptrdiff_t>(leading));
        m_notices.push_back(
            {"systems_joined", fmt::format("{} system messages joined into one", leading), false});
    }

    void cutDanglingTurns()
    {
        if (m_failed)
            return;
        size_t end = m_messages.size();
        while (end > 0 && !hasRole(end - 1, "assistant"))
            --end;
        if (end == 0) {
            fatal("no_assistant_turn", "no assistant turn");
            return;
        }
        if (end == m_messages.size())
            return;
        m_notices.push_back({"dangling_turn",
                             fmt::format("{} turn(s) behind the last answer cut", m_messages.size() - end),
                             false});
        m_messages.erase(m_messages.begin() + static_cast<std::ptrdiff_t>(end), m_messages.end());
    }

    Json &m_messages;
    Json &m_tools;
    std::vector<Notice> &m_notices;
    bool m_failed = false;
};

/// The first control token that `text` spells, "" if none: <|name|> of any name, and those of other families.
std::string spelledControlToken(std::string_view text, const std::vector<std::string> &tokens)
{
    static constexpr std::array<std::string_view, 8> wellKnown = {
        "<s>", "</s>", "[INST]", "[/INST]", "<<SYS>>", "<start_of_turn>", "<end_of_turn>", "<unk>"};
    for (const std::string_view token : wellKnown) {
        if (text.find(token) != std::string_view::npos)
            return std::string(token);
    }
    for (const std::string &token : tokens) {
        if (!isBlank(token) && text.find(token) != std::string_view::npos)
            return token;
    }
    constexpr size_t longestName = 64;
    for (size_t begin = text.find("<|"); begin != std::string_view::npos;
         begin = text.find("<|", begin + 1)) {
        const std::string_view name = text.substr(begin + 2, longestName);
        const size_t end = name.find_first_of("|<> \t\r\n");
        if (end != std::string_view::npos && end > 0 && name.substr(end).starts_with("|>"))
            return std::string(text.substr(begin, end + 4));
    }
    return {};
}

} // namespace

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

bool hasTrainedToken(const std::vector<text::TokenId> &labels)
{
    return labels.size() > 1 && std::any_of(labels.begin() + 1, labels.end(),
                                            [](text::TokenId label) { return label != text::ignoredLabel; });
}

void checkConversation(text::Conversation &conversation, std::vector<Notice> &notices)
{
    if (!hasFatal(notices))
        Checker(conversation, notices).run();
}

void noticeControlTokens(const text::Conversation &conversation, const std::vector<std::string> &tokens,
                         std::vector<Notice> &notices)
{
    std::string found;
    bool openThink = false;
    for (const Json &message : conversation.messages) {
        if (!message.is_object() || !message.value("content", Json()).is_string())
            continue;
        const std::string content = message["content"].get<std::string>();
        if (found.empty())
            found = spelledControlToken(content, tokens);
        openThink = openThink || (content.find("<think>") != std::string::npos &&
                                  content.find("</think>") == std::string::npos);
    }
    if (!found.empty())
        notices.push_back({"control_tokens", fmt::format("contains control-token text ({})", found), false});
    if (openThink)
        notices.push_back({"open_think", "a <think> that is never closed", false});
}

} // namespace rentune::data
