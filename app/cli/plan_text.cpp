// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/plan_text.h"

#include "app/cli/session.h"
#include "app/text/format.h"
#include "app/text/words.h"
#include "core/catalog/catalog.h"
#include "core/catalog/resources.h"
#include "core/plan/planner.h"
#include "core/wire/job_file.h"

#include <QStringList>

namespace rentune::app {

Result<plan::Plan> planOf(const wire::JobSpec &job)
{
    RENTUNE_TRY(const auto resources, catalog::resourceFolder());
    RENTUNE_TRY(const catalog::Catalog catalogue, catalog::loadCatalog(resources / "catalog"));
    RENTUNE_TRY(const plan::PlanFacts facts, plan::gatherFacts(job, catalogue, systemClock()));
    return plan::makePlan(job, facts);
}

QString planLine(const plan::Plan &plan)
{
    QStringList parts{plan.feasible ? Cli::tr("fits") : Cli::tr("does not fit")};
    parts << Cli::tr("%1 of %2").arg(gib(plan.perGpuBytes.expected), gib(plan.capacityBytes));
    if (plan.totalSeconds.expected > 0)
        parts << Cli::tr("%1 steps in %2").arg(grouped(plan.totalSteps), span(plan.totalSeconds.expected));
    if (plan.tokensPerSecond > 0)
        parts << Cli::tr("%1 tokens/s").arg(significant(plan.tokensPerSecond, 3));
    if (!plan.cost.empty())
        parts << money(plan.cost.front().total.expected, plan.cost.front().currency);
    return parts.join(QStringLiteral(" · "));
}

QString planText(const plan::Plan &plan)
{
    QStringList lines{planLine(plan)};
    for (size_t i = 0; i < plan::termCount; ++i)
        if (plan.terms[i] > 0)
            lines << QStringLiteral("  %1  %2")
                         .arg(gib(plan.terms[i], 2), 10)
                         .arg(termText(static_cast<plan::Term>(i)));
    for (const plan::CostLine &cost : plan.cost)
        lines << QStringLiteral("  %1: %2  %3 %4 %5")
                     .arg(priceClassText(cost.priceClass), moneyRange(cost.total, cost.currency),
                          QString::fromStdString(cost.provider), QString::fromStdString(cost.region),
                          QString::fromStdString(cost.asOf))
                     .trimmed();
    for (const plan::Reason &reason : plan.reasons) {
        lines << reasonText(reason, plan);
        for (const plan::Relax &relax : reason.relax)
            lines << QStringLiteral("  → %1").arg(relaxText(relax));
    }
    return lines.join(QLatin1Char('\n'));
}

void addPlanVerb(CLI::App &parser, Session &session)
{
    CLI::App *verb = parser.add_subcommand("plan", "What a job needs and costs and when it is done");
    auto job = std::make_shared<std::string>();
    auto sets = std::make_shared<std::vector<std::string>>();
    verb->add_option("JOB", *job, "job file (YAML or JSON)")->required();
    verb->add_option("--set", *sets, "key=value, over the file's")->allow_extra_args(false);
    verb->callback([&session, job, sets] {
        session.action = [&session, job, sets]() -> Result<int> {
            RENTUNE_TRY(const wire::JobSpec spec, wire::readJob(*job, *sets));
            RENTUNE_TRY(const plan::Plan plan, planOf(spec));
            if (session.json)
                print(plan::planJson(plan));
            else
                print(planText(plan));
            return 0;
        };
    });
}

} // namespace rentune::app
