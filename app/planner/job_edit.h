// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/plan/plan.h"
#include "core/wire/job_spec.h"

#include <QString>

namespace rentune::app {

/// Notes that the job itself sets `key`, so that it is written to its file.
void stateKey(wire::JobSpec &job, const std::string &key);

/// `method.targets` as one line: a word, a pattern, or the names joined by commas.
QString targetsText(const wire::JobSpec &job);

/// The reverse of targetsText: names with commas become a list.
void setTargets(wire::JobSpec &job, const QString &text);

/// "key=value" lines that a remedy means for this job: more cards shard their weights, and a smaller micro
/// batch accumulates more, so that the global batch stays.
std::vector<std::string> setsOf(const wire::JobSpec &job, const plan::Relax &relax);

/// One's own price, amount and currency together; 0 goes back to the catalogue's.
void setOwnPrice(wire::JobSpec &job, const std::string &currency, double perHour);

/// The job bought in another price class, at the catalogue's price: one's own price was for the class before.
wire::JobSpec inPriceClass(wire::JobSpec job, const std::string &priceClass);

/// The job with some keys changed ("a.b=value"), by the rules of the job file. Errors: those of
/// wire::parseJob.
Result<wire::JobSpec> withKeys(const wire::JobSpec &job, const std::vector<std::string> &sets);

} // namespace rentune::app
