// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/runs_page.h"

#include "app/runs/empty_runs.h"
#include "app/runs/run_list_model.h"
#include "app/runs/run_view.h"
#include "app/text/words.h"
#include "app/widgets/controls.h"
#include "app/widgets/page_header.h"
#include "app/widgets/style.h"
#include "core/wire/job_file.h"

#include <QEvent>
#include <QListView>
#include <QPainter>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace rentune::app {
namespace {

constexpr int rowHeight = 52;

QColor stateColor(RunState state)
{
    const Tokens &t = tokens();
    switch (state) {
    case RunState::Starting:
    case RunState::Running:
        return t.accentText;
    case RunState::Done:
        return t.ok;
    case RunState::Stopped:
        return t.text3;
    case RunState::Failed:
        return t.error;
    case RunState::Interrupted:
        return t.warn;
    }
    return t.text3;
}

Chip::Kind chipKind(RunState state)
{
    switch (state) {
    case RunState::Starting:
    case RunState::Running:
        return Chip::Kind::Info;
    case RunState::Done:
        return Chip::Kind::Ok;
    case RunState::Stopped:
        return Chip::Kind::Neutral;
    case RunState::Failed:
        return Chip::Kind::Error;
    case RunState::Interrupted:
        return Chip::Kind::Warn;
    }
    return Chip::Kind::Neutral;
}

QString stateWord(RunState state)
{
    const std::string_view name = runStateName(state);
    return stateText(QString::fromUtf8(name.data(), qsizetype(name.size())));
}

/// Two lines a run: name, then state, step and time.
class RunDelegate final : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const Tokens &t = tokens();
        const bool selected = option.state & QStyle::State_Selected;
        painter->save();
        painter->fillRect(option.rect, selected ? t.accentSoft : t.surf);
        if (selected)
            painter->fillRect(QRect(option.rect.topLeft(), QSize(3, option.rect.height())), t.accentText);
        painter->fillRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1, t.line);
        const QRect text = option.rect.adjusted(34, 7, -8, -8);
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(stateColor(RunState(index.data(RunListModel::StateRole).toInt())));
        painter->drawEllipse(QPointF(option.rect.left() + 20, option.rect.top() + 17), 4, 4);
        painter->setFont(typeFont(Type::Body, true));
        painter->setPen(t.text1);
        const QFontMetrics name = painter->fontMetrics();
        painter->drawText(text, Qt::AlignTop,
                          name.elidedText(index.data().toString(), Qt::ElideRight, text.width()));
        painter->setFont(typeFont(Type::Note));
        painter->setPen(t.text2);
        const QString detail = index.data(RunListModel::DetailRole).toString();
        painter->drawText(text, Qt::AlignBottom,
                          painter->fontMetrics().elidedText(detail, Qt::ElideRight, text.width()));
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const override
    {
        return {240, rowHeight};
    }
};

} // namespace

RunsPage::RunsPage(LocalRunner &runner, Home home, Store *store, QWidget *parent)
    : QWidget(parent), m_runner(runner), m_home(std::move(home)), m_store(store),
      m_model(new RunListModel(this))
{
    setObjectName(QStringLiteral("runsPage"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_header = new PageHeader;
    m_chip = new Chip;
    m_chip->setObjectName(QStringLiteral("stateChip"));
    m_header->context()->addWidget(m_chip);
    m_stop = new QPushButton;
    m_stop->setObjectName(QStringLiteral("stop"));
    m_stop->setIcon(icon(QStringLiteral("stop"), Tint::Quiet));
    m_stopNow = new QPushButton;
    m_stopNow->setObjectName(QStringLiteral("stopNow"));
    m_stopNow->setProperty(buttonRole, QStringLiteral("danger"));
    m_resume = new QPushButton;
    m_resume->setObjectName(QStringLiteral("resume"));
    m_resume->setIcon(icon(QStringLiteral("resume"), Tint::Quiet));
    for (QPushButton *button : {m_stop, m_stopNow, m_resume})
        m_header->actions()->addWidget(button);
    column->addWidget(m_header);

    m_list = new QListView;
    m_list->setObjectName(QStringLiteral("runList"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new RunDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setMinimumWidth(220);
    m_view = new RunView(m_runner);
    m_splitter = new QSplitter;
    m_splitter->setHandleWidth(1);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(m_list);
    m_splitter->addWidget(m_view);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({260, 1000});
    m_empty = new EmptyRuns;
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_splitter);
    column->addWidget(m_stack, 1);

    connect(m_stop, &QPushButton::clicked, this, [this] { stop(false); });
    connect(m_stopNow, &QPushButton::clicked, this, [this] { stop(true); });
    connect(m_resume, &QPushButton::clicked, this, &RunsPage::resume);
    connect(m_empty, &EmptyRuns::planAsked, this, &RunsPage::planAsked);
    connect(m_view, &RunView::runChanged, this, &RunsPage::takeChange);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex &current) { showRun(current.row()); });
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, &RunsPage::refresh);
    retranslate();
    refresh();
}

