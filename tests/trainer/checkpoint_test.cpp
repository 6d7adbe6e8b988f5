// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/checkpoint.h"

#include "tests/support/env.h"
#include "tests/support/faulty_file_ops.h"

#include <gmock/gmock.h>

#include <cstring>
#include <fstream>
#include <set>

namespace rentune::trainer {
namespace {
namespace fs = std::filesystem;
using test::FaultyFileOps;

/// A checkpoint whose tensors and state all tell its step.
class Sample
{
public:
    explicit Sample(int64_t step) : m_values(64, static_cast<float>(step))
    {
        m_content.step = step;
        m_content.threads = 2;
        m_content.state = Json{{"step", step}, {"rate", 1.0 / (static_cast<double>(step) + 3)}};
        for (const char *group : {"model", "optimizer"})
            m_content.groups[group] = {{"w", hf::Dtype::F32, {8, 8}, std::as_bytes(std::span(m_values))}};
    }
    const CheckpointContent &content() const { return m_content; }

private:
    std::vector<float> m_values;
    CheckpointContent m_content;
};

void expectStep(const LoadedCheckpoint &loaded, int64_t step)
{
    EXPECT_EQ(loaded.step, step);
    EXPECT_EQ(loaded.threads, 2);
    EXPECT_EQ(loaded.state, Sample(step).content().state);
    ASSERT_EQ(loaded.groups.size(), 2u);
    for (const auto &[group, file] : loaded.groups) {
        const hf::TensorEntry *entry = file.find("w");
        ASSERT_NE(entry, nullptr);
        float value = -1;
        std::memcpy(&value, file.bytes(*entry).data() + 63 * sizeof value, sizeof value);
        EXPECT_EQ(value, static_cast<float>(step));
    }
}

std::set<std::string> names(const fs::path &folder)
{
    std::set<std::string> found;
    for (const auto &entry : fs::directory_iterator(folder))
        found.insert(entry.path().filename().string());
    return found;
}

void flipByte(const fs::path &path, std::streamoff offset)
{
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(offset);
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(offset);
    file.put(byte);
}

class CheckpointTest : public testing::Test
{
protected:
    test::TemporaryFolder m_temporary;
    fs::path m_folder = m_temporary.path() / "checkpoints";

