// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/text/conversation.h"
#include "core/text/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rentune::data {

enum class Kind
{
    Alpaca,
    Sharegpt,
    Messages,
    PromptCompletion,
    QueryResponse,
    Text,  ///< continued pre-training
    Tokens ///< ready ids
};
std::string_view kindName(Kind kind); ///< "alpaca", "sharegpt", "prompt_completion", …
std::optional<Kind> kindNamed(std::string_view name);

/// Why a row is not used (or what was noticed in one that is). `line` is 1-based, `row` counts all rows from
/// 0.
struct Problem
{
    std::string file;
    int64_t line = 0;
    int64_t row = 0;
    std::string code; ///< "empty_output", "syntax", "incomplete_line", "control_tokens", …
    std::string detail;
    bool fatal = true; ///< the row is not used
};

/// One usable row, before tokenization: a conversation, a text (Kind::Text) or ready ids (Kind::Tokens).
struct Row
{
    Kind kind = Kind::Alpaca;
    std::string file;
    int64_t line = 0;
    text::Conversation conversation;
    std::string text;
    std::vector<text::TokenId> ids;
    std::vector<text::TokenId> labels;
};

struct ReadOptions
{
    std::string format = "auto";      ///< auto or a kind's name
    std::string systemPrompt;         ///< put in front of conversations that have none
    std::optional<int64_t> vocabSize; ///< checks ids of Kind::Tokens
    std::vector<std::string>
        controlTokens; ///< the model's, noticed in content besides the well-known spellings
};

/// Training rows of json (one array), jsonl and table files, detected by content, not by extension.
/// Row numbers count usable rows from 0 over all files in order. Immutable after open; thread-safe.
///
/// Alpaca: user = instruction, and input on a new line unless it is blank; assistant = output; system and
/// history
/// ([[user, assistant], …], before the instruction) are optional. Null counts as empty text; a number or
/// true/false where text belongs is taken as its JSON spelling and noticed as "number_as_text". An output of
/// blanks is no output. Prompt and completion (or response), query and response (with history): the same
/// without their own system text. Sharegpt: `conversations` of {from, value} or {role, content}; human, user
/// → user; gpt, assistant, chatgpt, bot, model → assistant; system; observation, tool, function_response →
/// tool; function_call → an assistant's tool call; `system` and `tools` beside them. Text: every token is
/// trained, an end token behind it. Messages: roles system, developer (read as system), user, assistant,
/// tool. Several system messages at the start are joined by a blank line; one further on drops the row; turns
/// behind the last assistant turn are cut. Each of these is listed by problems().
class Dataset
{
public:
    /// Reads and checks every row. Errors: data.format (not a dataset, unknown kind), file.*, json.syntax.
    /// Bad rows are no error: they are listed by problems().
    static Result<Dataset> open(const std::vector<std::filesystem::path> &files,
                                const ReadOptions &options = {});

    /// Row `number` (from 0) of a file as it stands, usable or not: nothing is checked, cut or joined.
    /// Errors: data.row (no such row, or one that is no conversation), data.format, file.*, json.syntax.
    static Result<Row> readRow(const std::filesystem::path &file, int64_t number,
                               const ReadOptions &options = {});

    int64_t size() const; ///< usable rows
    int64_t totalRows() const;
    const Row &row(int64_t index) const; ///< precondition: 0 ≤ index < size()
    const std::vector<Problem> &problems() const;
    std::map<std::string, int64_t> kinds() const;              ///< usable rows by kind name
    const std::map<std::string, std::string> &mapping() const; ///< field → role shown to the user
    const std::string &encoding() const;  ///< of the first file that is not plain "utf-8" (see DecodedText)
    const std::string &delimiter() const; ///< of the first table, else ""

private:
    std::vector<Row> m_rows;
    std::vector<Problem> m_problems;
    std::map<std::string, std::string> m_mapping;
    std::string m_encoding = "utf-8";
    std::string m_delimiter;
    int64_t m_totalRows = 0;
};

/// The row as the model sees it, uncut. A row of Kind::Tokens needs no tokenizer (its text is then empty),
/// one of Kind::Text no template. Errors: template.missing, template.*, naming file and line.
Result<text::Rendered> renderRow(const Row &row, const text::Tokenizer *tokenizer,
                                 const text::ChatTemplate *chatTemplate,
                                 const text::RenderOptions &options = {});

/// A row as it is trained.
struct Sample
{
    std::vector<text::TokenId> ids;
    std::vector<text::TokenId> labels; ///< unshifted; ignoredLabel where not trained
    bool truncated = false;
};

struct SampleOptions
{
    int64_t maxLength = 512;
    bool dropTooLong = false; ///< a longer row gives nullopt instead of being cut at the end
    bool errorTooLong = false;
    text::RenderOptions render;
};

/// Renders and cuts one row; nullopt if it is dropped (too long, or no trained token is left). Errors:
/// data.row with file and line, those of renderRow.
Result<std::optional<Sample>> makeSample(const Row &row, const text::Tokenizer *tokenizer,
                                         const text::ChatTemplate *chatTemplate,
                                         const SampleOptions &options);

} // namespace rentune::data
