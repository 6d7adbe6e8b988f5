// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/job_file.h"

#include "core/base/file_ops.h"
#include "tests/support/env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <sys/resource.h>

namespace rentune::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string minimal = "model: {path: m}\n";

Result<JobSpec> parse(const std::string &text, const std::vector<std::string> &sets = {})
{
    return parseJob(text, "/jobs/job.yaml", sets);
}

JobSpec parsed(const std::string &text, const std::vector<std::string> &sets = {})
{
    auto job = parse(text, sets);
    if (!job)
        throw std::runtime_error(job.error().toString());
    return *job;
}

Error refused(const std::string &text, const std::vector<std::string> &sets = {})
{
    auto job = parse(text, sets);
    return job ? Error{ErrorCode::Internal, "accepted"} : job.error();
}

} // namespace

TEST(JobFile, FillsDefaultsAndResolvesPaths)
{
    const JobSpec job = parsed("name: first\nmodel: {path: ../models/m}\ndata: {train: [a.jsonl, /b.jsonl]}\n"
                               "method: {type: lora, targets: [q_proj, v_proj]}\n");
    EXPECT_EQ(job.name, "first");
    EXPECT_EQ(job.model.path, "/models/m");
    EXPECT_THAT(job.data.train, ElementsAre("/jobs/a.jsonl", "/b.jsonl"));
    EXPECT_EQ(job.method.type, MethodType::Lora);
    EXPECT_THAT(job.method.targets, ElementsAre("q_proj", "v_proj"));
    EXPECT_EQ(job.training.learningRate, 1e-4);
    EXPECT_THAT(job.statedKeys,
                ElementsAre("data.train", "method.targets", "method.type", "model.path", "name"));
    EXPECT_EQ(parsed(minimal).name, "job");
}

TEST(JobFile, ReadsEveryNumberSpelling)
{
    const auto rate = [](const std::string &text) {
        return parsed(minimal + "training: {learning_rate: " + text + "}").training.learningRate;
    };
    EXPECT_EQ(rate("1e-4"), 0.0001);
    EXPECT_EQ(rate("2E-5"), 0.00002);
    EXPECT_EQ(rate("5.0e-6"), 5.0e-6);
    EXPECT_EQ(rate("1.e-3"), 0.001);
    EXPECT_EQ(rate(".5e-4"), 0.00005);
    EXPECT_EQ(rate("\"3e-4\""), 0.0003);
    EXPECT_EQ(parsed(minimal + "training: {warmup_steps: 1e5}").training.warmupSteps, 100000);
    EXPECT_EQ(parsed(minimal + "training: {warmup_steps: 1_000}").training.warmupSteps, 1000);
    EXPECT_EQ(parsed(minimal + "method: {alpha: \"16\"}").method.alpha, 16);
}

TEST(JobFile, NamesKeyAndLineOfAWrongType)
{
    const Error word = refused("model: {path: m}\ntraining:\n  epochs: 2\n  learning_rate: high\n");
    EXPECT_EQ(word.code, ErrorCode::JobType);
    EXPECT_EQ(word.line, 4);
    EXPECT_EQ(word.file, "/jobs/job.yaml");
    EXPECT_THAT(word.detail, HasSubstr("training.learning_rate"));
    for (const char *bad :
         {"training: {learning_rate: .inf}", "training: {learning_rate: nan}", "training: {micro_batch: 1.5}",
          "training: {micro_batch: [1]}", "training: 3", "data: {packing: yes}", "method: {targets: []}",
          "training: {betas: [0.9]}", "method: {rank_pattern: 3}", "training: {warmup_steps: 12:30}"})
        EXPECT_EQ(refused(minimal + bad).code, ErrorCode::JobType) << bad;
}