    CheckpointStore store(int keep = 3) { return CheckpointStore(systemFileOps(), m_folder, keep); }
    void save(int64_t step, int keep = 3) { ASSERT_TRUE(store(keep).save(Sample(step).content()).ok()); }
};

TEST_F(CheckpointTest, GivesBackWhatWasSaved)
{
    EXPECT_FALSE(store().loadLatest());
    save(5);
    save(10);
    const auto loaded = store().loadLatest();
    ASSERT_TRUE(loaded);
    expectStep(*loaded, 10);
}

TEST_F(CheckpointTest, KeepsTheNewest)
{
    for (const int64_t step : {2, 4, 6, 8, 10})
        save(step, 2);
    EXPECT_EQ(names(m_folder), (std::set<std::string>{"step-8", "step-10"}));
    save(12, 0);
    EXPECT_EQ(names(m_folder), std::set<std::string>{"step-12"});
}

TEST_F(CheckpointTest, TheSameStepIsWrittenOnce)
{
    save(3);
    const auto before = fs::last_write_time(m_folder / "step-3" / "model.safetensors");
    save(3);
    EXPECT_EQ(fs::last_write_time(m_folder / "step-3" / "model.safetensors"), before);
}

TEST_F(CheckpointTest, PassesOverUnfinishedAndDamagedFolders)
{
    for (const int64_t step : {1, 2, 3, 4, 5})
        save(step, 9);
    fs::remove(m_folder / "step-5" / "manifest.json");
    flipByte(m_folder / "step-4" / "model.safetensors", 200);
    fs::resize_file(m_folder / "step-3" / "optimizer.safetensors", 100);
    fs::create_directories(m_folder / "step-x");
    std::vector<std::string> reasons;
    const auto loaded = store().loadLatest([&](const Error &error) {
        EXPECT_EQ(error.code, ErrorCode::CheckpointBroken);
        reasons.push_back(error.toString());
    });
    ASSERT_TRUE(loaded);
    expectStep(*loaded, 2);
    EXPECT_THAT(reasons,
                testing::ElementsAre(testing::HasSubstr("step-5"), testing::HasSubstr("model.safetensors"),
                                     testing::HasSubstr("has 100 bytes")));
    // Reached again, a damaged step is written anew.
    save(4, 9);
    expectStep(*store().loadLatest(), 4);
}

TEST_F(CheckpointTest, SeesAChangedState)
{
    save(1);
    const fs::path manifest = m_folder / "step-1" / "manifest.json";
    std::string text = *readFile(manifest);
    const size_t at = text.find("\"threads\": 2");
    ASSERT_NE(at, std::string::npos);
    text[at + 11] = '3';
    ASSERT_TRUE(atomicReplace(systemFileOps(), manifest, text).ok());
    EXPECT_FALSE(store().loadLatest());
}

TEST_F(CheckpointTest, AsksForFreeSpaceFirst)
{
    save(1);
    FaultyFileOps ops;
    ops.free = 1000;
    const auto saved = CheckpointStore(ops, m_folder, 3).save(Sample(2).content());
    ASSERT_FALSE(saved.ok());
    EXPECT_EQ(saved.error().code, ErrorCode::DiskFull);
    EXPECT_THAT(saved.error().detail, testing::HasSubstr("1000 are free"));
    EXPECT_EQ(names(m_folder), std::set<std::string>{"step-1"});
}

/// Saves steps 1 … 4 through `ops` until one fails; the last step saved, 0 if none.
int64_t saveUntilFailure(FaultyFileOps &ops, const fs::path &folder, ErrorCode expected)
{
    CheckpointStore faulty(ops, folder, 2);
    int64_t last = 0;
    for (int64_t step = 1; step <= 4; ++step) {
        const auto saved = faulty.save(Sample(step).content());
        if (!saved.ok()) {
            EXPECT_EQ(saved.error().code, expected);
            break;
        }
        last = step;
    }
    return last;
}

TEST_F(CheckpointTest, EveryCallMayBeTheLast)
{
    FaultyFileOps counting;
    ASSERT_EQ(saveUntilFailure(counting, m_folder, ErrorCode::DiskWrite), 4);
    ASSERT_GT(counting.calls(), 60);
    for (const bool cutPower : {false, true}) {
        for (int call = 0; call < counting.calls(); ++call) {
            SCOPED_TRACE("call " + std::to_string(call) + (cutPower ? ", power cut" : ""));
            fs::remove_all(m_folder);
            FaultyFileOps ops(call);
            const int64_t last = saveUntilFailure(ops, m_folder, ErrorCode::DiskWrite);
            if (cutPower)
                ops.powerCut();
            const auto loaded = store(2).loadLatest();
            ASSERT_EQ(loaded.has_value() || last == 0, true);
            if (!loaded)
                continue;
            // A save that failed in its last calls may yet be whole on the disk; it is then the newer one.
            ASSERT_THAT(loaded->step, testing::AnyOf(last, last + 1));
            expectStep(*loaded, loaded->step);
            save(loaded->step + 1, 2);
            expectStep(*store().loadLatest(), loaded->step + 1);
        }
    }
}

TEST_F(CheckpointTest, AFullDiskLosesNothing)
{
    FaultyFileOps counting;
    ASSERT_EQ(saveUntilFailure(counting, m_folder, ErrorCode::DiskFull), 4);
    for (int call = 0; call < counting.calls(); ++call) {
        SCOPED_TRACE("call " + std::to_string(call));
        fs::remove_all(m_folder);
        FaultyFileOps ops(call, FaultyFileOps::Fault::Full);
        const int64_t last = saveUntilFailure(ops, m_folder, ErrorCode::DiskFull);
        const auto loaded = store().loadLatest();
        ASSERT_EQ(loaded ? loaded->step : 0, last);
        // What the failed save had written is given back.
        EXPECT_FALSE(fs::exists(m_folder / ("step-" + std::to_string(last + 1))));
    }
}

} // namespace
} // namespace rentune::trainer
