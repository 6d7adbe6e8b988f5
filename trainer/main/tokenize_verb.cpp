// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/main/json_io.h"
#include "trainer/main/verbs.h"

#include "core/text/tokenizer.h"

#include <limits>
#include <memory>
#include <vector>

namespace rentune::trainer {
namespace {

struct TokenizeOptions
{
    std::string model;
    bool content = false;
};

Error badInput(size_t index, const std::string &expected)
{
    return {ErrorCode::DataFormat,
            "must be a JSON array of " + expected + "; element " + std::to_string(index) + " is not",
            "<stdin>"};
}

Result<Json> readArray(const std::string &expected)
{
    RENTUNE_TRY(Json input, readJsonInput());
    if (!input.is_array())
        return Error{ErrorCode::DataFormat, "must be a JSON array of " + expected, "<stdin>"};
    return input;
}

Result<int> tokenize(const TokenizeOptions &options)
{
    RENTUNE_TRY(const text::Tokenizer tokenizer, text::Tokenizer::load(options.model));
    RENTUNE_TRY(const Json input, readArray("strings"));
    const auto added = options.content ? text::AddedTokens::AsText : text::AddedTokens::Match;
    Json output = Json::array();
    for (const Json &item : input) {
        if (!item.is_string())
            return badInput(output.size(), "strings");
        output.push_back(tokenizer.encode(item.get_ref<const std::string &>(), added));
    }
    RENTUNE_CHECK(printJson(output));
    return 0;
}

/// False if an element is no token id.
bool parseIds(const Json &item, std::vector<text::TokenId> &ids)
{
    if (!item.is_array())
        return false;
    for (const Json &id : item) {
        if (!id.is_number_integer() || id.get<int64_t>() < 0 ||
            id.get<int64_t>() > std::numeric_limits<text::TokenId>::max())
            return false;
        ids.push_back(id.get<text::TokenId>());
    }
    return true;
}

Result<int> detokenize(const TokenizeOptions &options)
{
    RENTUNE_TRY(const text::Tokenizer tokenizer, text::Tokenizer::load(options.model));
    RENTUNE_TRY(const Json input, readArray("arrays of token ids"));
    Json output = Json::array();
    for (const Json &item : input) {
        std::vector<text::TokenId> ids;
        if (!parseIds(item, ids))
            return badInput(output.size(), "arrays of token ids");
        output.push_back(tokenizer.decode(ids));
    }
    RENTUNE_CHECK(printJson(output));
    return 0;
}

} // namespace

void addTokenizeVerbs(CLI::App &program, Action &action)
{
    auto options = std::make_shared<TokenizeOptions>();
    CLI::App *encode = program.add_subcommand("tokenize", "JSON array of strings on stdin to arrays of ids");
    encode->add_option("--model", options->model, "Folder with tokenizer.json")->required();
    encode->add_flag("--content", options->content, "Read added tokens in the text as plain text");
    encode->callback([options, &action] { action = [options] { return tokenize(*options); }; });

    CLI::App *decode = program.add_subcommand("detokenize", "JSON array of id arrays on stdin to strings");
    decode->add_option("--model", options->model, "Folder with tokenizer.json")->required();
    decode->callback([options, &action] { action = [options] { return detokenize(*options); }; });
}

} // namespace rentune::trainer
