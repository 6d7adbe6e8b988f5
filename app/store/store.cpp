// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/store/store.h"

#include "core/base/clock.h"

#include <fmt/format.h>

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QThread>
#include <QUuid>
#include <QVariant>

namespace rentune::app {
namespace {

namespace fs = std::filesystem;

/// Statements that lead from schema version i to i + 1. Released entries never change; new ones are added.
const std::vector<QStringList> &migrations()
{
    static const std::vector<QStringList> steps = {
        {QStringLiteral(
             "CREATE TABLE runs (id TEXT PRIMARY KEY, name TEXT NOT NULL, node TEXT NOT NULL, "
             "folder TEXT NOT NULL, created_us INTEGER NOT NULL, job TEXT NOT NULL, plan TEXT NOT NULL)"),
         QStringLiteral("CREATE INDEX runs_created ON runs (created_us)"),
         QStringLiteral("CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL)")},
    };
    return steps;
}

QSqlDatabase connect(const fs::path &file, const QString &name)
{
    QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
    database.setDatabaseName(QString::fromStdString(file.string()));
    database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=5000"));
    database.open();
    return database;
}

Error failure(const QSqlError &error, const std::string &file)
{
    return Error{ErrorCode::StoreFailed, error.text().toStdString(), file};
}

Result<QSqlQuery> execute(QSqlDatabase database, const QString &statement, const QVariantList &values = {})
{
    QSqlQuery query(database);
    const bool prepared = query.prepare(statement);
    for (const QVariant &value : values)
        query.addBindValue(value);
    if (!prepared || !query.exec())
        return failure(query.lastError(), database.databaseName().toStdString());
    return query;
}

/// In one write transaction, so that of two programs that start at once one migrates and the other finds it
/// done.
Result<void> migrate(const QSqlDatabase &database)
{
    RENTUNE_CHECK(execute(database, QStringLiteral("BEGIN IMMEDIATE")));
    const auto steps = [&]() -> Result<void> {
        RENTUNE_TRY(QSqlQuery query, execute(database, QStringLiteral("PRAGMA user_version")));
        const int version = query.next() ? query.value(0).toInt() : 0;
        const int newest = static_cast<int>(migrations().size());
        if (version > newest)
            return Error{
                ErrorCode::StoreFailed,
                fmt::format("the store is of version {}, this program knows {}: update it", version, newest),
                database.databaseName().toStdString()};
        query.finish();
        for (int i = version; i < newest; ++i)
            for (const QString &statement : migrations()[static_cast<size_t>(i)])
                RENTUNE_CHECK(execute(database, statement));
        RENTUNE_CHECK(execute(database, QStringLiteral("PRAGMA user_version = %1").arg(newest)));
        return {};
    }();
    RENTUNE_CHECK(execute(database, steps ? QStringLiteral("COMMIT") : QStringLiteral("ROLLBACK")));
    return steps;
}

/// SQLite itself finds the file broken; a file that is only busy, or not there, is not.
bool isDamaged(const fs::path &file)
{
    std::error_code none;
    if (!fs::exists(file, none) || fs::file_size(file, none) == 0)
        return false;
    const QString name = QUuid::createUuid().toString();
    bool damaged = false;
    {
        QSqlDatabase database = connect(file, name);
        QSqlQuery check(database);
        if (check.exec(QStringLiteral("PRAGMA quick_check(1)")) && check.next())
            damaged = check.value(0).toString() != QLatin1String("ok");
        const QString code = check.lastError().nativeErrorCode();
        damaged = damaged || code == QLatin1String("11") ||
                  code == QLatin1String("26"); // SQLITE_CORRUPT, SQLITE_NOTADB
    }
    QSqlDatabase::removeDatabase(name);
    return damaged;
}

/// SQLite does not wait for other programs when it changes the journal mode, so this does.
Result<void> useWriteAheadLog(const QSqlDatabase &database)
{
    const auto change = [&] { return execute(database, QStringLiteral("PRAGMA journal_mode = WAL")); };
    auto changed = change();
    for (int tries = 0; !changed && tries < 100; ++tries) {
        QThread::msleep(50);
        changed = change();
    }
    RENTUNE_CHECK(changed);
    return {};
}

/// The file with its write-ahead log beside it, which may hold what the file lost.
Result<fs::path> moveAside(const fs::path &file)
{
    const std::string suffix = fmt::format(".damaged-{}", systemClock().nowMicros() / 1'000'000);
    for (const char *part : {"", "-wal", "-shm"}) {
        const fs::path from = file.string() + part;
        std::error_code error;
        if (fs::exists(from, error))
            fs::rename(from, file.string() + suffix + part, error);
        if (error)
            return Error{ErrorCode::StoreFailed, "damaged, and can't be moved aside: " + error.message(),
                         file.string()};
    }
    return fs::path(file.string() + suffix);
}

RunRecord recordOf(const QSqlQuery &query)
{
    return {query.value(0).toString(), query.value(1).toString(),   query.value(2).toString(),
            query.value(3).toString(), query.value(4).toLongLong(), query.value(5).toString(),
            query.value(6).toString()};
}

const QString &selectRuns()
{
    static const QString statement =
        QStringLiteral("SELECT id, name, node, folder, created_us, job, plan FROM runs ");
    return statement;
}

} // namespace

Store::Store(QString connection) : m_connection(std::move(connection)) {}

Store::~Store()
{
    database().close();
    QSqlDatabase::removeDatabase(m_connection);
}

QSqlDatabase Store::database() const
{
    return QSqlDatabase::database(m_connection, false);
}

Result<std::unique_ptr<Store>> Store::open(const fs::path &file)
{
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error)
        return Error{ErrorCode::StoreFailed, error.message(), file.parent_path().string()};
    fs::path aside;
    if (isDamaged(file)) {
        RENTUNE_TRY(aside, moveAside(file));
    }
    std::unique_ptr<Store> store(new Store(QUuid::createUuid().toString()));
    store->m_movedAside = aside;
    const QSqlDatabase database = connect(file, store->m_connection);
    if (!database.isOpen())
        return failure(database.lastError(), file.string());
    RENTUNE_CHECK(useWriteAheadLog(database));
    RENTUNE_CHECK(migrate(database));
    return store;
}