TEST(JobFile, ChecksAlternativesAndRanges)
{
    const Error slip = refused("model: {path: m}\nmethod: {type: lroa}\n");
    EXPECT_EQ(slip.code, ErrorCode::JobValue);
    EXPECT_EQ(slip.line, 2);
    EXPECT_THAT(slip.detail, HasSubstr("did you mean lora?"));
    for (const char *bad :
         {"training: {micro_batch: 0}", "training: {learning_rate: -1}", "method: {dropout: 1}",
          "method: {rank: 0}", "training: {epochs: 0}", "training: {epochs: 0, max_steps: 0}",
          "training: {betas: [0.9, 1]}", "version: 2", "checkpoint: {keep: 0}",
          "hardware: {price: {currency: yuan, per_hour: 3}}"})
        EXPECT_EQ(refused(minimal + bad).code, ErrorCode::JobValue) << bad;
    EXPECT_EQ(refused("model: {path: m, id: a/b}").code, ErrorCode::JobConflict);
    EXPECT_EQ(refused("name: n").code, ErrorCode::JobMissingKey);
    EXPECT_EQ(refused(minimal + "hardware: {price: {per_hour: 3}}").code, ErrorCode::JobMissingKey);
    EXPECT_EQ(checkTrainable(parsed(minimal), "f").error().code, ErrorCode::JobMissingKey);
}

TEST(JobFile, SuggestsTheKeyThatWasMeant)
{
    const Error typo = refused("model: {path: m}\ntraining:\n  learing_rate: 2.0e-4\n");
    EXPECT_EQ(typo.code, ErrorCode::JobUnknownKey);
    EXPECT_EQ(typo.line, 3);
    EXPECT_THAT(typo.detail, HasSubstr("training.learing_rate"));
    EXPECT_THAT(typo.detail, HasSubstr("did you mean training.learning_rate?"));
    // In the wrong section, and beside a model of the wrong type: the unknown key is what explains the file.
    EXPECT_THAT(refused("model: tiny\nlearing_rate: 2.0e-4\n").detail, HasSubstr("training.learning_rate"));
    EXPECT_THAT(refused(minimal + "trainig: {epochs: 1}").detail, HasSubstr("did you mean training?"));
    EXPECT_THAT(refused(minimal + "zzzzqqq: 1").detail, testing::Not(HasSubstr("did you mean")));
}

TEST(JobFile, RefusesDuplicateKeysWithBothLines)
{
    const Error key =
        refused("training:\n  epochs: 3\n  learning_rate: 1.0e-4\n  micro_batch: 4\n  epochs: 5\n");
    EXPECT_EQ(key.code, ErrorCode::JobDuplicateKey);
    EXPECT_EQ(key.line, 5);
    EXPECT_THAT(key.detail, HasSubstr("line 2 and in line 5"));
    const Error section = refused("method:\n  rank: 8\nmodel: {path: m}\nmethod:\n  rank: 64\n");
    EXPECT_EQ(section.code, ErrorCode::JobDuplicateKey);
    EXPECT_THAT(section.detail, HasSubstr("line 1 and in line 4"));
    EXPECT_EQ(refused(R"({"model": {"path": "m"}, "name": "a", "name": "b"})").code,
              ErrorCode::JobDuplicateKey);
}

