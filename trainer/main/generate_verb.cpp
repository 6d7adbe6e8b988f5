// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/main/json_io.h"
#include "trainer/main/verbs.h"

#include "trainer/loop/evaluation.h"
#include "trainer/model/load_model.h"
#include "trainer/torch/threads.h"

#include <memory>
#include <optional>

namespace rentune::trainer {
namespace {

struct GenerateVerbOptions
{
    std::string model;
    std::string adapter;
    std::string prompt;
    int64_t maxNewTokens = 128;
    double temperature = 0;
    uint64_t seed = 0;
    bool chat = false;
    int threads = 0;
};

Result<int> generateText(const GenerateVerbOptions &options)
{
    fixThreads(options.threads);
    RENTUNE_TRY(const text::Tokenizer tokenizer, text::Tokenizer::load(options.model));
    std::optional<text::ChatTemplate> chatTemplate;
    if (options.chat) {
        RENTUNE_TRY(chatTemplate, text::ChatTemplate::load(options.model));
    }
    ModelRequest request;
    request.folder = options.model;
    if (!options.adapter.empty()) {
        RENTUNE_TRY(request.adapter, hf::readAdapterConfig(options.adapter));
        request.adapterFolder = options.adapter;
    }
    RENTUNE_TRY(const LoadedModel model, loadModel(request));
    LayerRunner runner(*model.decoder, *model.parameters);
    GenerateOptions generation;
    generation.maxNewTokens = options.maxNewTokens;
    generation.temperature = options.temperature;
    generation.seed = options.seed;
    const Speech speech{&tokenizer, chatTemplate ? &*chatTemplate : nullptr};
    RENTUNE_TRY(const std::string reply,
                answer(runner, model.decoder->config(), speech, options.prompt, generation));
    RENTUNE_CHECK(printText(reply + "\n"));
    return 0;
}

} // namespace

void addGenerateVerb(CLI::App &program, Action &action)
{
    auto options = std::make_shared<GenerateVerbOptions>();
    CLI::App *verb = program.add_subcommand("generate", "Text that follows a prompt");
    verb->add_option("--model", options->model, "Model folder")->required();
    verb->add_option("--adapter", options->adapter, "Adapter folder (PEFT layout)");
    verb->add_option("--prompt", options->prompt, "Text to go on with; with --chat, the user's message")
        ->required();
    verb->add_option("--max-new-tokens", options->maxNewTokens, "Most tokens to add")
        ->check(CLI::Range(1, 1 << 20));
    verb->add_option("--temperature", options->temperature, "0: always the likeliest token")
        ->check(CLI::Range(0.0, 100.0));
    verb->add_option("--seed", options->seed, "Of the draws above temperature 0");
    verb->add_flag("--chat", options->chat, "Put the prompt through the model's chat template");
    verb->add_option("--threads", options->threads, "Compute threads, 0: all cores");
    verb->callback([options, &action] { action = [options] { return generateText(*options); }; });
}

} // namespace rentune::trainer
