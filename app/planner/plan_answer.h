// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/planner/plan_headline.h"

#include <QScrollArea>

class QLabel;
class QPushButton;

namespace rentune::app {

class GpuTable;
class Surface;
class PriceTiles;
class RelaxList;
class Text;
class VramBar;

/// The right side of the plan page: the answer in one sentence, then the figures behind it.
class PlanAnswerView final : public QScrollArea
{
    Q_OBJECT
public:
    explicit PlanAnswerView(QWidget *parent = nullptr);
    void setAnswer(const PlanAnswer &answer);
    void setOptions(const std::vector<GpuOption> &options);
    const PlanAnswer &answer() const { return m_answer; } ///< what is shown

Q_SIGNALS:
    void runAsked();
    /// Job keys to set ("a.b=value") after a click on a remedy, a card or a price class; `what` names the
    /// edit.
    void changeAsked(const std::vector<std::string> &sets, const QString &what);
    void priceClassAsked(const QString &priceClass);

protected:
    void changeEvent(QEvent *event) override;

private:
    void refresh();
    void showFits();

    PlanAnswer m_answer;
    QLabel *m_sentence;
    QLabel *m_details;
    QPushButton *m_run;
    Text *m_why;
    Text *m_note;
    RelaxList *m_relax;
    Surface *m_memory;
    Text *m_capacity;
    VramBar *m_bar;
    Surface *m_gpus;
    GpuTable *m_table;
    PriceTiles *m_prices;
};

} // namespace rentune::app
