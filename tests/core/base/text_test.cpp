// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <gtest/gtest.h>

namespace rentune {

TEST(Utf8, EveryCodePointIsWellFormedAndNothingElseIs)
{
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
        std::string s;
        appendUtf8(s, c);
        const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
        ASSERT_EQ(firstInvalidUtf8(s) == std::string::npos, !surrogate) << std::hex << static_cast<uint32_t>(c);
    }
    EXPECT_EQ(firstInvalidUtf8("ab\xC0\x80"), 2u);
    EXPECT_EQ(firstInvalidUtf8("ab\xE4\xBD"), 2u);
    EXPECT_EQ(firstInvalidUtf8("\xF4\x90\x80\x80"), 0u);
}

TEST(Nearest, FindsTypingSlipsOnly)
{
    const std::vector<std::string> keys = {"learning_rate", "weight_decay", "rank"};
    EXPECT_EQ(nearest("learing_rate", keys), "learning_rate");
    EXPECT_EQ(nearest("rnak", keys), "rank");
    EXPECT_EQ(nearest("banana", keys), std::nullopt);
}

} // namespace rentune
