// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/event.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rentune::wire {

TEST(Event, EncodesTheStampFirstAndFloatsToRoundTrip)
{
    const Event event{
        .seq = 7, .timeMicros = 12, .attempt = 1, .type = "step", .fields = {{"step", 3}, {"loss", 0.1}}};
    EXPECT_EQ(encodeEvent(event),
              R"({"v":1,"seq":7,"t_us":12,"attempt":1,"type":"step","step":3,"loss":0.1})");
    const auto back = decodeEvent(encodeEvent(event));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->seq, 7);
    EXPECT_EQ(back->timeMicros, 12);
    EXPECT_EQ(back->attempt, 1);
    EXPECT_EQ(back->type, "step");
    EXPECT_EQ(back->fields, event.fields);
}

TEST(Event, NamesTheKeysThatAreNotFinite)
{
    const double nan = std::nan("");
    const Event event{.type = "step",
                      .fields = {{"loss", nan}, {"deep", {{"x", -std::numeric_limits<double>::infinity()}}}}};
    const std::string line = encodeEvent(event);
    EXPECT_NE(line.find(R"("loss":null,"deep":{"x":null},"nonfinite":["loss","deep.x"])"), std::string::npos)
        << line;
    const auto back = decodeEvent(line);
    ASSERT_TRUE(back);
    EXPECT_EQ(encodeEvent(*back), line);
}

TEST(Event, KeepsBrokenTextOnOneLine)
{
    const std::string line = encodeEvent({.type = "log", .fields = {{"text", "a\nb\xff"}}});
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_TRUE(decodeEvent(line));
}

TEST(Event, RefusesWhatIsNoEvent)
{
    for (const char *bad :
         {"", "{", "[]", "{}", R"({"v":1})", R"({"v":1,"seq":-1,"t_us":0,"attempt":0,"type":"a"})",
          R"({"v":1,"seq":1.5,"t_us":0,"attempt":0,"type":"a"})",
          R"({"v":1,"seq":1,"t_us":0,"attempt":0,"type":3})"}) {
        const auto event = decodeEvent(bad);
        ASSERT_FALSE(event) << bad;
        EXPECT_EQ(event.error().code, ErrorCode::WireFormat) << bad;
    }
    const auto newer = decodeEvent(R"({"v":2,"seq":0,"t_us":0,"attempt":0,"type":"hello"})");
    ASSERT_FALSE(newer);
    EXPECT_EQ(newer.error().code, ErrorCode::WireVersion);
}

TEST(EventSchema, ListsTheContractsTypes)
{
    const Json schema = eventSchema();
    EXPECT_EQ(schema["required"], (Json{"v", "seq", "t_us", "attempt", "type"}));
    EXPECT_GE(schema["allOf"].size(), 9u);
}

} // namespace rentune::wire
