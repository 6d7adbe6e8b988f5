// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/planner/plan_answer.h"

#include "app/charts/vram_bar.h"
#include "app/planner/gpu_table.h"
#include "app/planner/job_edit.h"
#include "app/planner/price_tiles.h"
#include "app/planner/relax_list.h"
#include "app/text/format.h"
#include "app/text/words.h"

#include <QDateTime>
#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace rentune::app {

PlanAnswerView::PlanAnswerView(QWidget *parent) : QScrollArea(parent)
{
    setObjectName(QStringLiteral("planAnswer"));
    setWidgetResizable(true);
    auto *content = new QWidget;
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(20, 12, 20, 14);
    column->setSpacing(metrics::gap);

    auto *top = new QHBoxLayout;
    auto *words = new QVBoxLayout;
    words->setSpacing(2);
    m_sentence = new QLabel;
    m_sentence->setObjectName(QStringLiteral("headline"));
    m_sentence->setTextFormat(Qt::RichText);
    m_sentence->setFont(typeFont(Type::Headline));
    m_sentence->setWordWrap(true);
    m_details = new QLabel;
    m_details->setTextFormat(Qt::RichText);
    m_details->setWordWrap(true);
    words->addWidget(m_sentence);
    words->addWidget(m_details);
    words->addStretch(1);
    top->addLayout(words, 1);
    auto *offer = new QVBoxLayout;
    offer->setSpacing(2);
    m_run = primaryButton();
    m_run->setObjectName(QStringLiteral("run"));
    m_run->setIcon(icon(QStringLiteral("run"), Tint::OnAccent));
    m_why = new Text(Type::Note, Text::Role::Tertiary);
    m_why->setWordWrap(true);
    m_why->setFixedWidth(250);
    m_why->setAlignment(Qt::AlignRight | Qt::AlignTop);
    offer->addWidget(m_run, 0, Qt::AlignRight);
    offer->addWidget(m_why, 0, Qt::AlignRight);
    offer->addStretch(1);
    top->addLayout(offer);
    column->addLayout(top);

    m_note = new Text(Type::Note, Text::Role::Secondary);
    m_note->setWordWrap(true);
    column->addWidget(m_note);
    m_relax = new RelaxList;
    column->addWidget(m_relax);

    m_memory = new Surface;
    m_capacity = new Text(Type::Note, Text::Role::Secondary);
    m_memory->headerRight()->addWidget(m_capacity);
    m_bar = new VramBar;
    m_bar->setObjectName(QStringLiteral("vramBar"));
    m_memory->body()->addWidget(m_bar);
    column->addWidget(m_memory);

    m_prices = new PriceTiles;
    m_prices->setObjectName(QStringLiteral("prices"));
    column->addWidget(m_prices);

    m_gpus = new Surface;
    m_table = new GpuTable;
    m_gpus->body()->addWidget(m_table);
    m_gpus->setMinimumHeight(190);
    column->addWidget(m_gpus, 1);
    setWidget(content);

    connect(m_run, &QPushButton::clicked, this, &PlanAnswerView::runAsked);
    connect(m_relax, &RelaxList::applied, this, [this](const plan::Relax &relax) {
        Q_EMIT changeAsked(setsOf(m_answer.job, relax), QString::fromStdString(relax.key));
    });
    connect(m_table, &GpuTable::taken, this, [this](const QString &gpu) {
        Q_EMIT changeAsked({"hardware.gpu=" + gpu.toStdString()}, QStringLiteral("hardware.gpu"));
    });
    connect(m_prices, &PriceTiles::chosen, this, &PlanAnswerView::priceClassAsked);
    refresh();
}

void PlanAnswerView::setAnswer(const PlanAnswer &answer)
{
    if (answer.plan || !m_answer.plan) {
        m_answer = answer;
    } else { // the last good figures stay, with what is wrong now above them
        m_answer.error = answer.error;
        m_answer.generation = answer.generation;
    }
    refresh();
}

void PlanAnswerView::setOptions(const std::vector<GpuOption> &options)
{
    m_table->gpus().setOptions(options, m_answer.job);
    showFits();
}

void PlanAnswerView::showFits()
{
    const int fitting = m_table->gpus().fitting();
    m_gpus->setTitle(tr("Which GPUs fit"),
                     tr("%1 of %2 fit; double click takes one").arg(fitting).arg(m_table->gpus().rowCount()));
}

void PlanAnswerView::refresh()
{
    PlanAnswer shown = m_answer;
    if (shown.error)
        shown.plan.reset();
    const Headline text = headline(shown, QDateTime::currentDateTime());
    QPalette ground;
    ground.setColor(QPalette::WindowText, text.problem ? tokens().error : tokens().text1);
    m_sentence->setPalette(ground);
    m_sentence->setText(text.sentence);
    ground.setColor(QPalette::WindowText, tokens().text2);
    m_details->setPalette(ground);
    m_details->setText(text.details);
    const RunOffer offer = runOffer(shown);
    m_run->setText(offer.text);
    m_run->setEnabled(offer.why.isEmpty());
    m_why->setText(offer.why);
    m_why->setVisible(!offer.why.isEmpty());

    const bool any = m_answer.plan.has_value();
    m_memory->setVisible(any);
    m_gpus->setVisible(any);
    m_prices->setVisible(any && m_answer.plan->feasible &&
                         (!m_answer.device.isEmpty() || !m_answer.plan->cost.empty()));
    if (!any || m_answer.plan->feasible)
        m_relax->hide();
    m_note->setVisible(any && !m_answer.plan->notes.empty());
    if (!any)
        return;
    const plan::Plan &plan = *m_answer.plan;
    if (!plan.feasible)
        m_relax->setPlan(plan);
    if (!plan.notes.empty())
        m_note->setText(reasonText(plan.notes.front(), plan));
    const bool host = m_answer.device.isEmpty();
    m_memory->setTitle(
        host ? tr("Memory of this computer") : tr("VRAM per GPU"),
        phaseText(plan.phase) + QStringLiteral(" · ") +
            tr("range %1–%2 GiB").arg(gibNumber(plan.perGpuBytes.low), gibNumber(plan.perGpuBytes.high)));
    m_capacity->setText(tr("capacity %1").arg(gib(plan.capacityBytes)));
    m_bar->setPlan(plan, host ? QStringLiteral("RAM") : QStringLiteral("GPU"));
    m_prices->setAnswer(m_answer);
    showFits();
}

void PlanAnswerView::changeEvent(QEvent *event)
{
    QScrollArea::changeEvent(event);
    if ((event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange) && widget())
        refresh();
}

} // namespace rentune::app
