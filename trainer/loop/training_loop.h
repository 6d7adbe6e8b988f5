// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "trainer/checkpoint/checkpoint.h"
#include "trainer/config/train_config.h"
#include "trainer/loop/checkpoint_policy.h"
#include "trainer/loop/early_stopping.h"
#include "trainer/loop/evaluation.h"
#include "trainer/loop/signals.h"
#include "trainer/model/load_model.h"
#include "trainer/optim/adamw.h"
#include "trainer/optim/schedule.h"
#include "trainer/report/event_log.h"

#include <memory>

namespace rentune::trainer {

/// What a training run works with; all of it outlives the loop.
struct TrainingParts
{
    const TrainConfig &config;
    LoadedModel &model;
    BatchStream &stream;
    const SampleSet *evaluation = nullptr; ///< null: no evaluation
    Speech speech;                         ///< for training.sample_prompts
    EventLog &log;
    CheckpointStore &checkpoints;
    Requests &requests;
    const Clock &clock;
};

/// The steps of one rank: batches → gradients → update, with the events, evaluations and checkpoints between
/// them. One thread; every number depends on (job, data, step) only, so that a restored loop goes on bit for
/// bit.
class TrainingLoop
{
public:
    explicit TrainingLoop(TrainingParts parts);

    /// Goes back to a checkpoint. Call before run(). Errors: checkpoint.broken if it does not fit this job.
    Result<void> restore(const LoadedCheckpoint &checkpoint);

    /// Trains to the last step, or until the evaluation loss no longer falls. Errors: stopped.notice and
    /// budget.reached, both after a checkpoint; numeric.nonfinite, with the parameters as before the step
    /// that failed; disk.*.
    Result<void> run();

    const AdamW &optimizer() const { return m_optimizer; }
    int64_t step() const { return m_step; }           ///< optimizer steps done
    const Json &history() const { return m_history; } ///< log_history of transformers' trainer_state.json
    double epoch() const { return m_epoch; }

private:
    struct StepOutcome
    {
        double loss = 0;
        double gradientNorm = 0;
        int64_t tokens = 0;
    };

    TrainingParts m_parts;
    const wire::TrainingSpec &m_training;
    LayerRunner m_runner;
    AdamW m_optimizer;
    LearningRate m_learningRate;
    CheckpointPolicy m_policy;
    int64_t m_step = 0;
    double m_epoch = 0;
    Seconds m_begin = 0;
    Seconds m_secondsBefore = 0; ///< of earlier attempts
    int64_t m_savedStep = -1;
    EarlyStopping m_earlyStopping;
    Json m_history = Json::array();

    StepOutcome gradients(const StepBatches &batches);
    Result<void> trainStep();
    Result<void> reportStep(const StepOutcome &outcome, double learningRate, Seconds seconds,
                            Seconds dataSeconds);
    Result<void> lookAtModel();
    Result<void> sample(const std::string &prompt);
    Result<void> reportMemory(const char *phase);
    Result<void> afterStep();
    Result<void> saveCheckpoint();
    std::string budgetReached() const;
    Seconds runSeconds() const;
};

} // namespace rentune::trainer
