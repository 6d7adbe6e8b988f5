// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_view.h"

#include "app/runs/log_model.h"
#include "app/runs/measured_table.h"
#include "app/runs/run_charts.h"
#include "app/text/format.h"
#include "app/text/words.h"
#include "app/widgets/controls.h"

#include <QEvent>
#include <QGridLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <cmath>

namespace rentune::app {
namespace {

QTableView *logTable(QAbstractItemModel *model)
{
    auto *table = new QTableView;
    table->setObjectName(QStringLiteral("log"));
    table->setModel(model);
    table->setFont(monoFont());
    table->setShowGrid(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setWordWrap(false);
    table->setTabKeyNavigation(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->horizontalHeader()->hide();
    table->horizontalHeader()->setStretchLastSection(true);
    table->setColumnWidth(LogModel::Time, 80);
    table->setColumnWidth(LogModel::Kind, 80);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(20);
    return table;
}

} // namespace

RunView::RunView(const LocalRunner &runner, QWidget *parent)
    : QScrollArea(parent), m_runner(runner), m_charts(new RunCharts(this)), m_lines(new LogModel(this))
{
    setWidgetResizable(true);
    auto *content = new QWidget;
    auto *grid = new QGridLayout(content);
    grid->setContentsMargins(metrics::margin, metrics::gap, metrics::margin, metrics::margin);
    grid->setSpacing(metrics::gap);

    m_failure = new QWidget;
    auto *words = new QVBoxLayout(m_failure);
    words->setContentsMargins(14, 8, 14, 8);
    m_failureTitle = new Text(Type::Verdict, Text::Role::Error, true);
    m_failureText = new Text(Type::Body, Text::Role::Primary);
    m_failureText->setWordWrap(true);
    m_failureText->setTextInteractionFlags(Qt::TextSelectableByMouse);
    words->addWidget(m_failureTitle);
    words->addWidget(m_failureText);
    m_failure->setAutoFillBackground(true);
    m_failure->hide();

    m_figures = new RunFigures;
    m_logPanel = new Surface;
    m_filter = new QLineEdit;
    m_filter->setObjectName(QStringLiteral("logFilter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(160);
    m_logPanel->headerRight()->addWidget(m_filter);
    m_filtered = new QSortFilterProxyModel(this);
    m_filtered->setSourceModel(m_lines);
    m_filtered->setFilterKeyColumn(-1);
    m_filtered->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_log = logTable(m_filtered);
    m_logPanel->body()->addWidget(m_log);
    connect(m_filter, &QLineEdit::textChanged, m_filtered, &QSortFilterProxyModel::setFilterFixedString);

    auto *right = new QVBoxLayout;
    right->setSpacing(metrics::gap);
    for (int i = 0; i < RunCharts::smallCount; ++i)
        right->addWidget(m_charts->smallPanel(i), 1);
    m_measured = new MeasuredTable;
    right->addWidget(m_measured);

    grid->addWidget(m_failure, 0, 0, 1, 2);
    grid->addWidget(m_figures, 1, 0, 1, 2);
    grid->addWidget(m_charts->lossPanel(), 2, 0);
    grid->addWidget(m_logPanel, 3, 0);
    grid->addLayout(right, 2, 1, 2, 1);
    grid->setRowStretch(2, 5);
    grid->setRowStretch(3, 3);
    grid->setColumnStretch(0, 5);
    grid->setColumnStretch(1, 2);
    m_logPanel->setMinimumHeight(150);
    setWidget(content);
    retranslate();
}

void RunView::show(const RunInfo &run)
{
    if (m_follower && m_run.id == run.id) {
        takeState(run.state);
        return;
    }
    m_run = run;
    m_planned = plannedOf(m_runner.plan(run.folder));
    m_lines->clear();
    m_charts->clear();
    m_charts->setPlanned(m_planned.steps, m_planned.tokensPerSecond, m_planned.memoryBytes);
    m_follower = std::make_unique<RunFollower>(m_runner, run.folder);
    connect(m_follower.get(), &RunFollower::eventsArrived, this, &RunView::takeEvents);
    connect(m_follower.get(), &RunFollower::stateChanged, this, &RunView::takeState);
    connect(m_follower.get(), &RunFollower::failed, this, [this](const Error &error) {
        m_failureTitle->setText(tr("The run's events can't be read on"));
        m_failureText->setText(errorText(error));
        m_failure->show();
    });
    m_follower->start();
    refresh();
}

size_t RunView::points() const
{
    return m_charts->loss().size();
}

void RunView::takeEvents(const std::vector<wire::Event> &events)
{
    m_lines->add(events);
    m_charts->add(events);
    m_run.step = m_follower->history().lastStep();
    refresh();
    Q_EMIT runChanged(m_run);
}

void RunView::takeState(RunState state)
{
    m_run.state = state;
    refresh();
    Q_EMIT runChanged(m_run);
}

void RunView::refresh()
{
    if (!m_follower)
        return;
    const RunHistory &history = m_follower->history();
    const Series &loss = m_charts->loss();
    const double smoothed = loss.empty() ? std::nan("") : double(loss.smoothed(loss.size() - 1));
    m_figures->show(history, m_planned, smoothed, isActive(m_run.state));
    m_measured->show(history, m_planned);
    const bool failed = m_run.state == RunState::Failed || m_run.state == RunState::Interrupted;
    m_failure->setVisible(failed);
    if (!failed)
        return;
    QPalette ground;
    ground.setColor(QPalette::Window, tokens().errorSoft);
    m_failure->setPalette(ground);
    const QString step = grouped(history.lastStep());
    m_failureTitle->setText(
        m_run.state == RunState::Interrupted
            ? tr("The process ended without a word at step %1. Resume goes on from the last checkpoint.")
                  .arg(step)
            : tr("The run failed at step %1. What was saved is kept.").arg(step));
    const RunEnding &ending = history.ending();
    m_failureText->setText(
        ending.errorCode.empty()
            ? tr("See trainer.log in %1").arg(QString::fromStdString(m_run.folder.string()))
            : failureText(ending.errorCode, QString::fromStdString(ending.errorDetail)));
}

void RunView::changeEvent(QEvent *event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange)
        retranslate();
}

void RunView::retranslate()
{
    m_logPanel->setTitle(tr("Log"));
    m_filter->setPlaceholderText(tr("Find in log"));
    m_charts->retranslate();
    m_lines->retranslate();
    refresh();
}

} // namespace rentune::app
