// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/job_keys.h"

#include "core/wire/job_key_kinds.h"

#include <algorithm>

namespace rentune::wire {
namespace {

constexpr NumberRange positiveCount{1, 1e9};
constexpr NumberRange count{0, 1e12};
constexpr NumberRange atLeastZero{0};
constexpr NumberRange below1{0, 1, true};

// Names the member for reading and for writing.
#define FIELD(member)                                                                                        \
    [](auto &job) -> auto &                                                                                  \
    {                                                                                                        \
        return job.member;                                                                                   \
    }

JobKey targets()
{
    const std::string path = "method.targets";
    return {path,
            "all-linear, a list of module names, or a regular expression over whole module paths",
            {{"anyOf", {{{"type", "string"}}, listSchema("string")}}},
            [=](JobSpec &job, const YamlNode &node, const Place &place) -> Result<void> {
                job.method.targets.clear();
                if (node.kind == YamlNode::Kind::Scalar && !node.text.empty())
                    return readText(job.method.targetPattern, path, node, place);
                if (node.kind != YamlNode::Kind::Sequence || node.items.empty())
                    return wrongType(path, node, place,
                                     "all-linear, a regular expression or a list of names");
                return readList(job.method.targets, path, node, place, readText);
            },
            [](const JobSpec &job) {
                return job.method.targets.empty() ? Json(job.method.targetPattern) : Json(job.method.targets);
            }};
}

JobKey betas()
{
    const std::string path = "training.betas";
    Json schema = listSchema("number");
    schema["minItems"] = schema["maxItems"] = 2;
    return {path, "", std::move(schema),
            [=](JobSpec &job, const YamlNode &node, const Place &place) -> Result<void> {
                if (node.kind != YamlNode::Kind::Sequence || node.items.size() != 2)
                    return wrongType(path, node, place, "a list of two numbers");
                RENTUNE_CHECK(readNumber(job.training.beta1, path, node.items[0], place, below1));
                return readNumber(job.training.beta2, path, node.items[1], place, below1);
            },
            [](const JobSpec &job) {
                return Json{job.training.beta1, job.training.beta2};
            }};
}

template <typename T>
using Words = std::vector<std::pair<std::string, T>>;

void addModelAndData(std::vector<JobKey> &keys)
{
    keys.push_back(number("version", FIELD(version), {1, jobVersion}));
    keys.push_back(text("name", FIELD(name), "the file's name if absent"));
    keys.push_back(choice("engine", FIELD(engine),
                          Words<Engine>{{"rentune", Engine::Rentune},
                                        {"swift", Engine::Swift},
                                        {"llamafactory", Engine::LlamaFactory}}));
    keys.push_back(file("model.path", FIELD(model.path), "a Hugging Face model folder"));
    keys.push_back(text("model.id", FIELD(model.id), "ORG/NAME on a hub, instead of path"));
    keys.push_back(word("model.source", FIELD(model.source), {"huggingface", "modelscope", "local"}));
    keys.push_back(text("model.revision", FIELD(model.revision)));
    keys.push_back(fileList("data.train", FIELD(data.train)));
    keys.push_back(fileList("data.eval", FIELD(data.eval)));
    keys.push_back(word(
        "data.format", FIELD(data.format),
        {"auto", "alpaca", "sharegpt", "messages", "prompt_completion", "query_response", "text", "tokens"}));
    keys.push_back(choice("data.train_on", FIELD(data.trainOn),
                          Words<TrainOn>{{"assistant", TrainOn::Assistant}, {"all", TrainOn::All}}));
    keys.push_back(number("data.max_length", FIELD(data.maxLength), {1, 1e8}, "tokens"));
    keys.push_back(choice(
        "data.too_long", FIELD(data.tooLong),
        Words<TooLong>{{"truncate", TooLong::Truncate}, {"drop", TooLong::Drop}, {"error", TooLong::Error}}));
    keys.push_back(flag("data.packing", FIELD(data.packing)));
    keys.push_back(flag("data.shuffle", FIELD(data.shuffle)));
    keys.push_back(
        text("data.system", FIELD(data.systemPrompt), "put in front of conversations that have none"));
    keys.push_back(
        file("data.template", FIELD(data.chatTemplate), "a Jinja file instead of the model's template"));
    keys.push_back(
        choice("data.think", FIELD(data.keepThink), Words<bool>{{"keep", true}, {"strip", false}}));
    keys.push_back(choice("data.control_tokens", FIELD(data.specialControlTokens),
                          Words<bool>{{"text", false}, {"special", true}}));
    keys.push_back(number("data.workers", FIELD(data.workers), {0, 1024}));
}

void addMethod(std::vector<JobKey> &keys)
{
    keys.push_back(choice("method.type", FIELD(method.type),
                          Words<MethodType>{{"full", MethodType::Full},
                                            {"lora", MethodType::Lora},
                                            {"dora", MethodType::Dora},
                                            {"prefix", MethodType::Prefix},
                                            {"prompt", MethodType::Prompt},
                                            {"ptuning", MethodType::Ptuning},
                                            {"ia3", MethodType::Ia3},
                                            {"adapter", MethodType::Adapter},
                                            {"freeze", MethodType::Freeze}}));
    keys.push_back(number("method.rank", FIELD(method.rank), {1, 65536}));
    keys.push_back(number("method.alpha", FIELD(method.alpha), atLeastZero));
    keys.push_back(number("method.dropout", FIELD(method.dropout), below1));
    keys.push_back(targets());
    keys.push_back(word("method.bias", FIELD(method.bias), {"none", "all", "lora_only"}));
    keys.push_back(flag("method.rslora", FIELD(method.rslora)));
    keys.push_back(
        numberMap("method.rank_pattern", FIELD(method.rankPattern), {1, 65536}, "module name to rank"));
    keys.push_back(
        numberMap("method.alpha_pattern", FIELD(method.alphaPattern), atLeastZero, "module name to alpha"));
    keys.push_back(
        textList("method.modules_to_save", FIELD(method.modulesToSave), "modules trained in full"));
    keys.push_back(number("method.virtual_tokens", FIELD(method.virtualTokens), {1, 1e6}));
    keys.push_back(number("method.ptuning.hidden", FIELD(method.ptuningHidden), {1, 1e6}));
    keys.push_back(number("method.bottleneck.size", FIELD(method.bottleneckSize), {1, 1e6}));
    keys.push_back(
        word("method.bottleneck.placement", FIELD(method.bottleneckPlacement), {"houlsby", "pfeiffer"}));
    keys.push_back(number("method.freeze.last_layers", FIELD(method.freezeLastLayers), {0, 1e6}));
    keys.push_back(text("method.freeze.pattern", FIELD(method.freezePattern)));
    keys.push_back(file("method.init_from", FIELD(method.initFrom), "an adapter folder to go on from"));
    keys.push_back(choice("method.quantization.type", FIELD(method.quantization.type),
                          Words<QuantizationType>{{"none", QuantizationType::None},
                                                  {"nf4", QuantizationType::Nf4},
                                                  {"fp4", QuantizationType::Fp4},
                                                  {"int8", QuantizationType::Int8}}));
    keys.push_back(flag("method.quantization.double", FIELD(method.quantization.doubleQuant)));
    keys.push_back(number("method.quantization.block", FIELD(method.quantization.block), {1, 65536}));
    keys.push_back(word("method.quantization.compute", FIELD(method.quantization.compute),
                        {"auto", "bf16", "fp16", "fp32"}, "auto is training.precision"));
}

void addTraining(std::vector<JobKey> &keys)
{
    keys.push_back(number("training.max_steps", FIELD(training.maxSteps), count, "above 0 overrides epochs"));
    keys.push_back(number("training.epochs", FIELD(training.epochs), {0, 1e6}));
    keys.push_back(
        number("training.micro_batch", FIELD(training.microBatch), {1, 1e6}, "rows a rank takes at once"));
    keys.push_back(number("training.grad_accumulation", FIELD(training.gradAccumulation), {1, 1e6}));
    keys.push_back(number("training.learning_rate", FIELD(training.learningRate), {0, 1000}));
    keys.push_back(choice("training.scheduler", FIELD(training.scheduler),
                          Words<Scheduler>{{"cosine", Scheduler::Cosine},
                                           {"linear", Scheduler::Linear},
                                           {"constant", Scheduler::Constant}}));
    keys.push_back(number("training.warmup_steps", FIELD(training.warmupSteps), count));
    keys.push_back(number("training.warmup_ratio", FIELD(training.warmupRatio), {0, 1}));
    keys.push_back(number("training.weight_decay", FIELD(training.weightDecay), atLeastZero));
    keys.push_back(betas());
    keys.push_back(number("training.eps", FIELD(training.eps), atLeastZero));
    keys.push_back(number("training.max_grad_norm", FIELD(training.maxGradNorm), atLeastZero, "0 is off"));
    keys.push_back(word("training.optimizer", FIELD(training.optimizer),
                        {"adamw", "adamw8bit", "paged_adamw8bit", "sgd", "adafactor"}));
    keys.push_back(
        number("training.lora_plus_ratio", FIELD(training.loraPlusRatio), atLeastZero, "0 is off"));
    keys.push_back(choice(
        "training.precision", FIELD(training.precision),
        Words<Precision>{{"fp32", Precision::Fp32}, {"bf16", Precision::Bf16}, {"fp16", Precision::Fp16}}));
    keys.push_back(flag("training.master_weights", FIELD(training.masterWeights)));
    keys.push_back(choice(
        "training.loss_average", FIELD(training.lossAverage),
        Words<LossAverage>{{"micro_batch", LossAverage::MicroBatch}, {"tokens", LossAverage::Tokens}}));
    keys.push_back(flag("training.gradient_checkpointing", FIELD(training.gradientCheckpointing)));
    keys.push_back(number("training.seed", FIELD(training.seed), {0, 9007199254740992.0}));
    keys.push_back(number("training.threads", FIELD(training.threads), {0, 4096}, "0 is all cores"));
    keys.push_back(
        number("training.eval_steps", FIELD(training.evalSteps), count, "0: before and after only"));
    keys.push_back(number("training.log_steps", FIELD(training.logSteps), positiveCount));
    keys.push_back(number("training.early_stopping.patience", FIELD(training.earlyStopping.patience),
                          {0, 1e6}, "evaluations without gain, 0 is off"));
    keys.push_back(number("training.early_stopping.delta", FIELD(training.earlyStopping.delta), atLeastZero));
    keys.push_back(textList("training.sample_prompts", FIELD(training.samplePrompts)));
}

void addResources(std::vector<JobKey> &keys)
{
    keys.push_back(choice("parallel.strategy", FIELD(parallel.strategy),
                          Words<Strategy>{{"none", Strategy::None},
                                          {"ddp", Strategy::Ddp},
                                          {"zero1", Strategy::Zero1},
                                          {"zero2", Strategy::Zero2},
                                          {"zero3", Strategy::Zero3},
                                          {"fsdp", Strategy::Fsdp}}));
    keys.push_back(choice(
        "parallel.offload", FIELD(parallel.offload),
        Words<Offload>{{"none", Offload::None}, {"optimizer", Offload::Optimizer}, {"all", Offload::All}}));
    keys.push_back(number("parallel.nodes", FIELD(parallel.nodes), {1, 1e5}));
    keys.push_back(number("parallel.gpus_per_node", FIELD(parallel.gpusPerNode), {1, 1024}));
    keys.push_back(number("parallel.timeout_seconds", FIELD(parallel.timeoutSeconds), {1, 1e9}));
    keys.push_back(number("checkpoint.every_steps", FIELD(checkpoint.everySteps), count,
                          "both 0: the interval is computed"));
    keys.push_back(number("checkpoint.every_minutes", FIELD(checkpoint.everyMinutes), {0, 1e6}));
    keys.push_back(number("checkpoint.keep", FIELD(checkpoint.keep), {1, 1e6}));
    keys.push_back(text("checkpoint.upload", FIELD(checkpoint.upload), "s3://bucket/prefix"));
    keys.push_back(text("hardware.gpu", FIELD(hardware.gpu), "an id of the GPU catalogue"));
    keys.push_back(choice("hardware.device", FIELD(hardware.device),
                          Words<DeviceChoice>{{"auto", DeviceChoice::Auto},
                                              {"cpu", DeviceChoice::Cpu},
                                              {"cuda", DeviceChoice::Cuda}}));
    keys.push_back(word("hardware.price.class", FIELD(hardware.price.priceClass),
                        {"on_demand", "spot", "reserved", "owned"}));
    keys.push_back(
        text("hardware.price.currency", FIELD(hardware.price.currency), "ISO 4217 code, such as CNY"));
    keys.push_back(
        number("hardware.price.per_hour", FIELD(hardware.price.perHour), atLeastZero, "of one GPU"));
    keys.push_back(number("budget.max_cost", FIELD(budget.maxCost), atLeastZero, "0 is no cap"));
    keys.push_back(number("budget.max_hours", FIELD(budget.maxHours), atLeastZero, "0 is no cap"));
    keys.push_back(word("budget.on_finish", FIELD(budget.onFinish), {"nothing", "stop-node"}));
}

std::vector<JobKey> makeKeys()
{
    std::vector<JobKey> keys;
    addModelAndData(keys);
    addMethod(keys);
    addTraining(keys);
    addResources(keys);
    return keys;
}

} // namespace

const std::vector<JobKey> &jobKeys()
{
    static const std::vector<JobKey> keys = makeKeys();
    return keys;
}

const JobKey *findJobKey(const std::string &path)
{
    for (const JobKey &key : jobKeys())
        if (key.path == path)
            return &key;
    return nullptr;
}

bool isJobSection(const std::string &path)
{
    return std::any_of(jobKeys().begin(), jobKeys().end(),
                       [&](const JobKey &key) { return key.path.starts_with(path + "."); });
}

} // namespace rentune::wire
