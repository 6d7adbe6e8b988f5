// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/demo_content.h"

#include "app/local/local_runner.h"
#include "core/wire/event.h"
#include "core/wire/job_file.h"

#include <cmath>
#include <random>

namespace rentune::app::demo {
namespace {

constexpr int64_t startMicros = 1'795'900'000'000'000; // 2026-11-28, so that every picture shows the same
constexpr int plannedSteps = 1200;
constexpr double gibibyte = 1024.0 * 1024 * 1024;

/// The event lines of an invented run.
class Script
{
public:
    void say(const std::string &type, Json fields, double secondsLater = 0)
    {
        m_micros += int64_t(secondsLater * 1e6);
        m_lines += wire::encodeEvent({m_seq++, m_micros, m_attempt, type, std::move(fields)}) + "\n";
    }

    void step(int step)
    {
        const double t = double(step) / plannedSteps;
        const double wave = m_noise(m_random);
        const double loss = 1.05 + 1.45 * std::exp(-7 * t) - 0.12 * t + 0.05 * wave;
        const double warm = std::min(1.0, t / 0.03);
        say("step",
            {{"step", step},
             {"loss", loss},
             {"grad_norm", 0.42 + 0.8 * std::exp(-9 * t) + 0.04 * std::abs(wave)},
             {"lr", 1e-4 * warm * 0.5 * (1 + std::cos(3.14159 * t))},
             {"tokens", 8192},
             {"seconds", 2.1 + 0.06 * wave},
             {"tokens_per_second", 8192 / (2.1 + 0.06 * wave)},
             {"mem_bytes", (1.86 + 0.02 * wave) * gibibyte}},
            2.1);
        if (step % 200 == 0) {
            say("eval", {{"step", step}, {"loss", loss + 0.06 - 0.05 * wave}, {"tokens", 20480}}, 6);
            say("checkpoint", {{"step", step}, {"bytes", 48'300'000}, {"seconds", 0.4}}, 0.4);
        }
    }

    void begin()
    {
        say("hello",
            {{"run", "contract-qa"}, {"device", "cpu"}, {"parameters", 134515008}, {"trainable", 460800}});
        say("memory",
            {{"rank", 0}, {"phase", "load"}, {"allocated", 0.53 * gibibyte}, {"peak", 1.91 * gibibyte}}, 1);
    }

    void nextAttempt()
    {
        ++m_attempt;
        begin();
    }

    const std::string &lines() const { return m_lines; }

private:
    std::string m_lines;
    int64_t m_seq = 0;
    int64_t m_micros = startMicros;
    int m_attempt = 0;
    std::mt19937 m_random{7};
    std::normal_distribution<double> m_noise{0, 1};
};

wire::JobSpec smallJob(const std::string &name)
{
    wire::JobSpec job = fittingJob();
    job.name = name;
    return job;
}

Result<void> writeRun(const Home &home, const std::string &id, const std::string &name, int64_t created,
                      const std::string &events)
{
    const RunFiles files{home.runs() / id};
    const Json plan = {{"total_steps", plannedSteps},
                       {"step_seconds", 2.03},
                       {"tokens_per_second", 4035},
                       {"total_seconds", 2560},
                       {"memory", {{"per_gpu_bytes", {{"expected", int64_t(2.02 * gibibyte)}}}}}};
    const Json record = {{"name", name}, {"created_us", created}, {"plan", plan}};
    RENTUNE_CHECK(systemFileOps().createFolders(files.folder));
    RENTUNE_CHECK(atomicReplace(systemFileOps(), files.job(), wire::writeJob(smallJob(name))));
    RENTUNE_CHECK(atomicReplace(systemFileOps(), files.run(), record.dump(2)));
    return atomicReplace(systemFileOps(), files.events(), events);
}

} // namespace

wire::JobSpec fittingJob()
{
    wire::JobSpec job;
    job.name = "contract-qa-7b";
    job.model.id = "Qwen/Qwen2.5-7B";
    job.data.maxLength = 2048;
    job.method.type = wire::MethodType::Lora;
    job.method.rank = 16;
    job.method.alpha = 32;
    job.training.maxSteps = 2000;
    job.training.microBatch = 2;
    job.training.gradAccumulation = 8;
    job.training.precision = wire::Precision::Bf16;
    job.training.gradientCheckpointing = true;
    job.hardware.gpu = "rtx-4090";
    job.hardware.price = {"on_demand", "CNY", 2.39};
    job.budget.maxCost = 200;
    job.statedKeys = {"budget.max_cost",
                      "data.max_length",
                      "hardware.gpu",
                      "hardware.price.class",
                      "hardware.price.currency",
                      "hardware.price.per_hour",
                      "method.alpha",
                      "method.rank",
                      "method.type",
                      "model.id",
                      "name",
                      "training.grad_accumulation",
                      "training.gradient_checkpointing",
                      "training.max_steps",
                      "training.micro_batch",
                      "training.precision"};
    return job;
}

wire::JobSpec oversizedJob()
{
    wire::JobSpec job = fittingJob();
    job.data.maxLength = 4096;
    job.training.microBatch = 8;
    job.training.gradAccumulation = 2;
    return job;
}

std::string brokenRun()
{
    return "contract-qa-batch-8";
}

Result<void> writeRuns(const Home &home)
{
    Script done;
    done.begin();
    for (int step = 1; step <= 640; ++step)
        done.step(step);
    done.say("notice", {{"code", "stop_requested"}, {"seconds_left", 120}}, 1);
    done.nextAttempt();
    for (int step = 601; step <= plannedSteps; ++step)
        done.step(step);
    done.say("done", {{"exit", 0}}, 1);
    RENTUNE_CHECK(writeRun(home, "contract-qa", "contract-qa", startMicros, done.lines()));

    Script broken;
    broken.begin();
    for (int step = 1; step <= 412; ++step)
        broken.step(step);
    broken.say("error",
               {{"code", "memory.out"},
                {"class", "memory"},
                {"detail", "asked 1.92 GiB, 0.71 GiB were free; lower training.micro_batch"}},
               1);
    broken.say("done", {{"exit", 4}}, 0.1);
    return writeRun(home, brokenRun(), "contract-qa-batch-8", startMicros - 7'200'000'000, broken.lines());
}

} // namespace rentune::app::demo
