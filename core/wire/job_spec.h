// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rentune::wire {

inline constexpr int jobVersion = 1;

enum class Engine { Rentune, Swift, LlamaFactory };
enum class TrainOn { Assistant, All };
enum class TooLong { Truncate, Drop, Error };
enum class MethodType { Full, Lora, Dora, Prefix, Prompt, Ptuning, Ia3, Adapter, Freeze };
enum class QuantizationType { None, Nf4, Fp4, Int8 };
enum class Scheduler { Cosine, Linear, Constant };
enum class Precision { Fp32, Bf16, Fp16 };
enum class LossAverage { MicroBatch, Tokens };
enum class Strategy { None, Ddp, Zero1, Zero2, Zero3, Fsdp };
enum class Offload { None, Optimizer, All };
enum class DeviceChoice { Auto, Cpu, Cuda };

struct ModelSpec
{
    std::filesystem::path path;        ///< absolute after reading; empty if `id` is used
    std::string id;                    ///< "ORG/NAME" on a hub
    std::string source = "huggingface";
    std::string revision = "main";
};

struct DataSpec
{
    std::vector<std::filesystem::path> train;  ///< absolute after reading
    std::vector<std::filesystem::path> eval;
    std::string format = "auto";
    TrainOn trainOn = TrainOn::Assistant;
    int64_t maxLength = 512;                   ///< tokens
    TooLong tooLong = TooLong::Truncate;
    bool packing = false;
    bool shuffle = true;
    std::string systemPrompt;                  ///< key `system`
    std::filesystem::path chatTemplate;        ///< key `template`
    bool keepThink = true;                     ///< key `think: keep|strip`
    bool specialControlTokens = false;         ///< key `control_tokens: text|special`
    int workers = 1;
};

struct QuantizationSpec
{
    QuantizationType type = QuantizationType::None;
    bool doubleQuant = true;
    int64_t block = 64;
    std::string compute = "auto";
};

struct MethodSpec
{
    MethodType type = MethodType::Full;
    int64_t rank = 8;
    double alpha = 32;
    double dropout = 0;
    std::string targetPattern = "all-linear";  ///< a word or a regular expression; unused when `targets` is set
    std::vector<std::string> targets;          ///< list form of `targets`
    std::string bias = "none";
    bool rslora = false;
    std::map<std::string, int64_t> rankPattern;
    std::map<std::string, double> alphaPattern;
    std::vector<std::string> modulesToSave;
    int64_t virtualTokens = 20;
    int64_t ptuningHidden = 128;
    int64_t bottleneckSize = 64;
    std::string bottleneckPlacement = "houlsby";
    int64_t freezeLastLayers = 2;
    std::string freezePattern;
    std::filesystem::path initFrom;
    QuantizationSpec quantization;
};

struct EarlyStoppingSpec
{
    int patience = 0;
    double delta = 0;
};

struct TrainingSpec
{
    int64_t maxSteps = 0;
    double epochs = 1;
    int64_t microBatch = 4;
    int64_t gradAccumulation = 1;
    double learningRate = 1e-4;
    Scheduler scheduler = Scheduler::Cosine;
    int64_t warmupSteps = 0;
    double warmupRatio = 0;
    double weightDecay = 0;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double maxGradNorm = 1.0;
    std::string optimizer = "adamw";
    double loraPlusRatio = 0;
    Precision precision = Precision::Fp32;
    bool masterWeights = true;
    LossAverage lossAverage = LossAverage::MicroBatch;
    bool gradientCheckpointing = false;
    uint64_t seed = 42;
    int threads = 0;                           ///< 0: all cores
    int64_t evalSteps = 0;
    int64_t logSteps = 1;
    EarlyStoppingSpec earlyStopping;
    std::vector<std::string> samplePrompts;
};

struct ParallelSpec
{
    Strategy strategy = Strategy::None;
    Offload offload = Offload::None;
    int nodes = 1;
    int gpusPerNode = 1;
    int timeoutSeconds = 600;
};

struct CheckpointSpec
{
    int64_t everySteps = 0;
    double everyMinutes = 0;
    int keep = 3;
    std::string upload;
};

struct PriceSpec
{
    std::string priceClass = "on_demand";
    std::string currency;                      ///< "" = the job states no price
    double perHour = 0;                        ///< meaningless while `currency` is ""
};

struct HardwareSpec
{
    std::string gpu;                           ///< id of the GPU catalogue; "" = this computer's CPU
    DeviceChoice device = DeviceChoice::Auto;
    PriceSpec price;
};

struct BudgetSpec
{
    double maxCost = 0;                        ///< 0 = no cap
    double maxHours = 0;
    std::string onFinish = "nothing";
};

/// A job file's values with every default filled in: the one description of a fine-tune that plan, app and trainer
/// share. Field names follow the job file; where they differ the key is named.
struct JobSpec
{
    int version = jobVersion;
    std::string name;
    Engine engine = Engine::Rentune;
    ModelSpec model;
    DataSpec data;
    MethodSpec method;
    TrainingSpec training;
    ParallelSpec parallel;
    CheckpointSpec checkpoint;
    HardwareSpec hardware;
    BudgetSpec budget;
    std::vector<std::string> statedKeys;       ///< dotted keys the file itself set, sorted: "method.rank"
    std::map<std::string, std::string> extensions; ///< `x-…` keys, kept as JSON text
};

} // namespace rentune::wire
