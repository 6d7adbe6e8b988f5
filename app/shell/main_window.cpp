// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/main_window.h"

#include "app/planner/planner_page.h"
#include "app/runs/runs_page.h"
#include "app/shell/message_bar.h"
#include "app/shell/rail.h"
#include "app/text/language.h"
#include "app/text/words.h"
#include "app/widgets/controls.h"
#include "core/wire/job_file.h"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QStackedWidget>
#include <QStatusBar>
#include <QVBoxLayout>

#include <algorithm>

namespace rentune::app {

MainWindow::MainWindow(Services services, QWidget *parent)
    : QMainWindow(parent), m_services(std::move(services))
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(QIcon(QStringLiteral(":/icons/app.svg")));
    auto *central = new QWidget;
    auto *row = new QHBoxLayout(central);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    m_rail = new Rail;
    m_planButton = m_rail->addPage(QStringLiteral("railPlan"), QStringLiteral("plan"));
    m_runsButton = m_rail->addPage(QStringLiteral("railRuns"), QStringLiteral("runs"));
    auto *column = new QVBoxLayout;
    column->setSpacing(0);
    m_message = new MessageBar;
    m_pages = new QStackedWidget;
    m_planner = new PlannerPage(m_services.catalog);
    m_runs = new RunsPage(*m_services.runner, m_services.home, m_services.store);
    m_pages->addWidget(m_planner);
    m_pages->addWidget(m_runs);
    column->addWidget(m_message);
    column->addWidget(m_pages, 1);
    row->addWidget(m_rail);
    row->addLayout(column, 1);
    central->setFocusPolicy(Qt::ClickFocus); // no field wears the focus ring before it is used
    setCentralWidget(central);
    central->setFocus();
    buildMenus();
    buildStatusBar();

    connect(m_rail, &Rail::chosen, this, [this](int index) { showPage(Page(index)); });
    connect(m_planner, &PlannerPage::failed, this, &MainWindow::showMessage);
    connect(m_runs, &RunsPage::failed, this, &MainWindow::showMessage);
    connect(m_runs, &RunsPage::planAsked, this, [this] { showPage(Plan); });
    connect(m_runs, &RunsPage::activeChanged, m_runsButton, &RailButton::setBadge);
    connect(m_planner, &PlannerPage::runAsked, this,
            [this](const wire::JobSpec &job, const plan::Plan &plan) {
                m_message->hide();
                m_runs->startRun(job, plan::planJson(plan));
                if (m_message->isHidden())
                    showPage(Runs);
            });
    showPage(Plan);
    retranslate();
    resize(1440, 900);
    setMinimumSize(1000, 640);
}

void MainWindow::showPage(Page page)
{
    m_pages->setCurrentIndex(page);
    m_rail->setCurrent(page);
}

void MainWindow::showMessage(const QString &message)
{
    m_message->showMessage(message);
}

QAction *MainWindow::addAction(QMenu *menu, const QKeySequence &shortcut)
{
    auto *action = new QAction(this);
    action->setShortcut(shortcut);
    menu->addAction(action);
    return action;
}

