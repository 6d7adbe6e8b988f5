// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/planner/plan_service.h"

#include <QUndoStack>
#include <QWidget>

class QAction;
class QPushButton;

namespace rentune::app {

class PageHeader;
class PlanAnswerView;
class PlanInputs;

/// "What will it cost, when is it done, will it fit?": the job's inputs and the answer, redrawn at every
/// edit. Every edit can be undone.
class PlannerPage final : public QWidget
{
    Q_OBJECT
public:
    explicit PlannerPage(std::shared_ptr<const catalog::Catalog> catalog, QWidget *parent = nullptr);

    const wire::JobSpec &job() const;
    void setJob(const wire::JobSpec &job); ///< a new job: forgets the edits before it
    bool openJob(const QString &file);     ///< false after saying why not
    bool saveJob(const QString &file);
    QAction *undoAction() const { return m_undoAction; }
    QAction *redoAction() const { return m_redoAction; }

    void run();            ///< asks to run the job if its plan allows it, else says why not
    void askForJobFile();  ///< the open dialog, then openJob
    void askWhereToSave(); ///< the save dialog, then saveJob

Q_SIGNALS:
    void runAsked(const rentune::wire::JobSpec &job, const rentune::plan::Plan &plan);
    void answered(quint64 generation); ///< the answer of a request is shown
    void failed(const QString &message);

protected:
    void changeEvent(QEvent *event) override;

private:
    void apply(const wire::JobSpec &job, const QString &key);
    void change(const std::vector<std::string> &sets, const QString &what);
    void showJob(const wire::JobSpec &job);
    void retranslate();

    PlanService m_service;
    QUndoStack m_undo;
    quint64 m_generation = 0;
    QAction *m_undoAction;
    QAction *m_redoAction;
    PageHeader *m_header;
    QPushButton *m_open;
    QPushButton *m_save;
    PlanInputs *m_inputs;
    PlanAnswerView *m_answer;
};

} // namespace rentune::app
