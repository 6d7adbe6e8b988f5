// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/catalog.h"

#include "core/base/file_ops.h"
#include "core/catalog/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace rentune::catalog {
namespace fs = std::filesystem;
namespace {

constexpr double giga = 1e9;
constexpr double tera = 1e12;

std::optional<double> scaled(std::optional<double> value, double unit)
{
    if (value)
        *value *= unit;
    return value;
}

Gpu readGpu(CsvCells &cells)
{
    Gpu gpu;
    gpu.id = cells.required("id");
    gpu.name = cells.required("name");
    gpu.vendor = cells.required("vendor");
    gpu.arch = cells.required("arch");
    gpu.computeCapability = cells.text("compute_capability");
    const double nominal = cells.requiredNumber("vram_gib");
    const auto reported = cells.integer("memory_total_mib");
    if (nominal < 1 || nominal > 1e6 || reported.value_or(1) < 1)
        cells.fail("vram_gib", "no memory size of a GPU");
    else
        gpu.memory = reported ? *reported * MiB : static_cast<Bytes>(nominal * static_cast<double>(GiB));
    gpu.memoryReported = reported.has_value();
    gpu.bandwidth = scaled(cells.number("mem_bw_gbs"), giga);
    gpu.fp32 = scaled(cells.number("fp32_tflops"), tera);
    gpu.tf32 = scaled(cells.number("tf32_dense_tflops"), tera);
    gpu.fp16 = scaled(cells.number("fp16_dense_tflops"), tera);
    gpu.bf16 = scaled(cells.number("bf16_dense_tflops"), tera);
    gpu.fp8 = scaled(cells.number("fp8_dense_tflops"), tera);
    cells.number("int8_dense_tops");
    gpu.nvlink = scaled(cells.number("nvlink_gbs_bidir"), giga);
    gpu.pcieGeneration = static_cast<int>(cells.requiredInteger("pcie_gen"));
    gpu.pcieLanes = static_cast<int>(cells.requiredInteger("pcie_lanes"));
    gpu.watts = cells.number("tdp_w");
    gpu.source = cells.required("source");
    return gpu;
}

int64_t positive(CsvCells &cells, std::string_view column)
{
    const int64_t value = cells.requiredInteger(column);
    if (value < 1 || value > int64_t{1} << 50)
        cells.fail(column, "must be at least 1");
    return value;
}

Model readModel(CsvCells &cells)
{
    Model model;
    model.id = cells.required("id");
    model.modelscopeId = cells.text("modelscope_id");
    model.family = cells.required("family");
    model.architecture = cells.required("architectures");
    model.parameters = positive(cells, "params_total");
    model.activeParameters = positive(cells, "params_active");
    model.hidden = positive(cells, "hidden");
    model.layers = positive(cells, "layers");
    model.heads = positive(cells, "heads");
    model.kvHeads = positive(cells, "kv_heads");
    model.headDim = positive(cells, "head_dim");
    model.intermediate = positive(cells, "intermediate");
    model.vocab = positive(cells, "vocab");
    model.tied = cells.flag("tie_embeddings", "true", "false").value_or(false);
    model.maxPositions = positive(cells, "max_pos");
    model.ropeTheta = cells.number("rope_theta");
    model.experts = cells.integer("moe_experts");
    model.licence = cells.text("licence");
    model.source = cells.required("source");
    return model;
}

constexpr std::array<std::string_view, 3> priceColumns = {"on_demand_per_hour", "spot_per_hour",
                                                          "reserved_1y_per_hour"};

/// One row of the table holds up to one price a class.
std::vector<Price> readPrices(CsvCells &cells)
{
    Price offer;
    offer.provider = cells.required("provider");
    offer.region = cells.required("region");
    offer.instanceType = cells.required("instance_type");
    offer.gpu = cells.required("gpu");
    offer.gpus = static_cast<int>(std::min<int64_t>(positive(cells, "gpus"), 1 << 20));
    offer.currency = cells.required("currency");
    offer.asOf = cells.required("as_of_date");
    offer.source = cells.required("source");
    if (!earliestDay(offer.asOf))
        cells.fail("as_of_date", fmt::format("\"{}\" is no date like 2026-10-10", offer.asOf));
    std::vector<Price> prices;
    for (const PriceClass cls : priceClasses) {
        const std::string_view column = priceColumns[static_cast<size_t>(cls)];
        const auto perHour = cells.number(column);
        if (!perHour)
            continue;
        if (*perHour <= 0)
            cells.fail(column, "a price of 0; leave the cell empty where there is no price");
        offer.priceClass = cls;
        offer.perHour = *perHour;
        prices.push_back(offer);
    }
    return prices;
}

const std::vector<std::string> gpuColumns = {"id",
                                             "name",
                                             "vendor",
                                             "arch",
                                             "compute_capability",
                                             "vram_gib",
                                             "memory_total_mib",
                                             "mem_bw_gbs",
                                             "fp32_tflops",
                                             "tf32_dense_tflops",
                                             "fp16_dense_tflops",
                                             "bf16_dense_tflops",
                                             "fp8_dense_tflops",
                                             "int8_dense_tops",
                                             "nvlink_gbs_bidir",
                                             "pcie_gen",
                                             "pcie_lanes",
                                             "tdp_w",
                                             "released",
                                             "source"};
const std::vector<std::string> modelColumns = {
    "id",           "modelscope_id",  "family",           "architectures",
    "params_total", "params_active",  "hidden",           "layers",
    "heads",        "kv_heads",       "head_dim",         "intermediate",
    "vocab",        "tie_embeddings", "max_pos",          "rope_theta",
    "moe_experts",  "moe_topk",       "moe_intermediate", "licence",
    "source",       "params_known",   "params_check_pct", "notes"};
const std::vector<std::string> priceTableColumns = {"provider",
                                                    "region",
                                                    "instance_type",
                                                    "gpu",
                                                    "gpus",
                                                    "vcpus",
                                                    "ram_gib",
                                                    "network_gbps",
                                                    "rdma",
                                                    "currency",
                                                    "on_demand_per_hour",
                                                    "spot_per_hour",
                                                    "reserved_1y_per_hour",
                                                    "as_of_date",
                                                    "source"};

/// Reads a table row by row; `take` gets each row's cells and may object through them.
template <typename Take>
Result<void> readTable(const fs::path &file, const std::vector<std::string> &columns, Take take)
{
    RENTUNE_TRY(const std::string text, readFile(file, 64 * MiB));
    RENTUNE_TRY(const CsvTable table, parseCsv(text, file.string()));
    RENTUNE_CHECK(expectColumns(table, columns));
    for (const CsvTable::Row &row : table.rows) {
        CsvCells cells(table, row);
        take(cells);
        if (cells.error())
            return *cells.error();
    }
    return {};
}

/// Refuses an id that an earlier row used.
void refuseTwice(CsvCells &cells, std::set<std::string> &seen, const std::string &id)
{
    if (!seen.insert(id).second)
        cells.fail("id", fmt::format("\"{}\" stands twice", id));
}

auto offerKey(const Price &price)
{
    return std::tuple(price.provider, price.region, price.instanceType, price.gpu, price.priceClass);
}

/// Keeps of equal offers the newest; of equal days the later row.
std::vector<Price> newestOnly(std::vector<Price> prices)
{
    std::map<decltype(offerKey(prices.front())), Price> newest;
    for (Price &price : prices) {
        const auto [at, fresh] = newest.try_emplace(offerKey(price), price);
        if (!fresh && *earliestDay(price.asOf) >= *earliestDay(at->second.asOf))
            at->second = std::move(price);
    }
    std::vector<Price> kept;
    for (auto &[key, price] : newest)
        kept.push_back(std::move(price));
    return kept;
}

/// The part of a date up to the next dash.
std::optional<int> takeNumber(std::string_view &rest)
{
    const size_t dash = std::min(rest.find('-'), rest.size());
    int value = 0;
    const auto [end, ec] = std::from_chars(rest.data(), rest.data() + dash, value);
    if (ec != std::errc{} || end != rest.data() + dash)
        return std::nullopt;
    rest.remove_prefix(std::min(dash + 1, rest.size()));
    return value;
}

bool hasListPrices(std::string_view provider)
{
    constexpr std::array<std::string_view, 5> hyperscalers = {"aliyun", "aws", "azure", "gcp", "oci"};
    return std::find(hyperscalers.begin(), hyperscalers.end(), provider) != hyperscalers.end();
}

} // namespace

