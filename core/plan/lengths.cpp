// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/lengths.h"

namespace rentune::plan {

LengthFacts readLengths(const wire::JobSpec &job, const hf::ModelConfig &)
{
    LengthFacts facts;
    facts.assumption = job.data.train.empty() ? "data.none" : "data.unreadable";
    return facts;
}

} // namespace rentune::plan
