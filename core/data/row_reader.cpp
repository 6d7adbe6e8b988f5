// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/row_reader.h"

#include "core/data/conversation_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace rentune::data {
namespace {

/// Reads one text field by the rule that Dataset states.
std::string textField(const Json &row, const char *key, std::vector<Notice> &notices)
{
    const auto it = row.find(key);
    if (it == row.end() || it->is_null())
        return {};
    if (it->is_string())
        return it->get<std::string>();
    if (it->is_structured()) {
        notices.push_back({"wrong_type", fmt::format("\"{}\" must be text, not {}", key, it->type_name())});
        return {};
    }
    notices.push_back({"number_as_text", fmt::format("\"{}\" is {}, read as text", key, it->dump()), false});
    return it->dump();
}

Json message(const char *role, std::string content)
{
    return {{"role", role}, {"content", std::move(content)}};
}

void addHistory(const Json &row, Json &messages, std::vector<Notice> &notices)
{
    const auto history = row.find("history");
    if (history == row.end() || history->is_null())
        return;
    for (const Json &turn : history->is_array() ? *history : Json::array({*history})) {
        if (!turn.is_array() || turn.size() != 2 || !turn[0].is_string() || !turn[1].is_string()) {
            notices.push_back({"wrong_type", "\"history\" must be a list of [user, assistant] texts"});
            return;
        }
        messages.push_back(message("user", turn[0].get<std::string>()));
        messages.push_back(message("assistant", turn[1].get<std::string>()));
    }
}

/// One question and its answer, with what was said before: what every kind of single fields comes to.
/// `question` names the prompt in notices.
void addTurn(const Json &json, const char *question, std::string prompt, const char *answer, Row &row,
             std::vector<Notice> &notices)
{
    Json &messages = row.conversation.messages;
    if (const std::string system = textField(json, "system", notices); !isBlank(system))
        messages.push_back(message("system", system));
    addHistory(json, messages, notices);
    if (isBlank(prompt))
        notices.push_back({"empty_prompt", fmt::format("empty {}", question)});
    messages.push_back(message("user", std::move(prompt)));
    std::string output = textField(json, answer, notices);
    if (isBlank(output))
        notices.push_back({"empty_output", fmt::format("empty {}", answer)});
    messages.push_back(message("assistant", std::move(output)));
}

void readAlpaca(const Json &json, Row &row, std::vector<Notice> &notices)
{
    std::string prompt = textField(json, "instruction", notices);
    if (const std::string input = textField(json, "input", notices); !isBlank(input))
        prompt += (prompt.empty() ? "" : "\n") + input;
    addTurn(json, "instruction and input", std::move(prompt), "output", row, notices);
}

void readTurn(const Json &json, const char *question, const char *answer, Row &row,
              std::vector<Notice> &notices)
{
    addTurn(json, question, textField(json, question, notices), answer, row, notices);
}

/// A prompt or a completion may also be messages.
void readPromptCompletion(const Json &json, Row &row, std::vector<Notice> &notices)
{
    const char *answer = json.contains("completion") ? "completion" : "response";
    const Json &prompt = json["prompt"];
    const Json &completion = json[answer];
    if (!prompt.is_array() || !completion.is_array()) {
        readTurn(json, "prompt", answer, row, notices);
        return;
    }
    row.conversation.messages = prompt;
    row.conversation.messages.insert(row.conversation.messages.end(), completion.begin(), completion.end());
    row.conversation.tools = json.value("tools", Json());
}

/// The role that a sharegpt tag means; "" if none.
std::string roleOfTag(const std::string &tag)
{
    static const std::map<std::string, std::string> roles = {{"human", "user"},
                                                             {"user", "user"},
                                                             {"gpt", "assistant"},
                                                             {"assistant", "assistant"},
                                                             {"chatgpt", "assistant"},
                                                             {"bot", "assistant"},
                                                             {"model", "assistant"},
                                                             {"function_call", "assistant"},
                                                             {"system", "system"},
                                                             {"developer", "system"},
                                                             {"observation", "tool"},
                                                             {"tool", "tool"},
                                                             {"function_response", "tool"}};
    const auto found = roles.find(tag);
    return found == roles.end() ? "" : found->second;
}

/// {"name", "arguments"} or a list of such as an assistant's calls; null if `value` is no such JSON.
Json toolCalls(const Json &value)
{
    Json calls = value;
    if (value.is_string()) {
        Result<Json> parsed = parseJson(value.get_ref<const std::string &>(), "");
        if (!parsed)
            return nullptr;
        calls = std::move(parsed).value();
    }
    Json result = Json::array();
    for (const Json &call : calls.is_array() ? calls : Json::array({calls})) {
        if (!call.is_object() || !call.contains("name"))
            return nullptr;
        result.push_back({{"type", "function"}, {"function", call}});
    }
    return result;
}

void addTaggedTurn(const Json &turn, size_t index, Json &messages, std::vector<Notice> &notices)
{
    const char *tagKey = turn.is_object() && turn.contains("from") ? "from" : "role";
    const char *textKey = turn.is_object() && turn.contains("value") ? "value" : "content";
    if (!turn.is_object() || !turn.value(tagKey, Json()).is_string()) {
        notices.push_back(
            {"wrong_type", fmt::format("turn {} is not an object with \"from\" and \"value\"", index)});
        return;
    }
    const std::string tag = turn[tagKey].get<std::string>();
    const std::string role = roleOfTag(tag);
    if (role.empty()) {
        notices.push_back({"unknown_role", fmt::format("turn {} has the unknown tag \"{}\"", index, tag)});
        return;
    }
    const Json value = turn.value(textKey, Json());
    Json calls = tag == "function_call" ? toolCalls(value) : Json();
    if (calls.is_null())
        messages.push_back({{"role", role}, {"content", value}});
    else
        messages.push_back({{"role", role}, {"content", nullptr}, {"tool_calls", std::move(calls)}});
}

void readSharegpt(const Json &json, Row &row, std::vector<Notice> &notices)
{
    Json &messages = row.conversation.messages;
    if (const std::string system = textField(json, "system", notices); !isBlank(system))
        messages.push_back(message("system", system));
    const Json &turns = json.contains("conversations") ? json["conversations"] : json["conversation"];
    if (!turns.is_array() || turns.empty()) {
        notices.push_back({"empty_conversation", "empty conversation"});
        return;
    }
    for (size_t i = 0; i < turns.size() && !hasFatal(notices); ++i)
        addTaggedTurn(turns[i], i + 1, messages, notices);
    row.conversation.tools = json.value("tools", Json());
}

void readPlainText(const Json &json, Row &row, const ReadOptions &options, std::vector<Notice> &notices)
{
    row.text = textField(json, "text", notices);
    if (isBlank(row.text))
        notices.push_back({"empty_text", "empty text"});
    const text::Conversation spoken{Json::array({message("text", row.text)}), Json()};
    noticeControlTokens(spoken, options.controlTokens, notices);
}

/// Ids of a field, or nothing after a fatal notice.
std::vector<text::TokenId> idList(const Json &list, const char *key, bool allowIgnored,
                                  const ReadOptions &options, std::vector<Notice> &notices)
{
    std::vector<text::TokenId> ids;
    if (!list.is_array()) {
        notices.push_back({"wrong_type", fmt::format("\"{}\" must be a list of ids", key)});
        return ids;
    }
    const int64_t limit = options.vocabSize.value_or(std::numeric_limits<text::TokenId>::max());
    ids.reserve(list.size());
    for (const Json &entry : list) {
        const bool whole =
            entry.is_number_integer() &&
            (!entry.is_number_unsigned() ||
             entry.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
        const int64_t id = whole ? entry.get<int64_t>() : -1;
        if (allowIgnored && id == text::ignoredLabel && whole) {
            ids.push_back(text::ignoredLabel);
            continue;
        }
        if (!whole || id < 0 || id >= limit) {
            const std::string bound = options.vocabSize ? fmt::format(" (the vocabulary has {})", limit) : "";
            notices.push_back(
                {"bad_id", fmt::format("\"{}\" holds {}, which is no token id{}", key,
                                       entry.is_structured() ? entry.type_name() : entry.dump(), bound)});
            return {};
        }
        ids.push_back(static_cast<text::TokenId>(id));
    }
    return ids;
}

void checkMask(const Json &json, size_t size, std::vector<Notice> &notices)
{
    const auto mask = json.find("attention_mask");
    if (mask == json.end() || mask->is_null())
        return;
    if (!mask->is_array() || mask->size() != size) {
        notices.push_back({"length_mismatch", fmt::format("attention_mask has {} entries, input_ids {}",
                                                          mask->is_array() ? mask->size() : 0, size)});
        return;
    }
    for (const Json &entry : *mask) {
        if (entry != 1) {
            notices.push_back({"masked_ids", "attention_mask hides ids; leave padding out of the row"});
            return;
        }
    }
}

void readTokens(const Json &json, Row &row, const ReadOptions &options, std::vector<Notice> &notices)
{
    row.ids = idList(json["input_ids"], "input_ids", false, options, notices);
    if (hasFatal(notices))
        return;
    const bool ownLabels = json.contains("labels") && !json["labels"].is_null();
    row.labels = ownLabels ? idList(json["labels"], "labels", true, options, notices) : row.ids;
    if (hasFatal(notices))
        return;
    checkMask(json, row.ids.size(), notices);
    if (row.labels.size() != row.ids.size())
        notices.push_back({"length_mismatch", fmt::format("labels have {} entries, input_ids {}",
                                                          row.labels.size(), row.ids.size())});
    else if (!hasTrainedToken(row.labels))
        notices.push_back({"no_trained_token", "no trained token"});
}

} // namespace

bool hasFatal(const std::vector<Notice> &notices)
{
    return std::any_of(notices.begin(), notices.end(), [](const Notice &notice) { return notice.fatal; });
}

std::string kindOfRow(const Json &row)
{
    const auto has = [&](const char *key) { return row.is_object() && row.contains(key); };
    if (has("input_ids"))
        return "tokens";
    if (has("chosen") || has("rejected"))
        return "preference";
    if (has("messages"))
        return "messages";
    if (has("conversations") || has("conversation"))
        return "sharegpt";
    if (has("instruction"))
        return "alpaca";
    if (has("prompt") && (has("completion") || has("response")))
        return "prompt_completion";
    if (has("query") && has("response"))
        return "query_response";
    return has("text") ? "text" : "";
}

namespace {

/// The row as its fields say, before any check of the conversation.
Row readFields(const Json &json, Kind kind, const ReadOptions &options, std::vector<Notice> &notices)
{
    Row row;
    row.kind = kind;
    switch (kind) {
    case Kind::Alpaca:
        readAlpaca(json, row, notices);
        break;
    case Kind::Sharegpt:
        readSharegpt(json, row, notices);
        break;
    case Kind::Messages:
        row.conversation.messages = json["messages"];
        row.conversation.tools = json.value("tools", Json());
        break;
    case Kind::PromptCompletion:
        readPromptCompletion(json, row, notices);
        break;
    case Kind::QueryResponse:
        readTurn(json, "query", "response", row, notices);
        break;
    case Kind::Text:
        readPlainText(json, row, options, notices);
        break;
    case Kind::Tokens:
        readTokens(json, row, options, notices);
        break;
    }
    return row;
}

} // namespace

Row readRow(const Json &json, Kind kind, const ReadOptions &options, std::vector<Notice> &notices)
{
    Row row = readFields(json, kind, options, notices);
    if (kind == Kind::Tokens || kind == Kind::Text)
        return row;
    checkConversation(row.conversation, notices);
    if (hasFatal(notices))
        return row;
    noticeControlTokens(row.conversation, options.controlTokens, notices);
    Json &messages = row.conversation.messages;
    if (!options.systemPrompt.empty() && messages[0]["role"] != "system")
        messages.insert(messages.begin(), message("system", options.systemPrompt));
    return row;
}

Row readRowUnchecked(const Json &json, Kind kind)
{
    std::vector<Notice> ignored;
    return readFields(json, kind, {}, ignored);
}

} // namespace rentune::data
