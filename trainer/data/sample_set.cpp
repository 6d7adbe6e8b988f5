// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/batch_stream.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

namespace rentune::trainer {
namespace {

using MadeSample = std::optional<Result<std::optional<data::Sample>>>;

/// One worker's share: samples of rows first, first + stride, … until a row fails anywhere.
struct Worker
{
    const data::Dataset &dataset;
    const text::Tokenizer *tokenizer;
    const text::ChatTemplate *chatTemplate;
    const data::SampleOptions &options;
    std::vector<MadeSample> &made;
    std::atomic<bool> &failed;

    void run(int64_t first, int64_t stride) const
    {
        for (int64_t i = first; i < dataset.size() && !failed; i += stride) {
            MadeSample &sample = made[static_cast<size_t>(i)];
            sample = data::makeSample(dataset.row(i), tokenizer, chatTemplate, options);
            if (!sample->ok())
                failed = true;
        }
    }
};

} // namespace

Result<SampleSet> SampleSet::make(const data::Dataset &dataset, const text::Tokenizer *tokenizer,
                                  const text::ChatTemplate *chatTemplate, const data::SampleOptions &options,
                                  int workers)
{
    std::vector<MadeSample> made(static_cast<size_t>(dataset.size()));
    std::atomic<bool> failed = false;
    const Worker worker{dataset, tokenizer, chatTemplate, options, made, failed};
    const int count = std::clamp(workers, 1, 64);
    {
        std::vector<std::jthread> threads;
        for (int i = 1; i < count; ++i)
            threads.emplace_back([&worker, i, count] { worker.run(i, count); });
        worker.run(0, count);
    }

    SampleSet set;
    for (size_t i = 0; i < made.size(); ++i) {
        if (made[i] && !made[i]->ok())
            return std::move(*made[i]).error();
        if (failed)
            continue;
        const std::optional<data::Sample> &sample = **made[i];
        // Nothing is left to predict in a row of one token.
        if (!sample || sample->ids.size() < 2) {
            ++set.m_dropped;
            continue;
        }
        set.m_truncated += sample->truncated;
        set.m_ids.insert(set.m_ids.end(), sample->ids.begin(), sample->ids.end());
        set.m_labels.insert(set.m_labels.end(), sample->labels.begin(), sample->labels.end());
        set.m_begin.push_back(static_cast<int64_t>(set.m_ids.size()));
        set.m_rows.push_back(static_cast<int64_t>(i));
        made[i].reset();
    }
    if (set.size() == 0)
        return Error{ErrorCode::DataEmpty, "none of the " + std::to_string(dataset.totalRows()) +
                                               " rows can be trained on; `rentune data inspect` lists why"};
    return set;
}

int64_t SampleSet::length(int64_t sample) const
{
    const size_t i = static_cast<size_t>(sample);
    return m_begin[i + 1] - m_begin[i];
}

const text::TokenId *SampleSet::ids(int64_t sample) const
{
    return m_ids.data() + m_begin[static_cast<size_t>(sample)];
}

const text::TokenId *SampleSet::labels(int64_t sample) const
{
    return m_labels.data() + m_begin[static_cast<size_t>(sample)];
}

} // namespace rentune::trainer