std::string_view priceClassName(PriceClass cls)
{
    constexpr std::array<std::string_view, 3> names = {"on_demand", "spot", "reserved"};
    return names[static_cast<size_t>(cls)];
}

bool Gpu::supportsBf16() const
{
    int major = 0;
    std::from_chars(computeCapability.data(), computeCapability.data() + computeCapability.size(), major);
    return bf16.has_value() || (vendor == "NVIDIA" && major >= 8);
}

const Gpu *Catalog::findGpu(std::string_view id) const
{
    const auto at = std::find_if(gpus.begin(), gpus.end(), [id](const Gpu &gpu) { return gpu.id == id; });
    return at == gpus.end() ? nullptr : &*at;
}

const Model *Catalog::findModel(std::string_view id) const
{
    const auto at = std::find_if(models.begin(), models.end(), [id](const Model &model) {
        return model.id == id || (!id.empty() && model.modelscopeId == id);
    });
    return at == models.end() ? nullptr : &*at;
}

std::vector<Price> Catalog::pricesOf(std::string_view gpu) const
{
    std::vector<Price> found;
    std::copy_if(prices.begin(), prices.end(), std::back_inserter(found),
                 [gpu](const Price &price) { return price.gpu == gpu; });
    return found;
}

Result<Catalog> loadCatalog(const fs::path &folder)
{
    Catalog catalog;
    std::set<std::string> gpuIds;
    RENTUNE_CHECK(readTable(folder / "gpus.csv", gpuColumns, [&](CsvCells &cells) {
        catalog.gpus.push_back(readGpu(cells));
        refuseTwice(cells, gpuIds, catalog.gpus.back().id);
    }));
    std::set<std::string> modelIds;
    RENTUNE_CHECK(readTable(folder / "models.csv", modelColumns, [&](CsvCells &cells) {
        catalog.models.push_back(readModel(cells));
        refuseTwice(cells, modelIds, catalog.models.back().id);
    }));
    RENTUNE_CHECK(readTable(folder / "prices.csv", priceTableColumns, [&](CsvCells &cells) {
        for (Price &price : readPrices(cells)) {
            if (!gpuIds.contains(price.gpu))
                cells.fail("gpu", fmt::format("\"{}\" is no id of gpus.csv", price.gpu));
            catalog.prices.push_back(std::move(price));
        }
    }));
    catalog.prices = newestOnly(std::move(catalog.prices));
    return catalog;
}

