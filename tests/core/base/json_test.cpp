// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"

#include <gtest/gtest.h>

namespace rentune {

TEST(Json, ReadsOneValueAndSkipsAByteOrderMark)
{
    const auto value = parseJson("\xEF\xBB\xBF{\"a\": [1, 2.5, null]}", "f");
    ASSERT_TRUE(value.ok()) << value.error().detail;
    EXPECT_EQ(value->at("a").size(), 3u);
}

TEST(Json, NamesTheLineAndTheCause)
{
    const Error error = parseJson("[\n {\"a\": 1},\n]", "rows.json").error();
    EXPECT_EQ(error.code, ErrorCode::JsonSyntax);
    EXPECT_EQ(error.line, 3);
    EXPECT_NE(error.detail.find("trailing comma"), std::string::npos) << error.detail;
}

TEST(Json, RefusesWhatIsNotStrictJson)
{
    EXPECT_FALSE(parseJson("", "f").ok());
    EXPECT_FALSE(parseJson("NaN", "f").ok());
    EXPECT_FALSE(parseJson("[Infinity]", "f").ok());
    EXPECT_FALSE(parseJson("{} {}", "f").ok());
    EXPECT_FALSE(parseJson("\"\xFF\"", "f").ok());
    EXPECT_NE(parseJson("{\"a\":1,\"a\":2}", "f").error().detail.find("\"a\""), std::string::npos);
}

TEST(Json, DepthIsBounded)
{
    EXPECT_TRUE(parseJson(std::string(256, '[') + std::string(256, ']'), "f").ok());
    EXPECT_FALSE(parseJson(std::string(257, '[') + std::string(257, ']'), "f").ok());
    EXPECT_FALSE(parseJson(std::string(10'000'000, '['), "f").ok());
}

} // namespace rentune
