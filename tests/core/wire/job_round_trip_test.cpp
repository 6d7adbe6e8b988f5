// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/job_file.h"
#include "core/wire/job_keys.h"
#include "core/wire/scalar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace rentune::wire {
namespace {

using testing::HasSubstr;

JobSpec parsed(const std::string &text)
{
    auto job = parseJob(text, "/jobs/job.yaml");
    if (!job)
        throw std::runtime_error(job.error().toString() + "\n" + text);
    return *job;
}

void expectEqual(const JobSpec &a, const JobSpec &b)
{
    for (const JobKey &key : jobKeys())
        EXPECT_EQ(key.value(a), key.value(b)) << key.path;
    EXPECT_EQ(a.statedKeys, b.statedKeys);
    EXPECT_EQ(a.extensions, b.extensions);
}

/// A value that the key's schema allows.
YamlNode randomValue(const Json &schema, std::mt19937_64 &random)
{
    const auto scalar = [](std::string text) {
        return YamlNode{.kind = YamlNode::Kind::Scalar, .text = std::move(text), .quoted = true};
    };
    static const std::string texts[] = {"0",
                                        "no",
                                        "run 🚀 β",
                                        "line one\nline two\n",
                                        " a: b # c",
                                        "\x7f\x1b[0m\t\\n\"'",
                                        "s3://b/p",
                                        "null",
                                        "- x",
                                        "天下",
                                        "\xEF\xBB\xBFx",
                                        "\xC2\x85\xE2\x80\xA8",
                                        "*a"};
    const std::string text = texts[random() % std::size(texts)];
    if (schema.contains("enum"))
        return scalar(schema["enum"][random() % schema["enum"].size()]);
    if (schema.contains("anyOf"))
        return scalar(text);
    const std::string type = schema["type"];
    if (type == "boolean")
        return scalar(random() % 2 ? "true" : "false");
    if (type == "integer")
        return scalar(std::to_string(schema.value("minimum", 0.0) == 1 ? 1 : random() % 1000));
    if (type == "number")
        return scalar(spellDouble(
            std::ldexp(static_cast<double>(random() >> 11), -53 - static_cast<int>(random() % 40))));
    if (type == "string")
        return scalar(text);
    YamlNode node{.kind = type == "object" ? YamlNode::Kind::Map : YamlNode::Kind::Sequence};
    for (int i = 0; i < schema.value("minItems", static_cast<int>(random() % 3)); ++i) {
        if (type == "array")
            node.items.push_back(randomValue(schema["items"], random));
        else
            node.entries.emplace_back(text + std::to_string(i), scalar("1"));
    }
    return node;
}

} // namespace

TEST(JobRoundTrip, KeepsEveryValueOfAFile)
{
    const JobSpec job =
        parsed("name: \"run 🚀 β\"\nmodel: {path: m}\ndata:\n  packing: false\n  eval: []\n  system: |\n"
               "    line one\n    line two\n");
    EXPECT_EQ(job.data.systemPrompt, "line one\nline two\n");
    expectEqual(job, parsed(writeJob(job)));
    const JobSpec other =
        parsed("name: \"0\"\nmodel: {path: m}\ntraining:\n  seed: 0\n  learning_rate: 1.0e-7\n"
               "  \"x-deep.er\": [1, 2.50, \"0\", null, {a: b}]\nmethod: {targets: [v_proj, q_proj]}\n"
               "hardware: {price: {currency: CNY, per_hour: 12.50}}\nx-note: keep me\n");
    expectEqual(other, parsed(writeJob(other)));
    EXPECT_EQ(other.extensions.at("x-note"), "\"keep me\"");
    EXPECT_THAT(writeJob(other), HasSubstr("learning_rate: 1.0e-7\n"));
    EXPECT_THAT(writeJob(other), HasSubstr("targets: [v_proj, q_proj]\n"));
    EXPECT_THAT(writeJob(other), HasSubstr("  \"x-deep.er\": [1, 2.5, \"0\", null, {\"a\": b}]"));
}

TEST(JobRoundTrip, HoldsForRandomJobs)
{
    std::mt19937_64 random(1);
    for (int round = 0; round < 300; ++round) {
        JobSpec job;
        for (const JobKey &key : jobKeys()) {
            if (random() % 2 == 0 || key.path == "version")
                continue;
            ASSERT_TRUE(key.read(job, randomValue(key.schema, random), {"f", "/jobs"})) << key.path;
        }
        job.name = "n";
        job.model.path = "/m";
        job.model.id.clear();
        job.training.maxSteps = 1;
        job.hardware.price = {};
        stateChangedKeys(job);
        expectEqual(job, parsed(writeJob(job)));
        if (testing::Test::HasFailure())
            FAIL() << writeJob(job);
    }
}

TEST(JobRoundTrip, SpellsDoublesForEveryYamlReader)
{
    EXPECT_EQ(spellDouble(1e-4), "1.0e-4");
    EXPECT_EQ(spellDouble(1e-7), "1.0e-7");
    EXPECT_EQ(spellDouble(1.5e-10), "1.5e-10");
    EXPECT_EQ(spellDouble(1e100), "1.0e+100");
    EXPECT_EQ(spellDouble(32), "32");
}

TEST(JobSchema, DescribesEveryKeyWithItsDefault)
{
    const Json schema = jobSchema();
    const Json &rate = schema["properties"]["training"]["properties"]["learning_rate"];
    EXPECT_EQ(rate["type"], "number");
    EXPECT_EQ(rate["default"], 1e-4);
    EXPECT_EQ(schema["properties"]["method"]["properties"]["quantization"]["properties"]["type"]["enum"],
              (Json{"none", "nf4", "fp4", "int8"}));
    EXPECT_EQ(schema["properties"]["training"]["additionalProperties"], false);
    EXPECT_EQ(schema["required"], Json{"model"});
    EXPECT_FALSE(schema["properties"]["model"]["properties"]["path"].contains("default"));
}

} // namespace rentune::wire
