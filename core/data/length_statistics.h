// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/text/conversation.h"
#include "core/text/tokenizer.h"

#include <cstdint>
#include <vector>

namespace rentune::data {

/// How long rows are, in tokens. All zero without rows.
struct LengthStatistics
{
    struct Bin
    {
        int64_t from = 0; ///< lengths from … to, both included
        int64_t to = 0;
        int64_t rows = 0;
    };

    int64_t rows = 0;
    int64_t minimum = 0;
    int64_t median = 0; ///< the lower of the two in the middle
    int64_t p95 = 0;    ///< nearest rank
    int64_t maximum = 0;
    int64_t total = 0;          ///< tokens of all rows
    std::vector<Bin> histogram; ///< of equal width, at most 20
};

LengthStatistics lengthStatistics(std::vector<int64_t> lengths);

/// Tokens of each row without cutting, of at most `limit` rows spread evenly over the dataset (0: all).
/// Errors: those of makeSample.
Result<std::vector<int64_t>> rowLengths(const Dataset &dataset, const text::Tokenizer *tokenizer,
                                        const text::ChatTemplate *chatTemplate,
                                        const text::RenderOptions &options = {}, int64_t limit = 0);

} // namespace rentune::data
