// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/local/event_reader.h"

#include "tests/support/env.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

namespace rentune::app {
namespace {

namespace fs = std::filesystem;

class EventReaderTest : public testing::Test
{
protected:
    void append(const std::string &bytes) { std::ofstream(file, std::ios::app | std::ios::binary) << bytes; }
    static std::string line(int64_t seq)
    {
        return wire::encodeEvent({.seq = seq, .type = "log", .fields = {{"text", "第步"}}}) + "\n";
    }
    static std::vector<int64_t> seqs(EventReader &reader)
    {
        auto events = reader.readNew();
        EXPECT_TRUE(events) << events.error().toString();
        std::vector<int64_t> out;
        for (const wire::Event &event : *events)
            out.push_back(event.seq);
        return out;
    }

    test::TemporaryFolder folder;
    fs::path file = folder.path() / "events.jsonl";
};

using Seqs = std::vector<int64_t>;

} // namespace

TEST_F(EventReaderTest, GivesEachEventOnceHoweverTheBytesArrive)
{
    EventReader reader(file);
    EXPECT_EQ(seqs(reader), Seqs{});
    Seqs got;
    std::string bytes;
    for (int i = 0; i < 20; ++i)
        bytes += line(i);
    for (size_t at = 0; at < bytes.size(); at += 7) { // cuts inside lines and inside characters
        append(bytes.substr(at, 7));
        for (const int64_t seq : seqs(reader))
            got.push_back(seq);
    }
    Seqs all(20);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(got, all);
    EXPECT_EQ(seqs(reader), Seqs{});
}

TEST_F(EventReaderTest, StartsAtASequenceNumber)
{
    append(line(0) + line(1) + line(2));
    EventReader reader(file, 2);
    EXPECT_EQ(seqs(reader), Seqs{2});
}

TEST_F(EventReaderTest, ForgetsATornLineThatTheTrainerCut)
{
    EventReader reader(file);
    append(line(0) + line(1).substr(0, 10));
    EXPECT_EQ(seqs(reader), Seqs{0});
    fs::resize_file(file, line(0).size());
    EXPECT_EQ(seqs(reader), Seqs{});
    append(line(1) + line(2));
    EXPECT_EQ(seqs(reader), (Seqs{1, 2}));
}

TEST_F(EventReaderTest, RefusesAGapABrokenLineAndANewerVersion)
{
    append(line(0) + line(2));
    EventReader gap(file);
    EXPECT_EQ(seqs(gap), Seqs{0}); // what stands before the fault is not lost
    for (int again = 0; again < 2; ++again) {
        const auto events = gap.readNew();
        ASSERT_FALSE(events);
        EXPECT_EQ(events.error().code, ErrorCode::WireFormat);
        EXPECT_EQ(events.error().line, 2);
    }

    std::ofstream(file, std::ios::trunc) << line(0) << "not json\n";
    EventReader broken(file);
    EXPECT_EQ(seqs(broken), Seqs{0});
    EXPECT_EQ(broken.readNew().error().line, 2);
    std::ofstream(file, std::ios::trunc) << R"({"v":9,"seq":0,"t_us":0,"attempt":0,"type":"hello"})"
                                         << "\n";
    EXPECT_EQ(EventReader(file).readNew().error().code, ErrorCode::WireVersion);
}

} // namespace rentune::app
