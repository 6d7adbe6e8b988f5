// SPDX-License-Identifier: GPL-3.0-or-later
// The trainer's command line against what transformers and PEFT computed on the same models, data and
// settings.
#include "core/base/json.h"
#include "core/hf/safetensors.h"
#include "tests/support/env.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

namespace rentune::test {
namespace {

namespace fs = std::filesystem;

fs::path goldenFolder()
{
    return dataFolder() / "golden";
}

std::string trainer()
{
    return (binFolder() / "rentune-trainer").string();
}

Json json(const fs::path &path)
{
    Result<Json> value = readJson(path);
    if (!value.ok())
        throw std::runtime_error(value.error().toString());
    return std::move(value).value();
}

std::vector<float> floats(const hf::SafetensorsFile &file, const std::string &name)
{
    const hf::TensorEntry *entry = file.find(name);
    if (!entry)
        throw std::runtime_error("no tensor " + name);
    const auto bytes = file.bytes(*entry);
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

hf::SafetensorsFile open(const fs::path &path)
{
    Result<hf::SafetensorsFile> file = hf::SafetensorsFile::open(path);
    if (!file.ok())
        throw std::runtime_error(file.error().toString());
    return std::move(file).value();
}

double largestDifference(const std::vector<float> &a, const std::vector<float> &b)
{
    EXPECT_EQ(a.size(), b.size());
    double largest = 0;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
    return largest;
}

std::vector<std::string> namesIn(const std::string &folder, const std::string &extension)
{
    std::vector<std::string> names;
    for (const fs::directory_entry &entry : fs::directory_iterator(goldenFolder() / folder))
        if (entry.path().extension() == extension)
            names.push_back(entry.path().stem());
    std::sort(names.begin(), names.end());
    return names;
}

void writeIds(const fs::path &path, const std::vector<int64_t> &ids, int64_t rows, bool labels)
{
    hf::TensorView view{"input_ids",
                        hf::Dtype::I64,
                        {rows, static_cast<int64_t>(ids.size()) / rows},
                        std::as_bytes(std::span(ids))};
    std::vector<hf::TensorView> tensors{view};
    if (labels) {
        view.name = "labels";
        tensors.push_back(view);
    }
    ASSERT_TRUE(hf::writeSafetensors(systemFileOps(), path, tensors).ok());
}

TEST(GoldenLogits, EveryModelWithinTolerance)
{
    const TemporaryFolder folder;
    for (const std::string &name : namesIn("models", "")) {
        const fs::path model = goldenFolder() / "models" / name;
        const hf::SafetensorsFile expected = open(model / "expected_logits.safetensors");
        const auto bytes = expected.bytes(*expected.find("input_ids"));
        std::vector<int64_t> ids(bytes.size() / sizeof(int64_t));
        std::memcpy(ids.data(), bytes.data(), bytes.size());
        writeIds(folder.path() / "in.safetensors", ids, expected.find("input_ids")->shape[0], true);
        const ProcessResult run = runProcess({trainer(), "forward", "--model", model.string(), "--input",
                                              (folder.path() / "in.safetensors").string(), "--output",
                                              (folder.path() / "out.safetensors").string()});
        ASSERT_EQ(run.exitCode, 0) << run.err;
        const hf::SafetensorsFile got = open(folder.path() / "out.safetensors");
        const std::vector<float> want = floats(expected, "logits");
        float largest = 0;
        for (const float value : want)
            largest = std::max(largest, std::abs(value));
        EXPECT_LT(largestDifference(floats(got, "logits"), want), 1e-4 * largest) << name;
        const double loss = json(model / "expected.json")["loss"];
        EXPECT_NEAR(floats(got, "loss").at(0), loss, 2e-5 * loss) << name;
    }
}

/// One curve of the references and the tolerances its dtype allows.
struct Curve
{
    explicit Curve(const std::string &curveName)
        : name(curveName), facts(json(goldenFolder() / "curves" / (name + ".json"))),
          model(goldenFolder() / "models" / name.substr(0, name.find('-'))),
          bf16(facts["hyper"]["dtype"] == "bfloat16"),
          adapter(fs::exists(goldenFolder() / "curves" / (name + "-start")))
    {
    }

    std::string name;
    Json facts;
    fs::path model;
    bool bf16;
    bool adapter;

    bool packed() const { return name.find("qlora-nf4-dq") != std::string::npos; }
    fs::path folder(const char *moment) const { return goldenFolder() / "curves" / (name + "-" + moment); }
    double lossTolerance() const { return bf16 ? 5e-3 : 2e-5; }
    double normTolerance() const { return bf16 ? 5e-2 : 2e-4; }
    double afterTolerance() const { return bf16 ? 5e-3 : 5e-5; }

    Json adapterMethod() const
    {
        const Json config = json(folder("start") / "adapter_config.json");
        static const std::map<std::string, std::string> types = {
            {"LORA", "lora"}, {"IA3", "ia3"}, {"PROMPT_TUNING", "prompt"}, {"PREFIX_TUNING", "prefix"}};
        const bool dora = config.value("use_dora", false);
        Json method{{"type", dora ? "dora" : types.at(config["peft_type"])},
                    {"init_from", folder("start").string()}};
        if (packed())
            method["quantization"] = {{"type", "nf4"}, {"double", true}, {"block", 64}};
        return method;
    }

    void writeJob(const fs::path &at) const
    {
        std::ofstream rows(at / "rows.jsonl");
        for (const Json &batch : facts["input_ids"])
            for (const Json &row : batch)
                rows << Json{{"input_ids", row}}.dump() << "\n";
        const Json &hyper = facts["hyper"];
        Json job;
        job["version"] = 1;
        job["name"] = "golden";
        job["model"] = {{"path", model.string()}};
        job["data"] = {{"train", {(at / "rows.jsonl").string()}},
                       {"format", "tokens"},
                       {"shuffle", false},
                       {"max_length", facts["input_ids"][0][0].size()}};
        job["method"] = adapter ? adapterMethod() : Json{{"type", "full"}};
        job["training"] = {{"max_steps", hyper["steps"]},
                           {"micro_batch", facts["input_ids"][0].size()},
                           {"grad_accumulation", hyper["grad_accum"]},
                           {"learning_rate", hyper["lr"]},
                           {"scheduler", hyper["scheduler"]},
                           {"warmup_steps", hyper["warmup_steps"]},
                           {"weight_decay", hyper["weight_decay"]},
                           {"betas", hyper["betas"]},
                           {"eps", hyper["eps"]},
                           {"max_grad_norm", hyper["clip"]},
                           {"precision", bf16 ? "bf16" : "fp32"},
                           {"master_weights", false},
                           {"threads", 1}};
        std::ofstream(at / "job.json") << job.dump();
    }
};

std::vector<Json> stepsOf(const fs::path &run)
{
    std::vector<Json> steps;
    std::ifstream events(run / "events.jsonl");
    for (std::string line; std::getline(events, line);) {
        Json event = Json::parse(line);
        if (event["type"] == "step")
            steps.push_back(std::move(event));
    }
    return steps;
}

void expectCurve(const Curve &curve, const fs::path &run)
{
    const std::vector<Json> steps = stepsOf(run);
    const Json &want = curve.facts["log"];
    ASSERT_EQ(steps.size(), want.size());
    const double rate = curve.facts["hyper"]["lr"];
    for (size_t i = 0; i < steps.size(); ++i) {
        const double loss = want[i]["loss"];
        const double norm = want[i]["grad_norm"];
        EXPECT_NEAR(steps[i]["loss"].get<double>(), loss, curve.lossTolerance() * loss) << "step " << i + 1;
        EXPECT_NEAR(steps[i]["grad_norm"].get<double>(), norm, curve.normTolerance() * norm)
            << "step " << i + 1;
        EXPECT_NEAR(steps[i]["lr"].get<double>(), want[i]["lr"].get<double>(), 1e-6 * rate)
            << "step " << i + 1;
    }
}

void expectEnd(const Curve &curve, const fs::path &run)
{
    const hf::SafetensorsFile want = open(curve.folder("end") / "adapter_model.safetensors");
    const hf::SafetensorsFile got = open(run / "adapter" / "adapter_model.safetensors");
    ASSERT_EQ(got.tensors().size(), want.tensors().size());
    for (const hf::TensorEntry &entry : want.tensors())
        EXPECT_LT(largestDifference(floats(got, entry.name), floats(want, entry.name)), 1e-3) << entry.name;
}

/// What lies on the disk, read back, has the loss of the reference's result on the first micro batch.
void expectReadBack(const Curve &curve, const fs::path &folder)
{
    const Json &batch = curve.facts["input_ids"][0];
    std::vector<int64_t> ids;
    for (const Json &row : batch)
        for (const Json &id : row)
            ids.push_back(id);
    writeIds(folder / "in.safetensors", ids, static_cast<int64_t>(batch.size()), true);
    const fs::path run = folder / "run";
    std::vector<std::string> command{trainer(),     "forward",
                                     "--model",     (curve.adapter ? curve.model : run / "model").string(),
                                     "--input",     (folder / "in.safetensors").string(),
                                     "--output",    (folder / "out.safetensors").string(),
                                     "--precision", curve.bf16 ? "bf16" : "fp32"};
    if (curve.adapter)
        command.insert(command.end(), {"--adapter", (run / "adapter").string()});
    if (curve.packed())
        command.insert(command.end(), {"--quantize", "nf4", "--double"});
    const ProcessResult result = runProcess(command);
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const double after = curve.facts["after_loss"];
    EXPECT_NEAR(floats(open(folder / "out.safetensors"), "loss").at(0), after,
                curve.afterTolerance() * after);
}

class GoldenCurve : public testing::TestWithParam<std::string>
{
};

TEST_P(GoldenCurve, RepeatsTheReference)
{
    const Curve curve(GetParam());
    const TemporaryFolder folder;
    curve.writeJob(folder.path());
    const fs::path run = folder.path() / "run";
    const ProcessResult result =
        runProcess({trainer(), "train", (folder.path() / "job.json").string(), "--run-dir", run.string()});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    expectCurve(curve, run);
    if (curve.adapter)
        expectEnd(curve, run);
    expectReadBack(curve, folder.path());
}

INSTANTIATE_TEST_SUITE_P(All, GoldenCurve, testing::ValuesIn(namesIn("curves", ".json")),
                         [](const auto &curve) {
                             std::string name = curve.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

} // namespace
} // namespace rentune::test
