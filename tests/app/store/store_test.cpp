// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/store/store.h"

#include "tests/support/env.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QSqlDatabase>
#include <QSqlQuery>

#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace rentune::app {
namespace {

namespace fs = std::filesystem;

class StoreTest : public testing::Test
{
protected:
    std::unique_ptr<Store> open()
    {
        auto store = Store::open(file);
        EXPECT_TRUE(store) << store.error().toString();
        return store ? std::move(store).value() : nullptr;
    }

    static RunRecord record(const QString &id, qint64 created)
    {
        return {.id = id,
                .name = "名 🚀",
                .folder = "/runs/" + id,
                .createdMicros = created,
                .job = "a: 1\n",
                .plan = "{}"};
    }

    test::TemporaryFolder folder;
    fs::path file = folder.path() / "deep" / "store.sqlite";
};

std::string bytesOf(const fs::path &path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace

TEST_F(StoreTest, KeepsRunsAndSettings)
{
    {
        const auto store = open();
        ASSERT_TRUE(store->saveRun(record("a", 1)));
        ASSERT_TRUE(store->saveRun(record("b", 2)));
        ASSERT_TRUE(store->setSetting("language", "zh_CN"));
        ASSERT_TRUE(store->setSetting("language", "en"));
    }
    const auto store = open();
    const auto runs = store->runs();
    ASSERT_TRUE(runs);
    ASSERT_EQ(runs->size(), 2u);
    EXPECT_EQ(runs->front().id, "b");
    EXPECT_EQ(runs->front().name, "名 🚀");
    EXPECT_EQ(runs->front().node, "local");
    EXPECT_EQ(*store->setting("language"), "en");
    EXPECT_EQ(*store->setting("theme", "light"), "light");
    EXPECT_FALSE(store->run("c")->has_value());
    ASSERT_TRUE(store->removeRun("b"));
    EXPECT_EQ(store->runs()->size(), 1u);
    EXPECT_TRUE(store->movedAside().empty());
}

TEST_F(StoreTest, MovesADamagedFileAsideAndKeepsItsBytes)
{
    fs::create_directories(file.parent_path());
    const std::string rubbish(5000, 'x');
    std::ofstream(file) << rubbish;
    const auto store = open();
    EXPECT_TRUE(store->runs()->empty());
    ASSERT_FALSE(store->movedAside().empty());
    EXPECT_EQ(bytesOf(store->movedAside()), rubbish);
}

TEST_F(StoreTest, MovesADatabaseWithBrokenPagesAside)
{
    {
        const auto store = open();
        for (int i = 0; i < 200; ++i)
            ASSERT_TRUE(store->saveRun(record(QString::number(i), i)));
    }
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(4096)
        << std::string(20'000, '\xff');
    const auto store = open();
    EXPECT_TRUE(store->runs()->empty());
    EXPECT_FALSE(store->movedAside().empty());
}

TEST_F(StoreTest, RefusesANewerSchemaUntouched)
{
    open().reset();
    {
        QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "newer");
        database.setDatabaseName(QString::fromStdString(file.string()));
        ASSERT_TRUE(database.open());
        QSqlQuery(database).exec("PRAGMA user_version = 99");
    }
    QSqlDatabase::removeDatabase("newer");
    const auto store = Store::open(file);
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, ErrorCode::StoreFailed);
    EXPECT_TRUE(fs::exists(file));
}

TEST_F(StoreTest, ServesTwoProcessesAtOnce)
{
    constexpr int each = 50;
    std::vector<pid_t> children;
    for (const char *name : {"a", "b", "c"}) {
        const pid_t child = ::fork();
        if (child == 0) {
            auto store = Store::open(file);
            bool good = store.ok();
            for (int i = 0; good && i < each; ++i)
                good = (*store)->saveRun(record(name + QString::number(i), i)).ok();
            ::_exit(good ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(open()->runs()->size(), size_t{3 * each});
}

} // namespace rentune::app
