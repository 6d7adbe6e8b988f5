// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/planner.h"

namespace rentune::plan {

/// Rows of the job's training files and their lengths in tokens, from up to 512 rows spread over the data,
/// rendered and tokenized as training does. Without a tokenizer, or where a row can't be rendered, four bytes
/// count as a token.
LengthFacts readLengths(const wire::JobSpec &job, const hf::ModelConfig &model);

} // namespace rentune::plan
