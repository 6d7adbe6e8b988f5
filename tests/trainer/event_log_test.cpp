// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/report/event_log.h"

#include "core/wire/event.h"
#include "tests/support/env.h"
#include "tests/support/faulty_file_ops.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

namespace rentune::trainer {
namespace {
namespace fs = std::filesystem;

class EventLogTest : public testing::Test
{
protected:
    test::TemporaryFolder m_temporary;
    fs::path m_file = m_temporary.path() / "events.jsonl";

    std::unique_ptr<EventLog> open(const std::string &mirror = {})
    {
        auto log = EventLog::open(systemFileOps(), systemClock(), m_file, mirror);
        EXPECT_TRUE(log.ok()) << log.error().toString();
        return std::move(log).value();
    }
    void write(int first, int count)
    {
        const auto log = open();
        for (int i = 0; i < count; ++i)
            ASSERT_TRUE(log->append("step", Json{{"step", first + i}}).ok());
    }
    std::vector<wire::Event> events(const fs::path &file)
    {
        std::vector<wire::Event> found;
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);) {
            auto event = wire::decodeEvent(line);
            EXPECT_TRUE(event.ok()) << line;
            found.push_back(std::move(event).value());
        }
        return found;
    }
    /// Every event of the file has the next seq; the steps and attempts in order.
    void expectLog(const std::vector<int> &steps, const std::vector<int> &attempts)
    {
        const auto found = events(m_file);
        ASSERT_EQ(found.size(), steps.size());
        for (size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].seq, static_cast<int64_t>(i));
            EXPECT_EQ(found[i].fields.at("step"), steps[i]);
            EXPECT_EQ(found[i].attempt, attempts[i]);
        }
    }
};

TEST_F(EventLogTest, ContinuesWithoutAGap)
{
    write(0, 3);
    write(3, 2);
    EXPECT_EQ(open()->attempt(), 2);
    expectLog({0, 1, 2, 3, 4}, {0, 0, 0, 1, 1});
}

TEST_F(EventLogTest, CutsATornLineAtEveryByte)
{
    write(0, 3);
    const std::string whole = *readFile(m_file);
    const size_t lastLine = whole.rfind('\n', whole.size() - 2) + 1;
    for (size_t size = lastLine; size < whole.size(); ++size) {
        SCOPED_TRACE(size);
        std::ofstream(m_file, std::ios::binary) << whole.substr(0, size);
        write(7, 1);
        expectLog({0, 1, 7}, {0, 0, 1});
    }
}

TEST_F(EventLogTest, CutsATornFirstLineAndZeros)
{
    std::ofstream(m_file) << R"({"v":1,"se)";
    write(0, 2);
    expectLog({0, 1}, {0, 0});
    std::ofstream(m_file, std::ios::app | std::ios::binary) << std::string(5000, '\0') << '\n';
    write(2, 1);
    expectLog({0, 1, 2}, {0, 0, 1});
}

TEST_F(EventLogTest, LeavesAForeignFileAlone)
{
    for (const std::string text :
         {"dear diary\nnothing happened\n", R"({"v":99,"seq":0,"t_us":1,"attempt":0,"type":"hello"})"
                                            "\n"}) {
        std::ofstream(m_file) << text;
        const auto log = EventLog::open(systemFileOps(), systemClock(), m_file);
        ASSERT_FALSE(log.ok());
        EXPECT_THAT(log.error().code, testing::AnyOf(ErrorCode::WireFormat, ErrorCode::WireVersion));
        EXPECT_EQ(*readFile(m_file), text);
    }
}

TEST_F(EventLogTest, FloatsComeBackExactly)
{
    const std::vector<double> values = {
        0.1, 1.0 / 3, 7.8804860115051271, 5e-324, 1.7976931348623157e308, static_cast<double>(0.1f)};
    {
        const auto log = open();
        for (const double value : values)
            ASSERT_TRUE(log->append("step", Json{{"loss", value}}).ok());
        ASSERT_TRUE(log->append("step", Json{{"loss", std::nan("")}}).ok());
    }
    const auto found = events(m_file);
    ASSERT_EQ(found.size(), values.size() + 1);
    for (size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(found[i].fields.at("loss").get<double>(), values[i]);
    EXPECT_TRUE(found.back().fields.at("loss").is_null());
}

TEST_F(EventLogTest, FlushedMeansOnTheDisk)
{
    test::FaultyFileOps ops;
    auto log = EventLog::open(ops, systemClock(), m_file).value();
    ASSERT_TRUE(log->append("step", Json{{"step", 0}}).ok());
    ASSERT_TRUE(log->flush().ok());
    ASSERT_TRUE(log->append("step", Json{{"step", 1}}).ok());
    log.reset();
    ops.powerCut();
    expectLog({0}, {0});
}

TEST_F(EventLogTest, MirrorsWhatThisProcessWrites)
{
    write(0, 1);
    const fs::path copy = m_temporary.path() / "copy";
    ASSERT_TRUE(open(copy.string())->append("step", Json{{"step", 1}}).ok());
    ASSERT_EQ(events(copy).size(), 1u);
    EXPECT_EQ(events(copy)[0].seq, 1);
    expectLog({0, 1}, {0, 1});
}

TEST_F(EventLogTest, TellsOfAFullDisk)
{
    test::FaultyFileOps ops(1, test::FaultyFileOps::Fault::Full);
    const auto log = EventLog::open(ops, systemClock(), m_file).value();
    static_cast<void>(log->append("step", Json{{"step", 0}}));
    const auto flushed = log->flush();
    ASSERT_FALSE(flushed.ok());
    EXPECT_EQ(flushed.error().code, ErrorCode::DiskFull);
    EXPECT_EQ(log->append("step", Json{{"step", 1}}).error().code, ErrorCode::DiskFull);
}

} // namespace
} // namespace rentune::trainer
