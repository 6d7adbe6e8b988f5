// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs a user may really have: each ends in one sentence that says what and where, and the exit code of its
// class.
#include "core/base/file_ops.h"
#include "tests/support/env.h"
#include "tests/trainer/tiny_run.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

namespace rentune {
namespace {
namespace fs = std::filesystem;
using test::replaceIn;
using test::TinyRun;
using testing::HasSubstr;

class BadInputTest : public testing::Test
{
protected:
    void SetUp() override { test::writeTinyJob(m_temporary.path()); }

    const fs::path &root() const { return m_temporary.path(); }
    TinyRun run() const { return TinyRun(root() / "job.yaml", root() / "run"); }

    /// The trainer ends with `code` and prints one line with all of `parts`.
    void expectRefusal(int code, const std::vector<std::string> &parts) const
    {
        EXPECT_EQ(run().runToEnd(), code);
        const std::string printed = run().printed();
        EXPECT_EQ(std::ranges::count(printed, '\n'), 1) << printed;
        for (const std::string &part : parts)
            EXPECT_THAT(printed, HasSubstr(part));
    }

    test::TemporaryFolder m_temporary;
};

TEST_F(BadInputTest, MissingWeights)
{
    fs::remove(root() / "model" / "model.safetensors");
    expectRefusal(3, {"model.safetensors"});
}

TEST_F(BadInputTest, TruncatedWeights)
{
    const fs::path file = root() / "model" / "model.safetensors";
    fs::resize_file(file, fs::file_size(file) - 1000);
    expectRefusal(3, {"model.safetensors", "safetensors.incomplete"});
}

TEST_F(BadInputTest, UnsupportedArchitecture)
{
    replaceIn(root() / "model" / "config.json", "LlamaForCausalLM", "MambaForCausalLM");
    expectRefusal(3, {"config.json", "MambaForCausalLM"});
}

TEST_F(BadInputTest, MissingModelFolder)
{
    replaceIn(root() / "job.yaml", "path: model", "path: nowhere");
    expectRefusal(3, {"nowhere"});
}

TEST_F(BadInputTest, UnknownKey)
{
    replaceIn(root() / "job.yaml", "micro_batch", "micro_bach");
    expectRefusal(2, {"job.yaml:6", "micro_bach", "micro_batch"});
}

TEST_F(BadInputTest, UnsupportedValue)
{
    replaceIn(root() / "job.yaml", "max_steps: 60", "max_steps: 60, optimizer: adafactor");
    expectRefusal(2, {"training.optimizer", "adamw"});
}

TEST_F(BadInputTest, MissingDataFile)
{
    fs::remove(root() / "rows.jsonl");
    expectRefusal(3, {"rows.jsonl"});
}

TEST_F(BadInputTest, ABrokenRowIsNamedAndPassedOver)
{
    replaceIn(root() / "rows.jsonl", "}\n", "\n");
    replaceIn(root() / "job.yaml", "max_steps: 60", "max_steps: 2");
    EXPECT_EQ(run().runToEnd(), 0) << run().printed();
    bool told = false;
    for (const wire::Event &event : run().events())
        told |= event.type == "log" && event.fields.dump().find("rows.jsonl:1") != std::string::npos;
    EXPECT_TRUE(told);
}

TEST_F(BadInputTest, OnlyBrokenRows)
{
    std::ofstream(root() / "rows.jsonl") << "{\"input_ids\": [1, 2\n{\"input_ids\": [3\n";
    EXPECT_EQ(run().runToEnd(), 3) << run().printed();
}

TEST_F(BadInputTest, ATooLongRowIsAnErrorWhereTheJobSaysSo)
{
    replaceIn(root() / "job.yaml", "max_length: 64", "max_length: 50, too_long: error");
    expectRefusal(3, {"rows.jsonl:", "data.row"});
}

TEST_F(BadInputTest, AGradientThatIsNoNumberNamesTheRowsAndWhatToGoOnFrom)
{
    replaceIn(root() / "job.yaml", "alpha: 16", "alpha: 1e36");
    expectRefusal(8, {"numeric.nonfinite", "step 1 (data rows ", "nothing was saved yet"});
}

TEST_F(BadInputTest, ACommandLineWithoutSense)
{
    for (const std::vector<std::string> &words : {std::vector<std::string>{"trian", "job.yaml"},
                                                  {"train"},
                                                  {"train", "job.yaml", "--run-dri", "x"},
                                                  {}}) {
        std::vector<std::string> command = {(test::binFolder() / "rentune-trainer").string()};
        command.insert(command.end(), words.begin(), words.end());
        const test::ProcessResult result = test::runProcess(command);
        EXPECT_EQ(result.exitCode, 2);
        EXPECT_EQ(result.out, "");
        EXPECT_NE(result.err, "");
    }
}

#ifdef RENTUNE_TEST_CAN_MOUNT
/// Trains in a file system of 2 MiB that a private mount namespace holds, then copies the run folder out of
/// it.
TEST_F(BadInputTest, AFullDiskEndsTheRunAndLosesNothing)
{
    replaceIn(root() / "job.yaml", "keep: 2", "keep: 100");
    const TinyRun unbroken(root() / "job.yaml", root() / "unbroken");
    ASSERT_EQ(unbroken.runToEnd(), 0) << unbroken.printed();

    fs::create_directories(root() / "small");
    const std::string script =
        "cd \"$1\" && mount -t tmpfs -o size=2m none small && mkdir small/run && "
        "\"$2\" train job.yaml --run-dir small/run; code=$?; cp -r small/run run; exit $code";
    const test::ProcessResult result =
        test::runProcess({"/usr/bin/unshare", "-rm", "/bin/sh", "-c", script, "sh", root().string(),
                          (test::binFolder() / "rentune-trainer").string()});
    EXPECT_EQ(result.exitCode, 6) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_THAT(result.err, HasSubstr("disk.full"));
    EXPECT_GT(run().lastStep(), 0);
    EXPECT_LT(run().lastStep(), test::tinySteps);
    EXPECT_GE(run().checkpoints().size(), 1u);
    for (const fs::path &folder : run().checkpoints())
        EXPECT_TRUE(fs::exists(folder / "manifest.json")) << folder;

    EXPECT_EQ(run().runToEnd(true), 0) << run().printed();
    EXPECT_EQ(run().steps(), unbroken.steps());
}
#endif

} // namespace
} // namespace rentune
