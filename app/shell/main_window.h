// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/local/local_runner.h"
#include "app/store/store.h"
#include "core/catalog/catalog.h"

#include <QMainWindow>

#include <memory>

class QAction;
class QActionGroup;
class QLabel;
class QMenu;
class QStackedWidget;

namespace rentune::app {

class MessageBar;
class PlannerPage;
class Rail;
class RailButton;
class RunsPage;

/// What the pages work on. Outlives the window.
struct Services
{
    std::shared_ptr<const catalog::Catalog> catalog;
    LocalRunner *runner = nullptr;
    Home home;
    Store *store = nullptr; ///< null: nothing is remembered
};

/// Creates the pages and connects them; rail, menus and status bar around them.
class MainWindow final : public QMainWindow
{
    Q_OBJECT
public:
    enum Page
    {
        Plan,
        Runs
    };

    explicit MainWindow(Services services, QWidget *parent = nullptr);

    PlannerPage &planner() { return *m_planner; }
    RunsPage &runs() { return *m_runs; }
    void showPage(Page page);
    void showMessage(const QString &message);

protected:
    void changeEvent(QEvent *event) override;
    void closeEvent(QCloseEvent *event) override;

private:
    void buildMenus();
    void buildStatusBar();
    QAction *addAction(QMenu *menu, const QKeySequence &shortcut);
    void chooseLanguage(const QString &code);
    void chooseTheme(bool dark);
    void remember(const QString &key, const QString &value);
    void retranslate();

    Services m_services;
    MessageBar *m_message;
    Rail *m_rail;
    RailButton *m_planButton, *m_runsButton;
    QStackedWidget *m_pages;
    PlannerPage *m_planner;
    RunsPage *m_runs;
    QMenu *m_file, *m_edit, *m_view, *m_job, *m_help, *m_language;
    QAction *m_open, *m_save, *m_quit, *m_showPlan, *m_showRuns, *m_dark, *m_run, *m_about;
    QLabel *m_prices, *m_offline, *m_languageName;
};

} // namespace rentune::app
