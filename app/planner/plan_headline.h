// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/planner/plan_service.h"

#include <QString>

namespace rentune::app {

/// The answer in one sentence and the line under it, in the current language, as rich text.
struct Headline
{
    QString sentence;
    QString details;
    bool problem = false; ///< shown in the error colour
};

/// The price class a plan is bought in: the job's own, else the first that has a price; nullptr if none has.
const plan::CostLine *chosenCost(const PlanAnswer &answer);

Headline headline(const PlanAnswer &answer, const QDateTime &now);

/// What the run button says; a button that spends carries the amount. Empty `why` means it may be pressed.
struct RunOffer
{
    QString text;
    QString why; ///< why it can't start here and now
};
RunOffer runOffer(const PlanAnswer &answer);

} // namespace rentune::app
