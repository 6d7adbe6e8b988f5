// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/text/conversation.h"
#include "core/text/tokenizer.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace rentune::trainer {

/// Tokenised rows, packed: 8 bytes a token, about twice the data file. Immutable, thread-safe.
class SampleSet
{
public:
    /// Renders and cuts every row up front (on `workers` threads), so that rows that are dropped or in error
    /// are known before the order of training is fixed and before the first step is paid for. Errors: those
    /// of data::makeSample for the first bad row, data.empty if no row is left.
    static Result<SampleSet> make(const data::Dataset &dataset, const text::Tokenizer *tokenizer,
                                  const text::ChatTemplate *chatTemplate, const data::SampleOptions &options,
                                  int workers = 1);

    int64_t size() const { return static_cast<int64_t>(m_rows.size()); }
    int64_t length(int64_t sample) const;              ///< tokens
    const text::TokenId *ids(int64_t sample) const;    ///< length() of them
    const text::TokenId *labels(int64_t sample) const; ///< unshifted, text::ignoredLabel where not trained
    int64_t row(int64_t sample) const { return m_rows[static_cast<size_t>(sample)]; } ///< row of the dataset
    int64_t dropped() const { return m_dropped; }
    int64_t truncated() const { return m_truncated; }

private:
    std::vector<text::TokenId> m_ids;
    std::vector<text::TokenId> m_labels;
    std::vector<int64_t> m_begin{0}; ///< size() + 1 offsets
    std::vector<int64_t> m_rows;
    int64_t m_dropped = 0;
    int64_t m_truncated = 0;
};

/// Rows padded at the end to the longest of them; all arrays are [rows × length], row-major.
struct MicroBatch
{
    int64_t number = 0; ///< global number within the step: a·world + rank
    int64_t rows = 0;
    int64_t length = 0;
    std::vector<int64_t> ids;           ///< padId where there is no token
    std::vector<int64_t> labels;        ///< text::ignoredLabel where not trained or padding
    std::vector<int64_t> attentionMask; ///< 1 token, 0 padding
    std::vector<int64_t> rowNumbers;    ///< rows of the dataset, [rows]
    int64_t tokens = 0;                 ///< without padding
    int64_t trainedTokens = 0; ///< labels that count after the shift: not ignored, and not at position 0
                               ///< unless BatchOptions::firstTrained
    bool padded = false;       ///< any padding at all
};

/// What one rank trains in one optimizer step.
struct StepBatches
{
    std::vector<MicroBatch> microBatches; ///< this rank's; may be empty at the end of an epoch
    int64_t globalMicroBatches = 0;       ///< of all ranks: what the step's sum is divided by
    int64_t globalTrainedTokens = 0;      ///< of all ranks, for loss_average: tokens
    double epoch = 0;                     ///< epochs finished when this step is done
};

struct BatchOptions
{
    int64_t microBatch = 4;
    int64_t accumulation = 1;
    int world = 1;
    int rank = 0;
    bool shuffle = true;
    uint64_t seed = 42;
    double epochs = 1;
    int64_t maxSteps = 0; ///< > 0 overrides epochs and wraps round the data
    int64_t padId = 0;
    bool firstTrained = false; ///< a prompt before each sequence predicts its first token too
};

/// The order of training, a pure function of (data, options, step): a resumed run asks for its step and gets
/// the same batches. Each epoch is its own permutation (Fisher–Yates from deriveSeed(seed, Shuffle,
/// {epoch})), or the data's order. In an epoch, micro batch (s·accumulation + a)·world + r is the a-th of
/// rank r in the epoch's step s; a last partial micro batch or accumulation is kept and a step never spans
/// two epochs, as in transformers' Trainer.
class BatchStream
{
public:
    /// `samples` is shared, not copied. Errors: job.value (both maxSteps and epochs 0, sizes below 1),
    /// data.empty.
    static Result<BatchStream> make(std::shared_ptr<const SampleSet> samples, const BatchOptions &options);

    int64_t stepsPerEpoch() const { return m_stepsPerEpoch; }
    int64_t totalSteps() const { return m_totalSteps; } ///< maxSteps, else ⌈epochs · stepsPerEpoch⌉

    /// Batches of step `step`, counted from 0; any step ≥ 0 may be asked for. Costs O(rows of the step), and
    /// one shuffle when the epoch changes. Not thread-safe.
    StepBatches step(int64_t step);

private:
    std::shared_ptr<const SampleSet> m_samples;
    BatchOptions m_options;
    int64_t m_microBatchesPerEpoch = 0;
    int64_t m_stepsPerEpoch = 0;
    int64_t m_totalSteps = 0;
    int64_t m_orderEpoch = -1;
    std::vector<int64_t> m_order;

    void shuffleFor(int64_t epoch);
    MicroBatch collect(int64_t numberInEpoch) const;
};

/// Every sample once, in order, `rows` at a time: what evaluation reads.
std::vector<MicroBatch> evaluationBatches(const SampleSet &samples, int64_t rows, int64_t padId);

} // namespace rentune::trainer
