// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/local/demo_job.h"

#include "core/wire/job_file.h"

namespace rentune::app {

std::filesystem::path demoModel(const Home &home)
{
    return home.cache() / "SmolLM2-135M-Instruct";
}

wire::JobSpec demoJob(const Home &home, const std::filesystem::path &resources, bool bf16)
{
    wire::JobSpec job;
    job.name = "demo";
    job.model.path = demoModel(home);
    job.data.train = {resources / "demo" / "english_train.json"};
    job.data.eval = {resources / "demo" / "english_eval.json"};
    job.data.maxLength = 256;
    job.method.type = wire::MethodType::Lora;
    job.method.rank = 8;
    job.method.alpha = 16;
    job.method.targets = {"q_proj", "k_proj", "v_proj", "o_proj"};
    job.training.microBatch = 4;
    job.training.maxSteps = 60;
    job.training.learningRate = 4e-4;
    job.training.warmupSteps = 4;
    job.training.precision = bf16 ? wire::Precision::Bf16 : wire::Precision::Fp32;
    job.training.samplePrompts = {"Give three short tips for a good night's sleep."};
    job.checkpoint.everySteps = 10;
    job.hardware.device = wire::DeviceChoice::Cpu;
    job.hardware.price = {.priceClass = "on_demand", .currency = "CNY", .perHour = 1.2};
    wire::stateChangedKeys(job);
    return job;
}

} // namespace rentune::app