void MainWindow::buildMenus()
{
    m_file = menuBar()->addMenu(QString());
    m_open = addAction(m_file, QKeySequence::Open);
    m_save = addAction(m_file, QKeySequence::Save);
    m_file->addSeparator();
    m_quit = addAction(m_file, QKeySequence(Qt::CTRL | Qt::Key_Q));
    m_edit = menuBar()->addMenu(QString());
    m_planner->undoAction()->setShortcut(QKeySequence::Undo);
    m_planner->redoAction()->setShortcuts(
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    m_edit->addAction(m_planner->undoAction());
    m_edit->addAction(m_planner->redoAction());
    m_view = menuBar()->addMenu(QString());
    m_showPlan = addAction(m_view, QKeySequence(Qt::CTRL | Qt::Key_1));
    m_showRuns = addAction(m_view, QKeySequence(Qt::CTRL | Qt::Key_2));
    m_view->addSeparator();
    m_dark = addAction(m_view, {});
    m_dark->setCheckable(true);
    m_dark->setChecked(tokens().dark);
    m_language = m_view->addMenu(QString());
    m_language->setObjectName(QStringLiteral("languageMenu"));
    auto *group = new QActionGroup(this);
    for (const Language &language : languages()) {
        QAction *action = m_language->addAction(language.name);
        action->setObjectName(QStringLiteral("language_") + language.code);
        action->setCheckable(true);
        action->setChecked(language.code == currentLanguage());
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, code = language.code] { chooseLanguage(code); });
    }
    m_job = menuBar()->addMenu(QString());
    m_run = addAction(m_job, QKeySequence(Qt::CTRL | Qt::Key_R));
    m_help = menuBar()->addMenu(QString());
    m_about = addAction(m_help, {});

    connect(m_open, &QAction::triggered, m_planner, &PlannerPage::askForJobFile);
    connect(m_save, &QAction::triggered, m_planner, &PlannerPage::askWhereToSave);
    connect(m_quit, &QAction::triggered, this, &QWidget::close);
    connect(m_showPlan, &QAction::triggered, this, [this] { showPage(Plan); });
    connect(m_showRuns, &QAction::triggered, this, [this] { showPage(Runs); });
    connect(m_dark, &QAction::toggled, this, &MainWindow::chooseTheme);
    connect(m_run, &QAction::triggered, m_planner, &PlannerPage::run);
    connect(m_about, &QAction::triggered, this, [this] {
        QMessageBox::about(
            this, tr("About Rentune"),
            tr("Rentune %1 plans a fine-tune, runs it and takes the result home.\n\nGPL-3.0-or-later. "
               "It works offline and sends nothing anywhere.")
                .arg(QApplication::applicationVersion()));
    });
}

void MainWindow::buildStatusBar()
{
    m_prices = new Text(Type::Note, Text::Role::Secondary);
    m_offline = new Text(Type::Note, Text::Role::Secondary);
    m_languageName = new Text(Type::Note, Text::Role::Secondary);
    m_languageName->setObjectName(QStringLiteral("languageName"));
    m_prices->setContentsMargins(8, 0, 12, 0);
    m_languageName->setContentsMargins(0, 0, 8, 0);
    statusBar()->addWidget(m_prices);
    statusBar()->addWidget(m_offline);
    statusBar()->addPermanentWidget(m_languageName);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setFixedHeight(26);
}

void MainWindow::chooseLanguage(const QString &code)
{
    setLanguage(code);
    remember(QStringLiteral("language"), code);
}

void MainWindow::chooseTheme(bool dark)
{
    useTokens(dark);
    remember(QStringLiteral("theme"), dark ? QStringLiteral("dark") : QStringLiteral("light"));
}

void MainWindow::remember(const QString &key, const QString &value)
{
    if (!m_services.store)
        return;
    if (const auto kept = m_services.store->setSetting(key, value); !kept)
        showMessage(errorText(kept.error()));
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    remember(QStringLiteral("planner.job"), QString::fromStdString(wire::writeJob(m_planner->job())));
    QMainWindow::closeEvent(event);
}

void MainWindow::changeEvent(QEvent *event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::LanguageChange && centralWidget())
        retranslate();
}

void MainWindow::retranslate()
{
    setWindowTitle(tr("Rentune"));
    m_planButton->setText(tr("Plan"));
    m_runsButton->setText(tr("Runs"));
    m_file->setTitle(tr("&File"));
    m_open->setText(tr("&Open a job…"));
    m_save->setText(tr("&Save the job…"));
    m_quit->setText(tr("&Quit"));
    m_edit->setTitle(tr("&Edit"));
    m_view->setTitle(tr("&View"));
    m_showPlan->setText(tr("&Plan"));
    m_showRuns->setText(tr("&Runs"));
    m_dark->setText(tr("&Dark"));
    m_language->setTitle(tr("&Language"));
    m_job->setTitle(tr("&Job"));
    m_run->setText(tr("&Run"));
    m_help->setTitle(tr("&Help"));
    m_about->setText(tr("&About Rentune"));
    const auto &prices = m_services.catalog->prices;
    const auto newest = std::max_element(prices.begin(), prices.end(),
                                         [](const auto &a, const auto &b) { return a.asOf < b.asOf; });
    m_prices->setText(newest == prices.end()
                          ? tr("No prices")
                          : tr("Prices as of %1").arg(QString::fromStdString(newest->asOf)));
    m_offline->setText(tr("Works offline · no telemetry"));
    for (const Language &language : languages()) {
        if (language.code == currentLanguage())
            m_languageName->setText(language.name);
    }
}

} // namespace rentune::app
