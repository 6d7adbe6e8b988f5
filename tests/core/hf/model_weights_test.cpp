// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hf/model_weights.h"
#include "tests/support/env.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rentune::hf {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

fs::path caseFolder(const std::string &name)
{
    return test::dataFolder() / "cases" / name;
}

std::string allDetails(const WeightReport &report)
{
    std::string text;
    for (const WeightProblem &problem : report.problems)
        text += problem.detail + "\n";
    return text;
}

/// A one-layer model whose folder a test fills.
class ModelFolder
{
public:
    explicit ModelFolder(bool tied)
    {
        const Json json = {{"model_type", "llama"},      {"hidden_size", 4},         {"intermediate_size", 8},
                           {"num_hidden_layers", 1},     {"num_attention_heads", 1}, {"vocab_size", 8},
                           {"tie_word_embeddings", tied}};
        config = *parseModelConfig(json, "config.json");
        for (const TensorSpec &spec : tensorList(config))
            add(spec.name, spec.shape);
    }

    void add(const std::string &name, const std::vector<int64_t> &shape, Dtype dtype = Dtype::F32)
    {
        tensors.push_back({name, dtype, shape, {}});
    }
    void remove(const std::string &name)
    {
        std::erase_if(tensors, [&](const TensorView &tensor) { return tensor.name == name; });
    }
    void write(const std::string &file = "model.safetensors")
    {
        for (TensorView &tensor : tensors) {
            int64_t size = dtypeSize(tensor.dtype);
            for (const int64_t dimension : tensor.shape)
                size *= dimension;
            tensor.bytes = std::span(m_zeros).first(static_cast<size_t>(size));
        }
        ASSERT_TRUE(writeSafetensors(systemFileOps(), path() / file, tensors).ok());
    }
    const fs::path &path() const { return m_folder.path(); }
    Result<ModelWeights> open() const { return ModelWeights::open(path(), config); }

    ModelConfig config;
    std::vector<TensorView> tensors;

private:
    test::TemporaryFolder m_folder;
    std::vector<std::byte> m_zeros = std::vector<std::byte>(4096);
};

TEST(ModelWeights, OpensASingleFile)
{
    ModelFolder model(false);
    model.write();
    const auto weights = model.open();
    ASSERT_TRUE(weights.ok()) << weights.error().toString();
    const auto tensor = weights->tensor("model.layers.0.mlp.down_proj.weight");
    EXPECT_EQ(tensor.entry->shape, (std::vector<int64_t>{4, 8}));
    EXPECT_EQ(tensor.bytes.size(), 128u);
    const WeightReport report = inspectWeights(model.path(), &model.config);
    EXPECT_TRUE(report.problems.empty()) << allDetails(report);
    EXPECT_EQ(report.parameters, parameterCount(model.config));
    EXPECT_EQ(report.bytes, 4 * parameterCount(model.config));
}

TEST(ModelWeights, ToleratesTiedCopiesAndOldBuffers)
{
    ModelFolder model(true);
    model.add("model.layers.0.self_attn.rotary_emb.inv_freq", {2});
    model.write();
    EXPECT_TRUE(model.open().ok());
    model.add("lm_head.weight", {8, 4});
    model.write();
    EXPECT_TRUE(model.open().ok());
    model.remove("lm_head.weight");
    model.add("lm_head.weight", {8, 4}, Dtype::BF16);
    model.write();
    EXPECT_THAT(model.open().error().detail, HasSubstr("differs from model.embed_tokens.weight"));
}

TEST(ModelWeights, NamesMissingTensorsAndWrongShapes)
{
    ModelFolder model(false);
    model.remove("model.norm.weight");
    model.remove("model.layers.0.self_attn.q_proj.weight");
    model.add("model.layers.0.self_attn.q_proj.weight", {4, 5});
    model.remove("model.layers.0.mlp.up_proj.weight");
    model.add("model.layers.0.mlp.up_proj.weight", {8, 4}, Dtype::F8E4M3);
    model.write();
    const auto weights = model.open();
    ASSERT_FALSE(weights.ok());
    EXPECT_EQ(weights.error().code, ErrorCode::ModelWeightsMismatch);
    EXPECT_THAT(weights.error().detail,
                AllOf(HasSubstr("q_proj.weight has shape [4, 5], config.json asks for [4, 4]"),
                      HasSubstr("up_proj.weight has dtype F8_E4M3"),
                      HasSubstr("missing tensors: model.norm.weight")));
}

TEST(ModelWeights, AFolderWithoutWeightsIsAnError)
{
    const ModelFolder model(false);
    EXPECT_EQ(model.open().error().code, ErrorCode::ModelWeightsMissing);
    std::ofstream(model.path() / "pytorch_model.bin");
    EXPECT_THAT(model.open().error().detail, HasSubstr("pickled weights"));
}

