// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/main/verbs.h"

#include "core/base/clock.h"
#include "core/wire/event.h"
#include "core/wire/job_file.h"
#include "trainer/export/export.h"
#include "trainer/loop/training_loop.h"
#include "trainer/loop/version.h"
#include "trainer/main/run_folder.h"
#include "trainer/ops/allocator.h"
#include "trainer/torch/threads.h"

#include <memory>

namespace rentune::trainer {
namespace {

namespace fs = std::filesystem;

struct TrainOptions
{
    std::string job;
    std::string folder;
    std::string events;
    bool resume = false;
    std::vector<std::string> sets;
};

/// A run from its first event to its last; every failure after hello is an event too.
class Run
{
public:
    Run(TrainConfig config, fs::path folder, Requests &requests)
        : m_config(std::move(config)), m_folder(std::move(folder)), m_requests(requests)
    {
    }

    Result<int> perform(const TrainOptions &options)
    {
        RENTUNE_TRY(const std::unique_ptr<RunFolderLock> lock,
                    prepareFolder(systemFileOps(), m_folder, m_config.job, options.resume));
        RENTUNE_TRY(
            m_log, EventLog::open(systemFileOps(), systemClock(), m_folder / "events.jsonl", options.events));
        RENTUNE_CHECK(hello());
        const Result<void> result = guarded(options.resume);
        const int code = result.ok() ? 0 : exitCode(codeClass(result.error().code));
        RENTUNE_CHECK(farewell(result, code));
        if (!result.ok())
            return result.error();
        return code;
    }

private:
    TrainConfig m_config;
    fs::path m_folder;
    Requests &m_requests;
    std::unique_ptr<EventLog> m_log;
    std::optional<text::Tokenizer> m_tokenizer;
    std::optional<text::ChatTemplate> m_template;

    Result<void> hello()
    {
        RENTUNE_TRY(const hf::ModelConfig model, hf::readModelConfig(m_config.model));
        int64_t trainable = hf::parameterCount(model);
        int64_t parameters = trainable;
        if (m_config.adapter) {
            RENTUNE_TRY(trainable, adapterParameters(model));
            parameters += trainable;
        }
        const bool bf16 = m_config.job.training.precision == wire::Precision::Bf16;
        RENTUNE_CHECK(m_log->append("hello", {{"run", m_config.job.name},
                                              {"trainer", versions()["trainer"]},
                                              {"wire", wire::wireVersion},
                                              {"world", m_config.world},
                                              {"device", "cpu"},
                                              {"parameters", parameters},
                                              {"trainable", trainable},
                                              {"precision", bf16 ? "bf16" : "fp32"},
                                              {"threads", m_config.threads}}));
        return m_log->append("state", {{"from", "new"}, {"to", "preparing"}, {"code", nullptr}});
    }

    /// What the job asks for and the model lacks is the job's fault, not the data's.
    Result<int64_t> adapterParameters(const hf::ModelConfig &model) const
    {
        Result<int64_t> count = hf::adapterParameterCount(*m_config.adapter, model);
        if (!count.ok() && m_config.initFrom.empty())
            return Error{ErrorCode::JobValue, count.error().detail};
        return count;
    }

    /// Library exceptions end here, so that the log hears of them.
    Result<void> guarded(bool resume)
    {
        try {
            return train(resume);
        } catch (const std::exception &exception) {
            return errorOf(exception);
        }
    }

    Result<void> farewell(const Result<void> &result, int code)
    {
        Json reason = nullptr;
        if (!result.ok()) {
            const Error &error = result.error();
            reason = std::string(codeName(error.code));
            RENTUNE_CHECK(m_log->append("error", {{"code", reason},
                                                  {"class", std::string(className(codeClass(error.code)))},
                                                  {"detail", error.toString()}}));
        }
        RENTUNE_CHECK(
            m_log->append("state", {{"from", "running"}, {"to", wire::endState(code)}, {"code", reason}}));
        RENTUNE_CHECK(m_log->append("done", {{"exit", code}}));
        return m_log->flush();
    }

