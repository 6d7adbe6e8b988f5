// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/export/companions.h"

namespace rentune::trainer {
namespace {

constexpr const char *companions[] = {"config.json",
                                      "generation_config.json",
                                      "tokenizer.json",
                                      "tokenizer_config.json",
                                      "special_tokens_map.json",
                                      "added_tokens.json",
                                      "chat_template.jinja",
                                      "vocab.json",
                                      "merges.txt",
                                      "tokenizer.model"};

} // namespace

Result<void> copyCompanions(FileOps &ops, const std::filesystem::path &from, const std::filesystem::path &to)
{
    for (const char *name : companions) {
        if (!std::filesystem::exists(from / name))
            continue;
        RENTUNE_TRY(const std::string bytes, readFile(from / name));
        RENTUNE_CHECK(atomicReplace(ops, to / name, bytes));
    }
    return {};
}

} // namespace rentune::trainer