TEST(ModelWeights, MissingShardNamesItsTensors)
{
    const WeightReport report = inspectWeights(caseFolder("idx_missing_shard"));
    ASSERT_EQ(report.problems.size(), 1u) << allDetails(report);
    EXPECT_EQ(report.problems[0].code, ErrorCode::ModelWeightsMissing);
    EXPECT_THAT(report.problems[0].detail,
                AllOf(HasSubstr("model-00003-of-00003.safetensors"), HasSubstr("model.norm.weight")));
    const ModelFolder model(false);
    const auto weights = ModelWeights::open(caseFolder("idx_missing_shard"), model.config);
    EXPECT_EQ(weights.error().code, ErrorCode::ModelWeightsMissing);
}

TEST(ModelWeights, WrongMapIsReportedWhole)
{
    const WeightReport report = inspectWeights(caseFolder("idx_wrong_map") / "model.safetensors.index.json");
    EXPECT_EQ(report.problems.size(), 4u);
    EXPECT_THAT(
        allDetails(report),
        AllOf(HasSubstr("model.norm.weight in model-00002-of-00003.safetensors, but it is in "
                        "model-00003-of-00003.safetensors"),
              HasSubstr("model.layers.1.mlp.up_proj.weight in model-00002-of-00003.safetensors, but no file"),
              HasSubstr("total_size is 999, the tensors have 208 bytes"),
              HasSubstr("model-00003-of-00003.safetensors is unreferenced")));
    const ModelFolder model(false);
    const Error error = ModelWeights::open(caseFolder("idx_wrong_map"), model.config).error();
    EXPECT_EQ(error.code, ErrorCode::SafetensorsIndex);
    EXPECT_THAT(error.detail, AllOf(HasSubstr("it is in"), HasSubstr("no file"), HasSubstr("999")));
}

TEST(ModelWeights, ShardNamesMustBePlain)
{
    const WeightReport report = inspectWeights(caseFolder("idx_path_escape"));
    ASSERT_EQ(report.problems.size(), 4u);
    for (const WeightProblem &problem : report.problems) {
        EXPECT_EQ(problem.code, ErrorCode::SafetensorsIndex);
        EXPECT_THAT(problem.detail, HasSubstr("is not a plain file name"));
    }
    EXPECT_THAT(allDetails(report),
                AllOf(HasSubstr("../outside/secret.safetensors"), HasSubstr("/etc/hostname"),
                      HasSubstr("sub/dir/x.safetensors"), HasSubstr("..\\win.safetensors")));
}

TEST(ModelWeights, AnUntiedModelWithoutHeadIsAContradiction)
{
    const fs::path folder = caseFolder("idx_tied_no_head");
    const auto config = readModelConfig(folder);
    ASSERT_TRUE(config.ok()) << config.error().toString();
    const auto weights = ModelWeights::open(folder, *config);
    ASSERT_FALSE(weights.ok());
    EXPECT_EQ(weights.error().code, ErrorCode::ModelWeightsMissing);
    EXPECT_THAT(weights.error().detail,
                AllOf(HasSubstr("tie_word_embeddings is false, but no file has lm_head.weight"),
                      HasSubstr("set tie_word_embeddings to true"),
                      HasSubstr("model.layers.0.self_attn.k_proj.weight"),
                      HasSubstr("model.layers.0.mlp.up_proj.weight")));
}

TEST(ModelWeights, OpensShards)
{
    ModelFolder model(false);
    const std::vector<TensorView> all = model.tensors;
    Json map = Json::object();
    const std::string names[] = {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"};
    for (size_t shard = 0; shard < 2; ++shard) {
        model.tensors.clear();
        for (size_t i = shard; i < all.size(); i += 2) {
            model.tensors.push_back(all[i]);
            map[all[i].name] = names[shard];
        }
        model.write(names[shard]);
    }
    const Json index = {{"metadata", {{"total_size", 4 * parameterCount(model.config)}}},
                        {"weight_map", map}};
    std::ofstream(model.path() / "model.safetensors.index.json") << index;
    const WeightReport report = inspectWeights(model.path(), &model.config);
    EXPECT_TRUE(report.problems.empty()) << allDetails(report);
    const auto weights = model.open();
    ASSERT_TRUE(weights.ok()) << weights.error().toString();
    for (const TensorSpec &spec : tensorList(model.config))
        EXPECT_EQ(weights->tensor(spec.name).entry->shape, spec.shape);

    std::ofstream(model.path() / names[1]) << "version https://git-lfs.github.com/spec/v1\nsize 5\n";
    EXPECT_EQ(model.open().error().code, ErrorCode::SafetensorsIncomplete);
    std::ofstream(model.path() / "model.safetensors.index.json") << "{\"weight_map\": 3}";
    EXPECT_EQ(model.open().error().code, ErrorCode::SafetensorsIndex);
}

} // namespace
} // namespace rentune::hf
