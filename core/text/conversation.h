// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/text/tokenizer.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace rentune::text {

inline constexpr TokenId ignoredLabel =
    -100; ///< the label of a token that is not trained (torch's ignore_index)

/// Messages in Hugging Face's form: [{"role", "content", …}].
struct Conversation
{
    Json messages = Json::array();
    Json tools; ///< null if none
};

struct RenderOptions
{
    bool addGenerationPrompt = false;
    bool trainAll = false; ///< every token trained instead of assistant turns with their end tokens
    AddedTokens contentTokens = AddedTokens::AsText; ///< how control tokens inside message content are read
};

/// A conversation as the model sees it. ids and labels have the same length; labels are ids or ignoredLabel,
/// unshifted.
struct Rendered
{
    std::string text;
    std::vector<TokenId> ids;
    std::vector<TokenId> labels;
};

/// A chat template with its variants. Immutable, thread-safe. Rendering is bounded in steps, depth, output (1
/// MiB + 16 × input) and time (2 s).
class ChatTemplate
{
public:
    /// `source` is Jinja text; `file` names it in errors. Errors: template.syntax.
    static Result<ChatTemplate> compile(const std::string &source, const std::string &file);
    /// DIR/chat_template.jinja, else tokenizer_config.json's chat_template (string or named list). Errors:
    /// template.missing (with the built-in templates to choose from), template.syntax.
    static Result<ChatTemplate> load(const std::filesystem::path &folder);
    /// `choice` is a Jinja file or, where there is no such file, the name of a built-in template (its last
    /// path component); empty: load(folder). Errors: file.missing (with the built-in names), and those of
    /// load().
    static Result<ChatTemplate> choose(const std::filesystem::path &choice,
                                       const std::filesystem::path &folder);
    /// One of builtInNames(). Errors: template.missing.
    static Result<ChatTemplate> builtIn(const std::string &name);
    static std::vector<std::string> builtInNames();

    const std::string &source() const; ///< of the variant for plain conversations

    /// A template of named variants uses "tool_use" where the conversation has tools, else "default".
    ///
    /// Trained tokens: where the template has {% generation %} blocks, every token that overlaps one.
    /// Elsewhere, every token that overlaps text of an assistant message (the engine marks it through trims,
    /// splits and joins), what the template writes between two such texts of one turn, and the control token
    /// that ends the turn. What a template writes before the first text of a turn (role header, an empty
    /// thinking block) is not trained. Control tokens count as such only where the template itself wrote
    /// them, unless contentTokens is Match. Errors: template.raised (the template called raise_exception),
    /// template.limit, template.syntax.
    Result<Rendered> render(const Tokenizer &tokenizer, const Conversation &conversation,
                            const RenderOptions &options = {}) const;

private:
    struct Impl;
    explicit ChatTemplate(std::shared_ptr<const Impl> impl);
    std::shared_ptr<const Impl> m_impl;
};

} // namespace rentune::text
