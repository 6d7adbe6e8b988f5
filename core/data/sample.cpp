// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/conversation_check.h"
#include "core/data/dataset.h"

#include <fmt/format.h>

namespace rentune::data {
namespace {

Result<Sample> renderRow(const Row &row, const text::Tokenizer *tokenizer,
                         const text::ChatTemplate *chatTemplate, const text::RenderOptions &options)
{
    if (row.kind == Kind::Tokens)
        return Sample{row.ids, row.labels};
    if (!tokenizer || !chatTemplate)
        return Error{ErrorCode::TemplateMissing, "conversations need a tokenizer and a chat template",
                     row.file, row.line};
    Result<text::Rendered> rendered = chatTemplate->render(*tokenizer, row.conversation, options);
    if (!rendered) {
        Error error = std::move(rendered).error();
        error.detail += fmt::format(" (the row at {}:{})", row.file, row.line);
        return error;
    }
    return Sample{std::move(rendered->ids), std::move(rendered->labels)};
}

} // namespace

Result<std::optional<Sample>> makeSample(const Row &row, const text::Tokenizer *tokenizer,
                                         const text::ChatTemplate *chatTemplate, const SampleOptions &options)
{
    RENTUNE_TRY(Sample sample, renderRow(row, tokenizer, chatTemplate, options.render));
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