TEST(JobFile, BoundsAliasesAndDepth)
{
    std::string bomb = "x-a: &a [\"x\",\"x\",\"x\",\"x\",\"x\",\"x\",\"x\",\"x\",\"x\"]\n";
    for (char c = 'b'; c <= 'i'; ++c) {
        bomb += fmt::format("x-{}: &{} [", c, c);
        for (int i = 0; i < 9; ++i)
            bomb += fmt::format("{}*{}", i ? "," : "", static_cast<char>(c - 1));
        bomb += "]\n";
    }
    rusage before{};
    rusage after{};
    ::getrusage(RUSAGE_SELF, &before);
    EXPECT_EQ(refused(bomb).code, ErrorCode::JobSyntax);
    ::getrusage(RUSAGE_SELF, &after);
    EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 50 * 1024) << "KiB";

    EXPECT_EQ(refused("x-a: &a [*a]").code, ErrorCode::JobSyntax);
    EXPECT_EQ(refused("x-a: " + std::string(100'000, '[')).code, ErrorCode::JobSyntax);
    EXPECT_EQ(refused("x-a: " + std::string(3'000, '[') + std::string(3'000, ']')).code,
              ErrorCode::JobSyntax);
}

TEST(JobFile, RefusesTagsAndHonoursMergeKeys)
{
    const Error tag = refused("model: {path: m}\nx-evil: !!python/object/apply:os.system [\"echo hi\"]\n");
    EXPECT_EQ(tag.code, ErrorCode::JobSyntax);
    EXPECT_EQ(tag.line, 2);
    EXPECT_THAT(tag.detail, HasSubstr("python/object"));
    const JobSpec job = parsed(minimal + "x-base: &b\n  epochs: 2\n  learning_rate: 1.0e-4\n"
                                         "training:\n  <<: *b\n  learning_rate: 3.0e-4\n");
    EXPECT_EQ(job.training.epochs, 2);
    EXPECT_EQ(job.training.learningRate, 3.0e-4);
    EXPECT_EQ(refused(minimal + "training: {<<: 3}").code, ErrorCode::JobSyntax);
}

TEST(JobFile, RefusesWhatIsNoJob)
{
    for (const char *bad : {"", "- a\n", "just words", "model: {path: m", "{}: 1", "a: 1\n---\nb: 2\n",
                            "\xff\xfe", "model:\n\tpath: m\n", "? [a]\n: b\n", "~: 1"})
        EXPECT_EQ(codeClass(refused(bad).code), ErrorClass::Usage) << bad;
}

TEST(JobFile, TextStaysTextAndAnEmptyValueIsAbsent)
{
    const JobSpec job = parsed(minimal + "name: no\ndata: {system: 1.10}\ntraining:\n  epochs:\n");
    EXPECT_EQ(job.name, "no");
    EXPECT_EQ(job.data.systemPrompt, "1.10");
    EXPECT_EQ(job.training.epochs, 1);
}

TEST(JobFile, SetsOverrideTheFile)
{
    const JobSpec job = parsed(minimal + "training: {epochs: 3, micro_batch: 2}",
                               {"training.epochs=5", "method.targets=[q_proj]", "data.train=rows.jsonl",
                                "data.system=", "x-note=hi"});
    EXPECT_EQ(job.training.epochs, 5);
    EXPECT_EQ(job.training.microBatch, 2);
    EXPECT_THAT(job.method.targets, ElementsAre("q_proj"));
    EXPECT_THAT(job.data.train, ElementsAre(std::filesystem::current_path() / "rows.jsonl"));
    EXPECT_EQ(job.data.systemPrompt, "");
    EXPECT_EQ(job.extensions.at("x-note"), "\"hi\"");
    EXPECT_EQ(refused(minimal, {"training.epoch=5"}).code, ErrorCode::JobUnknownKey);
    EXPECT_EQ(refused(minimal, {"training.epochs"}).code, ErrorCode::UsageArguments);
    EXPECT_EQ(refused(minimal, {"training.micro_batch=x"}).code, ErrorCode::JobType);
}

TEST(JobFile, ReadsJsonToo)
{
    const JobSpec job =
        parsed("{\n\t\"name\": \"run \\ud83d\\ude80 \\\\ud83d\",\n\t\"model\": {\"path\":\"m\"},\n"
               "\t\"training\": {\"learning_rate\":1e-05, \"betas\":[0.9,0.95]}\n}\n");
    EXPECT_EQ(job.name, "run 🚀 \\ud83d");
    EXPECT_EQ(job.training.learningRate, 1e-5);
    EXPECT_EQ(job.training.beta2, 0.95);
    EXPECT_EQ(refused("{\n\"model\": {\"path\": \"m\"},\n\"training\": {\"epochs\": \"x\"}}").line, 3);
}

TEST(JobFile, ReadJobBoundsTheFile)
{
    const test::TemporaryFolder folder;
    EXPECT_EQ(readJob(folder.path() / "none.yaml").error().code, ErrorCode::UsageArguments);
    ASSERT_TRUE(atomicReplace(systemFileOps(), folder.path() / "big.yaml", std::string(5'000'000, '#')));
    EXPECT_EQ(readJob(folder.path() / "big.yaml").error().code, ErrorCode::FileTooLarge);
}

} // namespace rentune::wire
