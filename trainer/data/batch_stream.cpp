// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/batch_stream.h"

#include "trainer/config/seeds.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace rentune::trainer {
namespace {

int64_t ceilDivide(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/// Labels that enter the loss: the model predicts position t from t − 1, so the first one does only after a
/// prompt.
int64_t countTrained(const text::TokenId *labels, int64_t length, bool first)
{
    const int64_t skipped = first ? 0 : 1;
    const std::span<const text::TokenId> shifted(labels + skipped, static_cast<size_t>(length - skipped));
    return std::ranges::count_if(shifted, [](text::TokenId label) { return label != text::ignoredLabel; });
}

MicroBatch pad(const SampleSet &samples, std::span<const int64_t> chosen, int64_t padId, bool firstTrained)
{
    MicroBatch batch;
    batch.rows = static_cast<int64_t>(chosen.size());
    for (const int64_t sample : chosen)
        batch.length = std::max(batch.length, samples.length(sample));
    const size_t cells = static_cast<size_t>(batch.rows * batch.length);
    batch.ids.assign(cells, padId);
    batch.labels.assign(cells, text::ignoredLabel);
    batch.attentionMask.assign(cells, 0);
    for (size_t r = 0; r < chosen.size(); ++r) {
        const int64_t sample = chosen[r];
        const int64_t length = samples.length(sample);
        const int64_t begin = static_cast<int64_t>(r) * batch.length;
        std::copy_n(samples.ids(sample), length, batch.ids.begin() + begin);
        std::copy_n(samples.labels(sample), length, batch.labels.begin() + begin);
        std::fill_n(batch.attentionMask.begin() + begin, length, 1);
        batch.rowNumbers.push_back(samples.row(sample));
        batch.tokens += length;
        batch.trainedTokens += countTrained(samples.labels(sample), length, firstTrained);
    }
    batch.padded = batch.tokens != batch.rows * batch.length;
    return batch;
}

} // namespace

Result<BatchStream> BatchStream::make(std::shared_ptr<const SampleSet> samples, const BatchOptions &options)
{
    if (samples->size() == 0)
        return Error{ErrorCode::DataEmpty, "no row can be trained on"};
    if (options.microBatch < 1 || options.accumulation < 1)
        return Error{ErrorCode::JobValue,
                     "training.micro_batch and training.grad_accumulation must be at least 1"};
    if (options.maxSteps <= 0 && !(options.epochs > 0))
        return Error{ErrorCode::JobValue,
                     "training.max_steps and training.epochs are both 0: nothing would be trained"};
    BatchStream stream;
    stream.m_microBatchesPerEpoch = ceilDivide(samples->size(), options.microBatch);
    stream.m_stepsPerEpoch = ceilDivide(stream.m_microBatchesPerEpoch, options.accumulation * options.world);
    const double steps = std::ceil(options.epochs * static_cast<double>(stream.m_stepsPerEpoch));
    if (options.maxSteps <= 0 && !(steps < 1e15))
        return Error{ErrorCode::JobValue, "training.epochs is too large"};
    stream.m_totalSteps = options.maxSteps > 0 ? options.maxSteps : static_cast<int64_t>(steps);
    stream.m_samples = std::move(samples);
    stream.m_options = options;
    return stream;
}

void BatchStream::shuffleFor(int64_t epoch)
{
    const int64_t orderEpoch = m_options.shuffle ? epoch : 0;
    if (m_orderEpoch == orderEpoch)
        return;
    m_order.resize(static_cast<size_t>(m_samples->size()));
    std::iota(m_order.begin(), m_order.end(), int64_t{0});
    if (m_options.shuffle) {
        SplitMix64 random(deriveSeed(m_options.seed, RandomPurpose::Shuffle, {static_cast<uint64_t>(epoch)}));
        for (size_t i = m_order.size() - 1; i > 0; --i)
            std::swap(m_order[i], m_order[random.below(i + 1)]);
    }
    m_orderEpoch = orderEpoch;
}

MicroBatch BatchStream::collect(int64_t numberInEpoch) const
{
    const int64_t begin = numberInEpoch * m_options.microBatch;
    const int64_t count = std::min(m_options.microBatch, m_samples->size() - begin);
    return pad(*m_samples, std::span(m_order).subspan(static_cast<size_t>(begin), static_cast<size_t>(count)),
               m_options.padId, m_options.firstTrained);
}

StepBatches BatchStream::step(int64_t step)
{
    const int64_t epoch = step / m_stepsPerEpoch;
    const int64_t perStep = m_options.accumulation * m_options.world;
    const int64_t first = (step % m_stepsPerEpoch) * perStep;
    shuffleFor(epoch);

    StepBatches batches;
    batches.globalMicroBatches = std::min(perStep, m_microBatchesPerEpoch - first);
    batches.epoch = static_cast<double>(epoch) + static_cast<double>(first + batches.globalMicroBatches) /
                                                     static_cast<double>(m_microBatchesPerEpoch);
    for (int64_t number = 0; number < batches.globalMicroBatches; ++number) {
        MicroBatch batch = collect(first + number);
        batch.number = number;
        batches.globalTrainedTokens += batch.trainedTokens;
        if (number % m_options.world == m_options.rank)
            batches.microBatches.push_back(std::move(batch));
    }
    return batches;
}

std::vector<MicroBatch> evaluationBatches(const SampleSet &samples, int64_t rows, int64_t padId)
{
    std::vector<int64_t> order(static_cast<size_t>(samples.size()));
    std::iota(order.begin(), order.end(), int64_t{0});
    std::vector<MicroBatch> batches;
    for (int64_t begin = 0; begin < samples.size(); begin += rows) {
        const int64_t count = std::min(rows, samples.size() - begin);
        batches.push_back(
            pad(samples, std::span(order).subspan(static_cast<size_t>(begin), static_cast<size_t>(count)),
                padId, false));
        batches.back().number = begin / rows;
    }
    return batches;
}

} // namespace rentune::trainer
