// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/lengths.h"

#include "core/data/dataset.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace rentune::plan {
namespace {

/// Rows tokenized: enough for a mean within a few percent, few enough for a second.
constexpr int64_t sampleRows = 512;
/// Of all rows the longest by their bytes, which bound the largest micro batch.
constexpr int64_t longestRows = 8;
constexpr int64_t bytesPerToken = 4;

int64_t textBytes(const data::Row &row)
{
    if (row.kind == data::Kind::Tokens)
        return bytesPerToken * static_cast<int64_t>(row.ids.size());
    auto bytes = static_cast<int64_t>(row.text.size());
    for (const Json &message : row.conversation.messages) {
        const auto content = message.find("content");
        if (content != message.end() && content->is_string())
            bytes += static_cast<int64_t>(content->get_ref<const std::string &>().size());
    }
    return bytes;
}

/// The model's tokenizer and template where its folder holds them.
struct Speech
{
    std::optional<text::Tokenizer> tokenizer;
    std::optional<text::ChatTemplate> chatTemplate;
};

Speech speechOf(const wire::JobSpec &job)
{
    Speech speech;
    if (job.model.path.empty())
        return speech;
    if (auto tokenizer = text::Tokenizer::load(job.model.path); tokenizer.ok())
        speech.tokenizer = std::move(tokenizer).value();
    if (auto chatTemplate = text::ChatTemplate::choose(job.data.chatTemplate, job.model.path);
        chatTemplate.ok())
        speech.chatTemplate = std::move(chatTemplate).value();
    return speech;
}

/// A row's tokens before cutting; nullopt if it can't be rendered. A row without a trained token has none.
std::optional<int64_t> tokensOf(const data::Row &row, const Speech &speech,
                                const data::SampleOptions &options)
{
    const auto sample = data::makeSample(row, speech.tokenizer ? &*speech.tokenizer : nullptr,
                                         speech.chatTemplate ? &*speech.chatTemplate : nullptr, options);
    if (!sample.ok())
        return std::nullopt;
    return *sample ? static_cast<int64_t>((*sample)->ids.size()) : 0;
}

/// Rows spread evenly over the data, then the longest ones.
std::vector<int64_t> chosenRows(const data::Dataset &dataset)
{
    std::vector<int64_t> rows(static_cast<size_t>(std::min(sampleRows, dataset.size())));
    for (size_t i = 0; i < rows.size(); ++i)
        rows[i] = static_cast<int64_t>(i) * dataset.size() / static_cast<int64_t>(rows.size());
    if (dataset.size() <= sampleRows)
        return rows;
    std::vector<std::pair<int64_t, int64_t>> sizes;
    for (int64_t i = 0; i < dataset.size(); ++i)
        sizes.emplace_back(-textBytes(dataset.row(i)), i);
    std::partial_sort(sizes.begin(), sizes.begin() + longestRows, sizes.end());
    for (int64_t i = 0; i < longestRows; ++i)
        rows.push_back(sizes[static_cast<size_t>(i)].second);
    return rows;
}

/// Fills in the figures: rows beyond the evenly spread ones count for the maximum only.
void summarise(LengthFacts &facts, std::vector<int64_t> lengths, int64_t rows, const wire::DataSpec &data)
{
    const size_t spread = static_cast<size_t>(std::min(sampleRows, rows));
    std::vector<int64_t> kept;
    for (size_t i = 0; i < lengths.size(); ++i) {
        const bool dropped =
            lengths[i] == 0 || (data.tooLong == wire::TooLong::Drop && lengths[i] > data.maxLength);
        if (dropped)
            continue;
        const int64_t length = std::min(lengths[i], data.maxLength);
        facts.maxTokens = std::max(facts.maxTokens, length);
        if (i < spread)
            kept.push_back(length);
    }
    std::sort(kept.begin(), kept.end());
    facts.rows = spread == 0 ? 0 : rows * static_cast<int64_t>(kept.size()) / static_cast<int64_t>(spread);
    if (!kept.empty())
        facts.meanTokens = std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
    facts.sample = std::move(kept);
}

} // namespace

LengthFacts readLengths(const wire::JobSpec &job, const hf::ModelConfig &model)
{
    LengthFacts facts;
    if (job.data.train.empty()) {
        facts.assumption = "data.none";
        return facts;
    }
    data::ReadOptions read;
    read.format = job.data.format;
    read.systemPrompt = job.data.systemPrompt;
    read.vocabSize = model.vocabSize;
    const auto dataset = data::Dataset::open(job.data.train, read);
    if (!dataset.ok()) {
        facts.assumption = "data.unreadable";
        return facts;
    }
    data::SampleOptions options;
    options.maxLength = std::numeric_limits<int64_t>::max();
    options.render.trainAll = job.data.trainOn == wire::TrainOn::All;
    if (job.data.specialControlTokens)
        options.render.contentTokens = text::AddedTokens::Match;
    const Speech speech = speechOf(job);
    facts.measured = true;
    std::vector<int64_t> lengths;
    for (const int64_t row : chosenRows(*dataset)) {
        const auto tokens = tokensOf(dataset->row(row), speech, options);
        facts.measured = facts.measured && tokens;
        lengths.push_back(tokens.value_or(textBytes(dataset->row(row)) / bytesPerToken + 1));
    }
    if (!facts.measured)
        facts.assumption = "data.characters";
    summarise(facts, std::move(lengths), dataset->size(), job.data);
    return facts;
}

} // namespace rentune::plan