    Result<void> train(bool resume)
    {
        CheckpointStore checkpoints(systemFileOps(), m_folder / "checkpoints", m_config.job.checkpoint.keep);
        const std::optional<LoadedCheckpoint> checkpoint =
            resume ? checkpoints.loadLatest([&](const Error &error) { warn(error.toString()); })
                   : std::nullopt;
        if (checkpoint && m_config.job.training.threads == 0)
            m_config.threads = checkpoint->threads; // sums are split by thread: part of going on bit for bit
        fixThreads(m_config.threads);
        installCountingAllocator();

        RENTUNE_CHECK(readSpeech());
        RENTUNE_TRY(const std::shared_ptr<const SampleSet> samples, readSamples(m_config.job.data.train));
        std::shared_ptr<const SampleSet> evaluation;
        if (!m_config.job.data.eval.empty()) {
            RENTUNE_TRY(evaluation, readSamples(m_config.job.data.eval));
        }
        RENTUNE_TRY(BatchStream stream, BatchStream::make(samples, batchOptions()));
        RENTUNE_TRY(LoadedModel model, loadModel(modelRequest()));
        for (const std::string &key : model.unmatched)
            warn("adapter key " + key + " matches no module of this model");

        TrainingLoop loop({m_config, model, stream, evaluation.get(), speech(), *m_log, checkpoints,
                           m_requests, systemClock()});
        if (checkpoint)
            RENTUNE_CHECK(loop.restore(*checkpoint));
        RENTUNE_CHECK(m_log->append("state", {{"from", "preparing"},
                                              {"to", "running"},
                                              {"code", nullptr},
                                              {"total_steps", stream.totalSteps()}}));
        RENTUNE_CHECK(loop.run());
        return writeResult(model, loop, stream.totalSteps());
    }

    void warn(const std::string &text)
    {
        // a log that can't be written ends the run at the next event
        (void)m_log->append("log", {{"level", "warning"}, {"text", text}});
    }

    /// Tokenizer and template, where the data or the sample prompts need them.
    Result<void> readSpeech()
    {
        const bool ids = m_config.job.data.format == "tokens";
        const bool prompts = !m_config.job.training.samplePrompts.empty();
        if (ids && !prompts)
            return {};
        RENTUNE_TRY(m_tokenizer, text::Tokenizer::load(m_config.model));
        Result<text::ChatTemplate> loaded =
            text::ChatTemplate::choose(m_config.job.data.chatTemplate, m_config.model);
        if (loaded.ok())
            m_template = std::move(loaded).value();
        else if (loaded.error().code != ErrorCode::TemplateMissing)
            return loaded.error();
        return {};
    }

    Speech speech() const
    {
        return {m_tokenizer ? &*m_tokenizer : nullptr, m_template ? &*m_template : nullptr};
    }

    Result<std::shared_ptr<const SampleSet>> readSamples(const std::vector<fs::path> &files)
    {
        const wire::DataSpec &spec = m_config.job.data;
        RENTUNE_TRY(const hf::ModelConfig model, hf::readModelConfig(m_config.model));
        data::ReadOptions read;
        read.format = spec.format;
        read.systemPrompt = spec.systemPrompt;
        read.vocabSize = model.vocabSize;
        RENTUNE_TRY(const data::Dataset dataset, data::Dataset::open(files, read));
        for (const data::Problem &problem : dataset.problems())
            warn(problem.file + ":" + std::to_string(problem.line) + ": " + problem.code + " " +
                 problem.detail);

        data::SampleOptions options;
        options.maxLength = spec.maxLength;
        options.dropTooLong = spec.tooLong == wire::TooLong::Drop;
        options.errorTooLong = spec.tooLong == wire::TooLong::Error;
        options.render.trainAll = spec.trainOn == wire::TrainOn::All;
        options.render.contentTokens =
            spec.specialControlTokens ? text::AddedTokens::Match : text::AddedTokens::AsText;
        const Speech with = speech();
        RENTUNE_TRY(SampleSet samples,
                    SampleSet::make(dataset, with.tokenizer, with.chatTemplate, options, spec.workers));
        if (samples.dropped() > 0)
            warn(std::to_string(samples.dropped()) +
                 " rows have nothing to train on within data.max_length " + std::to_string(spec.maxLength));
        if (samples.truncated() > 0)
            warn(std::to_string(samples.truncated()) + " rows are cut to data.max_length " +
                 std::to_string(spec.maxLength));
        return std::make_shared<const SampleSet>(std::move(samples));
    }