void RunsPage::startRun(const wire::JobSpec &job, const Json &plan)
{
    auto started = m_runner.start(job, plan);
    if (!started) {
        Q_EMIT failed(errorText(started.error()));
        return;
    }
    remember(*started, job, plan);
    refresh();
    select(started->id);
}

void RunsPage::remember(const RunInfo &run, const wire::JobSpec &job, const Json &plan)
{
    if (!m_store)
        return;
    RunRecord record;
    record.id = QString::fromStdString(run.id);
    record.name = QString::fromStdString(run.name);
    record.folder = QString::fromStdString(run.folder.string());
    record.createdMicros = run.createdMicros;
    record.job = QString::fromStdString(wire::writeJob(job));
    record.plan = plan.is_null() ? QString() : QString::fromStdString(plan.dump());
    if (const auto saved = m_store->saveRun(record); !saved)
        Q_EMIT failed(errorText(saved.error()));
}

void RunsPage::refresh()
{
    const std::string shown = m_view->run().id;
    m_model->setRuns(m_runner.list());
    const QString runs = QString::fromStdString(m_home.runs().string());
    if (m_watcher.directories().isEmpty() && std::filesystem::is_directory(m_home.runs()))
        m_watcher.addPath(runs);
    m_stack->setCurrentIndex(m_model->rowCount() > 0);
    if (!m_list->currentIndex().isValid() && m_model->rowCount() > 0)
        select(m_model->rowOf(shown) >= 0 ? shown : m_model->run(0).id);
    showActions();
    Q_EMIT activeChanged(m_model->activeCount());
}

void RunsPage::select(const std::string &id)
{
    if (const int row = m_model->rowOf(id); row >= 0)
        m_list->setCurrentIndex(m_model->index(row));
}

void RunsPage::showRun(int row)
{
    if (row < 0)
        return;
    m_view->show(m_model->run(row));
    showActions();
}

void RunsPage::takeChange(const RunInfo &run)
{
    m_model->update(run);
    showActions();
    Q_EMIT activeChanged(m_model->activeCount());
}

void RunsPage::stop(bool now)
{
    if (const auto asked = m_runner.stop(m_view->run(), now); !asked)
        Q_EMIT failed(errorText(asked.error()));
}

void RunsPage::resume()
{
    if (const auto resumed = m_runner.resume(m_view->run()); !resumed)
        Q_EMIT failed(errorText(resumed.error()));
}

void RunsPage::showActions()
{
    const RunInfo &run = m_view->run();
    const bool any = m_model->rowCount() > 0 && !run.id.empty();
    m_header->setTitle(any ? QString::fromStdString(run.name) : tr("Runs"));
    m_chip->show(any ? stateWord(run.state) : QString(), chipKind(run.state));
    m_stop->setVisible(any && isActive(run.state));
    m_stopNow->setVisible(any && isActive(run.state));
    m_resume->setVisible(any && isResumable(run.state));
}

void RunsPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    refresh();
}

void RunsPage::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

void RunsPage::retranslate()
{
    m_stop->setText(tr("Save and stop"));
    m_stopNow->setText(tr("Stop now"));
    m_stopNow->setToolTip(tr("Ends the run at once; steps since the last checkpoint are lost"));
    m_resume->setText(tr("Resume"));
    m_list->setAccessibleName(tr("Runs"));
    m_model->retranslate();
    showActions();
}

} // namespace rentune::app
