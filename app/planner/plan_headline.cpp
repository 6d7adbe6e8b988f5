// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/planner/plan_headline.h"

#include "app/text/format.h"
#include "app/text/words.h"

#include <QCoreApplication>
#include <QDateTime>

#include <algorithm>

namespace rentune::app {
namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(PlanHeadline)
};

const QString dot = QStringLiteral(" · ");

QString bold(const QString &text)
{
    return QStringLiteral("<b>%1</b>").arg(text.toHtmlEscaped());
}

QString deviceText(const PlanAnswer &answer)
{
    if (answer.device.isEmpty())
        return Words::tr("this computer");
    const int cards = answer.plan->layout.nodes * answer.plan->layout.gpusPerNode;
    return cards > 1 ? QStringLiteral("%1× %2").arg(cards).arg(answer.device) : answer.device;
}

Headline infeasible(const PlanAnswer &answer)
{
    const plan::Plan &plan = *answer.plan;
    const auto largest = std::max_element(plan.terms.begin(), plan.terms.end());
    const auto term = plan::Term(largest - plan.terms.begin());
    Headline text;
    text.problem = true;
    text.sentence =
        bold(plan.reasons.empty() ? Words::tr("Does not work") : reasonText(plan.reasons.front(), plan));
    text.details = Words::tr("The largest part is %1 with %2. Nothing has been spent.")
                       .arg(termText(term).toHtmlEscaped(), gib(*largest));
    return text;
}

} // namespace

const plan::CostLine *chosenCost(const PlanAnswer &answer)
{
    const auto &cost = answer.plan->cost;
    const auto own = std::find_if(cost.begin(), cost.end(), [&](const plan::CostLine &line) {
        return line.priceClass == answer.job.hardware.price.priceClass;
    });
    if (own != cost.end())
        return &*own;
    return cost.empty() ? nullptr : &cost.front();
}

Headline headline(const PlanAnswer &answer, const QDateTime &now)
{
    if (!answer.plan) {
        Headline text;
        text.problem = answer.error.has_value();
        text.sentence = bold(answer.error ? Words::tr("No plan yet") : Words::tr("Choose a model to begin"));
        text.details = answer.error ? errorText(*answer.error).toHtmlEscaped() : QString();
        return text;
    }
    if (!answer.plan->feasible)
        return infeasible(answer);

    const plan::Plan &plan = *answer.plan;
    const plan::CostLine *cost = chosenCost(answer);
    const QString done = bold(moment(now.addSecs(qint64(plan.totalSeconds.expected)), now));
    const QString risk = bold(percent(plan.pOutOfMemory));
    Headline text;
    if (!plan.timeKnown()) {
        text.sentence = Words::tr("Time and cost unknown, out-of-memory risk %1").arg(risk);
        text.details = Words::tr("The catalogue states no speed of this card") + dot + deviceText(answer);
        return text;
    }
    if (cost)
        text.sentence = Words::tr("%1, done %2, out-of-memory risk %3")
                            .arg(bold(moneyRange(cost->total, cost->currency)), done, risk);
    else
        text.sentence =
            Words::tr("%1, done %2, out-of-memory risk %3")
                .arg(bold(answer.device.isEmpty() ? Words::tr("Costs nothing") : Words::tr("No price")), done,
                     risk);
    text.details = span(plan.totalSeconds.expected) + dot +
                   Words::tr("%1 steps").arg(grouped(plan.totalSteps)) + dot +
                   Words::tr("%1 tokens/s").arg(significant(plan.tokensPerSecond)) + dot + deviceText(answer);
    if (cost)
        text.details += QLatin1Char(' ') + Words::tr("%1 %2 an hour", "price class, amount")
                                               .arg(priceClassText(cost->priceClass).toLower(),
                                                    money(cost->perHour, cost->currency));
    text.details += dot + Words::tr("%1 trained parameters").arg(largeCount(plan.trainableParameters));
    return text;
}

RunOffer runOffer(const PlanAnswer &answer)
{
    if (!answer.plan)
        return {Words::tr("Run"), Words::tr("there is no plan yet")};
    if (!answer.plan->feasible)
        return {Words::tr("Does not fit"), Words::tr("take one of the remedies first")};
    if (answer.job.model.path.empty())
        return {Words::tr("Run"), Words::tr("choose a model folder: a catalogue entry has no weights")};
    if (answer.job.data.train.empty())
        return {Words::tr("Run"), Words::tr("choose a data file")};
    if (!answer.device.isEmpty())
        return {Words::tr("Run"), Words::tr("this computer has no such card: choose “This computer”")};
    const plan::CostLine *cost = chosenCost(answer);
    if (!cost)
        return {Words::tr("Run here · costs nothing"), {}};
    if (answer.job.budget.maxCost > 0)
        return {Words::tr("Run · at most %1").arg(money(answer.job.budget.maxCost, cost->currency)), {}};
    return {Words::tr("Run · no cap"), {}};
}

} // namespace rentune::app
