// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <QString>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

class QSqlDatabase;

namespace rentune::app {

/// A run as the desktop remembers it: what was asked and what was planned, whatever becomes of the folder.
struct RunRecord
{
    QString id;
    QString name;
    QString node = QStringLiteral("local");
    QString folder;
    qint64 createdMicros = 0;
    QString job;  ///< job.yaml's text at the start
    QString plan; ///< plan JSON at the start, "" if none
};

/// The SQLite store (WAL), shared by every program of the user's. Used from the thread that opened it; a
/// second process waits up to five seconds for the first one's write. All errors are store.failed.
class Store
{
public:
    /// Creates the file and its folder where missing and brings an older schema up to date. A file that is no
    /// database or is damaged is renamed to NAME.damaged-TIME and a new one begun; movedAside() then says so.
    /// A file of a newer version is refused untouched.
    static Result<std::unique_ptr<Store>> open(const std::filesystem::path &file);
    ~Store();
    Store(const Store &) = delete;
    Store &operator=(const Store &) = delete;

    /// Where a damaged file was moved to; "" if none was.
    const std::filesystem::path &movedAside() const { return m_movedAside; }

    Result<void> saveRun(const RunRecord &run); ///< adds, or replaces the one with its id
    Result<std::optional<RunRecord>> run(const QString &id) const;
    Result<std::vector<RunRecord>> runs() const; ///< newest first
    Result<void> removeRun(const QString &id);

    /// Settings of the desktop: language, theme, the planner's last job.
    Result<void> setSetting(const QString &key, const QString &value);
    Result<QString> setting(const QString &key, const QString &fallback = {}) const;

private:
    explicit Store(QString connection);
    QSqlDatabase database() const;

    QString m_connection;
    std::filesystem::path m_movedAside;
};

} // namespace rentune::app