Result<hf::ModelConfig> modelConfig(const Model &model)
{
    if (model.experts)
        return Error{ErrorCode::ModelUnsupported,
                     fmt::format("{} is a mixture of experts, which this version does not train", model.id)};
    std::string type = model.architecture.substr(0, model.architecture.find("For"));
    std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::tolower(c); });
    Json json = {{"architectures", {model.architecture}},
                 {"model_type", type},
                 {"hidden_size", model.hidden},
                 {"intermediate_size", model.intermediate},
                 {"num_hidden_layers", model.layers},
                 {"num_attention_heads", model.heads},
                 {"num_key_value_heads", model.kvHeads},
                 {"head_dim", model.headDim},
                 {"vocab_size", model.vocab},
                 {"max_position_embeddings", model.maxPositions},
                 {"tie_word_embeddings", model.tied},
                 {"torch_dtype", "bfloat16"},
                 {"hidden_act", "silu"}};
    if (model.ropeTheta)
        json["rope_theta"] = *model.ropeTheta;
    return hf::parseModelConfig(json, model.id);
}

std::optional<std::chrono::sys_days> earliestDay(std::string_view date)
{
    if (date.size() != 4 && date.size() != 7 && date.size() != 10)
        return std::nullopt;
    const auto year = takeNumber(date);
    const auto month = date.empty() ? 1 : takeNumber(date);
    const auto day = date.empty() ? 1 : takeNumber(date);
    if (!year || !month || !day || !date.empty())
        return std::nullopt;
    const std::chrono::year_month_day value{std::chrono::year(*year),
                                            std::chrono::month(static_cast<unsigned>(*month)),
                                            std::chrono::day(static_cast<unsigned>(*day))};
    if (!value.ok())
        return std::nullopt;
    return std::chrono::sys_days(value);
}

bool isStale(const Price &price, std::chrono::sys_days today)
{
    const bool slow = price.priceClass != PriceClass::Spot && hasListPrices(price.provider);
    const auto asOf = earliestDay(price.asOf);
    return !asOf || today - *asOf > std::chrono::days(slow ? 60 : 14);
}

} // namespace rentune::catalog