Result<void> Store::saveRun(const RunRecord &run)
{
    RENTUNE_CHECK(execute(database(),
                          QStringLiteral("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)"),
                          {run.id, run.name, run.node, run.folder, run.createdMicros, run.job,
                           run.plan.isNull() ? QStringLiteral("") : run.plan}));
    return {};
}

Result<std::optional<RunRecord>> Store::run(const QString &id) const
{
    RENTUNE_TRY(QSqlQuery query, execute(database(), selectRuns() + QStringLiteral("WHERE id = ?"), {id}));
    return query.next() ? std::optional(recordOf(query)) : std::nullopt;
}

Result<std::vector<RunRecord>> Store::runs() const
{
    RENTUNE_TRY(QSqlQuery query,
                execute(database(), selectRuns() + QStringLiteral("ORDER BY created_us DESC, id DESC")));
    std::vector<RunRecord> runs;
    while (query.next())
        runs.push_back(recordOf(query));
    return runs;
}

Result<void> Store::removeRun(const QString &id)
{
    RENTUNE_CHECK(execute(database(), QStringLiteral("DELETE FROM runs WHERE id = ?"), {id}));
    return {};
}

Result<void> Store::setSetting(const QString &key, const QString &value)
{
    RENTUNE_CHECK(execute(database(), QStringLiteral("INSERT OR REPLACE INTO settings VALUES (?, ?)"),
                          {key, value.isNull() ? QStringLiteral("") : value}));
    return {};
}

Result<QString> Store::setting(const QString &key, const QString &fallback) const
{
    RENTUNE_TRY(QSqlQuery query,
                execute(database(), QStringLiteral("SELECT value FROM settings WHERE key = ?"), {key}));
    return query.next() ? query.value(0).toString() : fallback;
}

} // namespace rentune::app
