// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/base/result.h"

#include <gtest/gtest.h>

#include <set>

namespace rentune {

TEST(Error, CodesHaveUniqueNamesAndTheContractsExitCodes)
{
    std::set<std::string_view> names;
    for (const ErrorCode code : allErrorCodes())
        EXPECT_TRUE(names.insert(codeName(code)).second) << codeName(code);
    EXPECT_EQ(exitCode(codeClass(ErrorCode::JobUnknownKey)), 2);
    EXPECT_EQ(exitCode(codeClass(ErrorCode::SafetensorsFormat)), 3);
    EXPECT_EQ(exitCode(codeClass(ErrorCode::OutOfMemory)), 4);
    EXPECT_EQ(exitCode(codeClass(ErrorCode::CollectiveFailed)), 5);
    EXPECT_EQ(exitCode(codeClass(ErrorCode::DiskFull)), 6);
    EXPECT_EQ(exitCode(codeClass(ErrorCode::BudgetReached)), 7);
    EXPECT_EQ(exitCode(codeClass(ErrorCode::NonFinite)), 8);
    EXPECT_EQ(exitCode(codeClass(ErrorCode::StoppedOnNotice)), 75);
}

TEST(Error, PrintsTheMostPrecisePlaceItKnows)
{
    EXPECT_EQ((Error{ErrorCode::DataRow, "no answer"}.toString()), "no answer");
    EXPECT_EQ((Error{ErrorCode::DataRow, "no answer", "a.jsonl"}.toString()), "a.jsonl: no answer");
    EXPECT_EQ((Error{ErrorCode::DataRow, "no answer", "a.jsonl", 3}.toString()), "a.jsonl:3: no answer");
}

Result<int> half(int n)
{
    if (n % 2)
        return Error{ErrorCode::Internal, "odd"};
    return n / 2;
}

Result<int> quarter(int n)
{
    RENTUNE_TRY(const int h, half(n));
    return half(h);
}

TEST(Result, TryReturnsTheFirstError)
{
    EXPECT_EQ(*quarter(8), 2);
    EXPECT_EQ(quarter(6).error().detail, "odd");
    EXPECT_EQ(quarter(7).error().detail, "odd");
}

} // namespace rentune