    BatchOptions batchOptions() const
    {
        const wire::TrainingSpec &training = m_config.job.training;
        BatchOptions options;
        options.microBatch = training.microBatch;
        options.accumulation = training.gradAccumulation;
        options.world = m_config.world;
        options.rank = m_config.rank;
        options.shuffle = m_config.job.data.shuffle;
        options.seed = training.seed;
        options.epochs = training.epochs;
        options.maxSteps = training.maxSteps;
        const auto method = m_config.job.method.type;
        options.firstTrained = method == wire::MethodType::Prompt || method == wire::MethodType::Ptuning;
        return options;
    }

    ModelRequest modelRequest() const
    {
        ModelRequest request;
        request.folder = m_config.model;
        request.format = m_config.job.training.precision == wire::Precision::Bf16 ? NumberFormat::bf16()
                                                                                  : NumberFormat::fp32();
        request.trained = m_config.adapter ? Trained::Adapter : Trained::Everything;
        request.adapter = m_config.adapter;
        request.adapterFolder = m_config.initFrom;
        request.seed = m_config.job.training.seed;
        const wire::QuantizationSpec &packing = m_config.job.method.quantization;
        if (packing.type != wire::QuantizationType::None)
            request.quantization = Quantization{
                packing.type == wire::QuantizationType::Fp4 ? kernels::FourBit::Fp4 : kernels::FourBit::Nf4,
                packing.block, packing.doubleQuant};
        return request;
    }

    Result<void> writeResult(const LoadedModel &model, const TrainingLoop &loop, int64_t totalSteps)
    {
        FileOps &ops = systemFileOps();
        const fs::path result = m_folder / (m_config.adapter ? "adapter" : "model");
        if (m_config.adapter)
            RENTUNE_CHECK(exportAdapter(ops, result, *m_config.adapter, model));
        else
            RENTUNE_CHECK(exportModel(ops, result, m_config.model, model, loop.optimizer()));
        const Json state =
            trainerState(loop.history(), loop.step(), totalSteps, loop.epoch(), m_config.job.training);
        RENTUNE_CHECK(atomicReplace(ops, m_folder / "trainer_state.json", state.dump(2) + "\n"));
        RENTUNE_TRY(const Json receipt, makeReceipt(m_config, m_log->attempt(), result));
        return atomicReplace(ops, m_folder / "receipt.json", receipt.dump(2) + "\n");
    }
};

Result<int> train(const TrainOptions &options)
{
    SignalRequests requests; // before all else: a notice while the job is read or the model loads is not lost
    RENTUNE_TRY(wire::JobSpec job, wire::readJob(options.job, options.sets));
    RENTUNE_CHECK(wire::checkTrainable(job, options.job));
    RENTUNE_TRY(TrainConfig config, makeTrainConfig(std::move(job)));
    fs::path folder =
        options.folder.empty() ? defaultRunFolder(config.job.name, systemClock()) : fs::path(options.folder);
    return Run(std::move(config), std::move(folder), requests).perform(options);
}

} // namespace

void addTrainVerb(CLI::App &program, Action &action)
{
    CLI::App *verb = program.add_subcommand("train", "Train as a job file says");
    auto options = std::make_shared<TrainOptions>();
    verb->add_option("job", options->job, "Job file (YAML or JSON)")->required();
    verb->add_option("--run-dir", options->folder,
                     "Folder of the run (default: a new one under RENTUNE_HOME)");
    verb->add_option("--events", options->events,
                     "Also write the events to this file, or - for standard output");
    verb->add_flag("--resume", options->resume, "Go on from the folder's last checkpoint");
    verb->add_option("--set", options->sets, "Change a key of the job: a.b=value");
    verb->callback([options, &action] { action = [options] { return train(*options); }; });
}

} // namespace rentune::trainer
