// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/length_statistics.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace rentune::data {
namespace {

constexpr int64_t mostBins = 20;

std::vector<LengthStatistics::Bin> histogramOf(const std::vector<int64_t> &sorted)
{
    const int64_t first = sorted.front();
    const int64_t width = (sorted.back() - first) / mostBins + 1;
    std::vector<LengthStatistics::Bin> bins(static_cast<size_t>((sorted.back() - first) / width + 1));
    for (size_t i = 0; i < bins.size(); ++i) {
        bins[i].from = first + static_cast<int64_t>(i) * width;
        bins[i].to = bins[i].from + width - 1;
    }
    for (const int64_t length : sorted)
        ++bins[static_cast<size_t>((length - first) / width)].rows;
    return bins;
}

} // namespace

LengthStatistics lengthStatistics(std::vector<int64_t> lengths)
{
    LengthStatistics result;
    if (lengths.empty())
        return result;
    std::sort(lengths.begin(), lengths.end());
    const size_t count = lengths.size();
    result.rows = static_cast<int64_t>(count);
    result.minimum = lengths.front();
    result.median = lengths[(count - 1) / 2];
    result.p95 = lengths[(count * 95 + 99) / 100 - 1];
    result.maximum = lengths.back();
    result.total = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
    result.histogram = histogramOf(lengths);
    return result;
}

Result<std::vector<int64_t>> rowLengths(const Dataset &dataset, const text::Tokenizer *tokenizer,
                                        const text::ChatTemplate *chatTemplate,
                                        const text::RenderOptions &options, int64_t limit)
{
    SampleOptions sampleOptions;
    sampleOptions.maxLength = std::numeric_limits<int64_t>::max();
    sampleOptions.render = options;
    const int64_t count = limit > 0 ? std::min(limit, dataset.size()) : dataset.size();
    std::vector<int64_t> lengths;
    for (int64_t i = 0; i < count; ++i) {
        const Row &row = dataset.row(i * dataset.size() / count);
        RENTUNE_TRY(const auto sample, makeSample(row, tokenizer, chatTemplate, sampleOptions));
        if (sample)
            lengths.push_back(static_cast<int64_t>(sample->ids.size()));
    }
    return lengths;
}

} // namespace rentune::data
