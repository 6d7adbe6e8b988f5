// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/conversation_check.h"
#include "core/data/dataset.h"

#include <fmt/format.h>

namespace rentune::data {
namespace {

/// Every token trained, an end token behind the text.
text::Rendered renderText(const std::string &plain, const text::Tokenizer &tokenizer,
                          const text::RenderOptions &options)
{
    text::Rendered rendered;
    rendered.text = plain;
    rendered.ids = tokenizer.encode(plain, options.contentTokens);
    if (const auto end = tokenizer.eosId()) {
        rendered.text += tokenizer.eosToken();
        rendered.ids.push_back(*end);
    }
    rendered.labels = rendered.ids;
    return rendered;
}

} // namespace

Result<text::Rendered> renderRow(const Row &row, const text::Tokenizer *tokenizer,
                                 const text::ChatTemplate *chatTemplate, const text::RenderOptions &options)
{
    if (row.kind == Kind::Tokens)
        return text::Rendered{tokenizer ? tokenizer->decode(row.ids) : "", row.ids, row.labels};
    if (tokenizer && row.kind == Kind::Text)
        return renderText(row.text, *tokenizer, options);
    if (!tokenizer || !chatTemplate)
        return Error{ErrorCode::TemplateMissing, "conversations need a tokenizer and a chat template",
                     row.file, row.line};
    Result<text::Rendered> rendered = chatTemplate->render(*tokenizer, row.conversation, options);
    if (!rendered) {
        Error error = std::move(rendered).error();
        error.detail += fmt::format(" (the row at {}:{})", row.file, row.line);
        return error;
    }
    return rendered;
}

Result<std::optional<Sample>> makeSample(const Row &row, const text::Tokenizer *tokenizer,
                                         const text::ChatTemplate *chatTemplate, const SampleOptions &options)
{
    // Ready ids are not decoded: nobody reads their text here.
    const text::Tokenizer *reader = row.kind == Kind::Tokens ? nullptr : tokenizer;
    RENTUNE_TRY(text::Rendered rendered, renderRow(row, reader, chatTemplate, options.render));
    Sample sample{std::move(rendered.ids), std::move(rendered.labels)};
    const auto length = static_cast<int64_t>(sample.ids.size());
    if (length > options.maxLength) {
        if (options.errorTooLong)
            return Error{ErrorCode::DataRow,
                         fmt::format("the row has {} tokens, max_length is {}", length, options.maxLength),
                         row.file, row.line};
        if (options.dropTooLong)
            return std::optional<Sample>();
        sample.ids.resize(static_cast<size_t>(options.maxLength));
        sample.labels.resize(static_cast<size_t>(options.maxLength));
        sample.truncated = true;
    }
    if (!hasTrainedToken(sample.labels))
        return std::optional<Sample>();
    return std::optional<Sample>(std::move(sample));
}

} // namespace rentune::data
