// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/hf/model_config.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rentune::catalog {

/// A GPU of resources/catalog/gpus.csv. Rates are the vendor's dense ones, in FLOP/s; absent means the card
/// has no such unit or none is published. Tensor rates are those with fp32 accumulation.
struct Gpu
{
    std::string id; ///< "a100-sxm4-80"
    std::string name;
    std::string vendor;
    std::string arch;              ///< "Ampere"
    std::string computeCapability; ///< "8.0", "gfx942" or ""
    Bytes memory = 0;              ///< what the driver reports where known, else the nominal size
    bool memoryReported = false;
    std::optional<double> bandwidth; ///< bytes/s
    std::optional<double> fp32;
    std::optional<double> tf32;
    std::optional<double> fp16;
    std::optional<double> bf16;
    std::optional<double> fp8;
    std::optional<double> nvlink; ///< bytes/s, both directions together
    int pcieGeneration = 0;
    int pcieLanes = 0;
    std::optional<double> watts;
    std::string source;

    /// NVIDIA cards from compute capability 8.0 on; others if they have a rate.
    bool supportsBf16() const;
};

/// A model of resources/catalog/models.csv.
struct Model
{
    std::string id;           ///< "Qwen/Qwen2.5-7B" on Hugging Face
    std::string modelscopeId; ///< "" if it has none
    std::string family;
    std::string architecture; ///< "Qwen2ForCausalLM"
    int64_t parameters = 0;
    int64_t activeParameters = 0; ///< a token's share in a mixture of experts
    int64_t hidden = 0;
    int64_t layers = 0;
    int64_t heads = 0;
    int64_t kvHeads = 0;
    int64_t headDim = 0;
    int64_t intermediate = 0;
    int64_t vocab = 0;
    bool tied = false;
    int64_t maxPositions = 0;
    std::optional<double> ropeTheta;
    std::optional<int64_t> experts;
    std::string licence;
    std::string source;
};

/// The rented price classes; an owned machine has no price list.
enum class PriceClass
{
    OnDemand,
    Spot,
    Reserved
};
inline constexpr PriceClass priceClasses[] = {PriceClass::OnDemand, PriceClass::Spot, PriceClass::Reserved};
std::string_view priceClassName(PriceClass cls); ///< "on_demand", "spot", "reserved"

/// One offer of one class: an instance type of a provider in a region on a day.
struct Price
{
    std::string provider;
    std::string region;
    std::string instanceType;
    std::string gpu; ///< id of Gpu
    int gpus = 0;    ///< in one instance
    PriceClass priceClass = PriceClass::OnDemand;
    std::string currency; ///< "CNY", "USD"
    double perHour = 0;   ///< one instance; always > 0
    std::string asOf;     ///< "2026-10-10", "2026-10" or "2026"
    std::string source;
};

/// The tables, validated. Immutable.
struct Catalog
{
    std::vector<Gpu> gpus;
    std::vector<Model> models;
    std::vector<Price> prices; ///< of equal (provider, region, instance type, class) the newest only

    const Gpu *findGpu(std::string_view id) const;     ///< nullptr if unknown
    const Model *findModel(std::string_view id) const; ///< by Hugging Face or ModelScope id
    std::vector<Price> pricesOf(std::string_view gpu) const;
};

/// Reads gpus.csv, models.csv and prices.csv of `folder`. Errors: file.*, catalog.format with file and line
/// (unknown or missing column, empty or wrong cell, an id twice, a price of an unknown GPU, a price of 0).
Result<Catalog> loadCatalog(const std::filesystem::path &folder);

/// The config.json the catalogue's figures stand for, read by the rules of hf::parseModelConfig.
/// Errors: model.unsupported for families this version does not train.
Result<hf::ModelConfig> modelConfig(const Model &model);

/// The earliest day a date with day, month or year precision can mean; nullopt if it is none.
std::optional<std::chrono::sys_days> earliestDay(std::string_view date);

/// Spot prices and those of providers without a fixed list move within weeks (RunPod's H100 rose by 21 % in
/// 52 days, resources/catalog/README.md): stale after 14 days; list prices of hyperscalers after 60.
bool isStale(const Price &price, std::chrono::sys_days today);

} // namespace rentune::catalog
