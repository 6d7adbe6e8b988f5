// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/planner/job_edit.h"

#include "core/wire/job_file.h"

#include <QStringList>

#include <algorithm>

namespace rentune::app {

void stateKey(wire::JobSpec &job, const std::string &key)
{
    auto &stated = job.statedKeys;
    const auto place = std::lower_bound(stated.begin(), stated.end(), key);
    if (place == stated.end() || *place != key)
        stated.insert(place, key);
}

QString targetsText(const wire::JobSpec &job)
{
    if (job.method.targets.empty())
        return QString::fromStdString(job.method.targetPattern);
    QStringList names;
    for (const std::string &name : job.method.targets)
        names.append(QString::fromStdString(name));
    return names.join(QStringLiteral(", "));
}

void setTargets(wire::JobSpec &job, const QString &text)
{
    job.method.targets.clear();
    if (!text.contains(QLatin1Char(','))) {
        job.method.targetPattern = text.trimmed().toStdString();
        return;
    }
    for (const QString &name : text.split(QLatin1Char(','), Qt::SkipEmptyParts))
        job.method.targets.push_back(name.trimmed().toStdString());
}

std::vector<std::string> setsOf(const wire::JobSpec &job, const plan::Relax &relax)
{
    std::vector<std::string> sets{relax.key + "=" + relax.value};
    if (relax.code == "parallel.zero3_gpus")
        sets.push_back("parallel.strategy=zero3");
    if (relax.key == "training.micro_batch") {
        const int64_t batch = job.training.microBatch * job.training.gradAccumulation;
        const int64_t micro = std::max<int64_t>(std::stoll(relax.value), 1);
        sets.push_back("training.grad_accumulation=" + std::to_string((batch + micro - 1) / micro));
    }
    return sets;
}

void setOwnPrice(wire::JobSpec &job, const std::string &currency, double perHour)
{
    const bool stated = perHour > 0;
    job.hardware.price.currency = stated ? currency : std::string();
    job.hardware.price.perHour = stated ? perHour : 0;
    for (const char *key : {"hardware.price.currency", "hardware.price.per_hour"}) {
        if (stated)
            stateKey(job, key);
        else
            std::erase(job.statedKeys, key);
    }
}

wire::JobSpec inPriceClass(wire::JobSpec job, const std::string &priceClass)
{
    setOwnPrice(job, {}, 0);
    job.hardware.price.priceClass = priceClass;
    stateKey(job, "hardware.price.class");
    return job;
}

Result<wire::JobSpec> withKeys(const wire::JobSpec &job, const std::vector<std::string> &sets)
{
    return wire::parseJob(wire::writeJob(job), "job.yaml", sets);
}

} // namespace rentune::app
