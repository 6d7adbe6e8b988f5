// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/planner/planner_page.h"

#include "app/planner/job_edit.h"
#include "app/planner/plan_answer.h"
#include "app/planner/plan_inputs.h"
#include "app/text/words.h"
#include "app/widgets/controls.h"
#include "app/widgets/page_header.h"
#include "core/base/file_ops.h"
#include "core/wire/job_file.h"

#include <QAction>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QSplitter>
#include <QToolButton>
#include <QUndoCommand>
#include <QVBoxLayout>

namespace rentune::app {
namespace {

/// One edit of the plan. Edits of the same key that follow each other are one step back.
class JobEdit final : public QUndoCommand
{
public:
    using Show = std::function<void(const wire::JobSpec &)>;
    JobEdit(wire::JobSpec before, wire::JobSpec after, QString key, Show show)
        : QUndoCommand(key), m_before(std::move(before)), m_after(std::move(after)), m_show(std::move(show))
    {
    }
    void undo() override { m_show(m_before); }
    void redo() override { m_show(m_after); }
    int id() const override { return 1; }
    bool mergeWith(const QUndoCommand *next) override
    {
        if (next->text() != text())
            return false;
        m_after = static_cast<const JobEdit *>(next)->m_after;
        return true;
    }

private:
    wire::JobSpec m_before, m_after;
    Show m_show;
};

QToolButton *actionButton(QAction *action, const QString &iconName)
{
    auto *button = new QToolButton;
    action->setIcon(icon(iconName, Tint::Quiet));
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setIconSize({18, 18});
    return button;
}

QString jobFilter()
{
    return PlannerPage::tr("Job files (*.yaml *.yml *.json)");
}

} // namespace

PlannerPage::PlannerPage(std::shared_ptr<const catalog::Catalog> catalog, QWidget *parent)
    : QWidget(parent), m_service(std::move(catalog))
{
    setObjectName(QStringLiteral("plannerPage"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_header = new PageHeader;
    column->addWidget(m_header);
    m_undoAction = new QAction(this);
    m_redoAction = new QAction(this);
    m_undoAction->setEnabled(false);
    m_redoAction->setEnabled(false);
    connect(m_undoAction, &QAction::triggered, &m_undo, &QUndoStack::undo);
    connect(m_redoAction, &QAction::triggered, &m_undo, &QUndoStack::redo);
    connect(&m_undo, &QUndoStack::canUndoChanged, m_undoAction, &QAction::setEnabled);
    connect(&m_undo, &QUndoStack::canRedoChanged, m_redoAction, &QAction::setEnabled);
    m_header->context()->addWidget(actionButton(m_undoAction, QStringLiteral("undo")));
    m_header->context()->addWidget(actionButton(m_redoAction, QStringLiteral("redo")));
    m_open = new QPushButton;
    m_save = new QPushButton;
    m_header->actions()->addWidget(m_open);
    m_header->actions()->addWidget(m_save);

    auto *splitter = new QSplitter;
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    m_inputs = new PlanInputs(m_service.catalog());
    m_answer = new PlanAnswerView;
    splitter->addWidget(m_inputs);
    splitter->addWidget(m_answer);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({348, 1000});
    column->addWidget(splitter, 1);

    connect(m_inputs, &PlanInputs::edited, this, &PlannerPage::apply);
    connect(m_answer, &PlanAnswerView::changeAsked, this, &PlannerPage::change);
    connect(m_answer, &PlanAnswerView::priceClassAsked, this, [this](const QString &priceClass) {
        apply(inPriceClass(job(), priceClass.toStdString()), QStringLiteral("hardware.price.class"));
    });
    connect(m_answer, &PlanAnswerView::runAsked, this, &PlannerPage::run);
    connect(m_open, &QPushButton::clicked, this, &PlannerPage::askForJobFile);
    connect(m_save, &QPushButton::clicked, this, &PlannerPage::askWhereToSave);
    connect(&m_service, &PlanService::planned, this, [this](const PlanAnswer &answer) {
        if (answer.generation != m_generation)
            return;
        m_inputs->setFacts(answer);
        m_answer->setAnswer(answer);
        Q_EMIT answered(answer.generation);
    });
    connect(&m_service, &PlanService::optionsFound, this,
            [this](quint64 generation, const std::vector<GpuOption> &options) {
                if (generation == m_generation)
                    m_answer->setOptions(options);
            });
    retranslate();
}

const wire::JobSpec &PlannerPage::job() const
{
    return m_inputs->job();
}

void PlannerPage::setJob(const wire::JobSpec &job)
{
    m_undo.clear();
    showJob(job);
}

void PlannerPage::showJob(const wire::JobSpec &job)
{
    m_inputs->setJob(job);
    retranslate();
    m_generation = m_service.request(job);
}

void PlannerPage::apply(const wire::JobSpec &job, const QString &key)
{
    m_undo.push(
        new JobEdit(m_inputs->job(), job, key, [this](const wire::JobSpec &shown) { showJob(shown); }));
}

void PlannerPage::change(const std::vector<std::string> &sets, const QString &what)
{
    auto changed = withKeys(job(), sets);
    if (changed)
        apply(*changed, what);
    else
        Q_EMIT failed(errorText(changed.error()));
}

bool PlannerPage::openJob(const QString &file)
{
    auto read = wire::readJob(file.toStdString());
    if (!read) {
        Q_EMIT failed(errorText(read.error()));
        return false;
    }
    setJob(*read);
    return true;
}

bool PlannerPage::saveJob(const QString &file)
{
    const auto written = atomicReplace(systemFileOps(), file.toStdString(), wire::writeJob(job()));
    if (!written)
        Q_EMIT failed(errorText(written.error()));
    else
        m_undo.setClean();
    return written.ok();
}

void PlannerPage::run()
{
    const PlanAnswer &answer = m_answer->answer();
    const RunOffer offer = runOffer(answer);
    if (answer.generation != m_generation || answer.error)
        return;
    if (offer.why.isEmpty())
        Q_EMIT runAsked(answer.job, *answer.plan);
    else
        Q_EMIT failed(offer.why);
}

void PlannerPage::askForJobFile()
{
    const QString file = QFileDialog::getOpenFileName(this, tr("Open a job"), {}, jobFilter());
    if (!file.isEmpty())
        openJob(file);
}

void PlannerPage::askWhereToSave()
{
    const QString name = QString::fromStdString(job().name) + QStringLiteral(".yaml");
    const QString file = QFileDialog::getSaveFileName(this, tr("Save the job"), name, jobFilter());
    if (!file.isEmpty())
        saveJob(file);
}

void PlannerPage::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

void PlannerPage::retranslate()
{
    const QString name = QString::fromStdString(job().name);
    m_header->setTitle(name.isEmpty() ? tr("New job") : name);
    m_open->setText(tr("Open…"));
    m_save->setText(tr("Save as…"));
    m_undoAction->setText(tr("Undo"));
    m_redoAction->setText(tr("Redo"));
}

} // namespace rentune::app
