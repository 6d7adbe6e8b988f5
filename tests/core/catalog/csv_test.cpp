// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/csv.h"

#include <gtest/gtest.h>

namespace rentune::catalog {
namespace {

std::vector<std::string> cellsOf(std::string_view text)
{
    const auto table = parseCsv(text, "t.csv");
    EXPECT_TRUE(table.ok()) << table.error().toString();
    return table->rows.at(0).cells;
}

TEST(Csv, ReadsQuotesByteOrderMarkAndBothLineEnds)
{
    EXPECT_EQ(cellsOf("\xEF\xBB\xBF"
                      "a,b\r\n\"x, \"\"y\"\"\", z \r\n"),
              (std::vector<std::string>{"x, \"y\"", "z"}));
    EXPECT_EQ(cellsOf("a,b\n\"two\nlines\","), (std::vector<std::string>{"two\nlines", ""}));
}

TEST(Csv, CountsLinesInsideQuotesAndSkipsBlankOnes)
{
    const auto table = parseCsv("a,b\n\"1\n2\",x\n\n3,y\n", "t.csv");
    ASSERT_TRUE(table.ok());
    ASSERT_EQ(table->rows.size(), 2U);
    EXPECT_EQ(table->rows[0].line, 2);
    EXPECT_EQ(table->rows[1].line, 5);
}

struct Broken
{
    const char *text;
    int64_t line;
    const char *says;
};

TEST(Csv, RefusesBrokenTablesWithFileAndLine)
{
    const Broken cases[] = {
        {"", 0, "no header"},
        {"a,b\n1,2\n1\n", 3, "1 cells"},
        {"a,b\n1,2,3\n", 2, "3 cells"},
        {"a,a\n1,2\n", 1, "twice"},
        {"a,\n1,2\n", 1, "no name"},
        {"a,b\n1,\"open\n\n", 2, "never closed"},
        {"a,b\n1,x\"y\n", 2, "quote inside"},
        {"a,b\n\"x\"y,1\n", 2, "after the closing quote"},
        {"a,b\n1,\xFF\n", 2, "UTF-8"},
    };
    for (const Broken &broken : cases) {
        const auto table = parseCsv(broken.text, "t.csv");
        ASSERT_FALSE(table.ok()) << broken.text;
        EXPECT_EQ(table.error().code, ErrorCode::CatalogFormat);
        EXPECT_EQ(table.error().file, "t.csv");
        EXPECT_EQ(table.error().line, broken.line) << broken.text;
        EXPECT_NE(table.error().detail.find(broken.says), std::string::npos) << table.error().detail;
    }
}

TEST(Csv, KeepsTheFirstComplaintAndTakesEmptyAsAbsent)
{
    const auto table = parseCsv("n,i,f\n,,\n-1,2.5,maybe\n", "t.csv");
    ASSERT_TRUE(table.ok());
    CsvCells empty(*table, table->rows[0]);
    EXPECT_EQ(empty.number("n"), std::nullopt);
    EXPECT_EQ(empty.integer("i"), std::nullopt);
    EXPECT_EQ(empty.flag("f", "yes", "no"), std::nullopt);
    EXPECT_FALSE(empty.error());
    CsvCells wrong(*table, table->rows[1]);
    wrong.number("n");
    wrong.integer("i");
    ASSERT_TRUE(wrong.error());
    EXPECT_NE(wrong.error()->detail.find("\"n\""), std::string::npos);
    EXPECT_EQ(wrong.error()->line, 3);
}

TEST(Csv, RefusesNumbersThatAreNone)
{
    const auto table = parseCsv("n\nNaN\ninf\n1e999\n1,\n0x10\n 7 \n1e3\n", "t.csv");
    ASSERT_FALSE(table.ok()); // "1," has a cell too many
    for (const char *bad : {"NaN", "inf", "1e999", "0x10", "1_000", "-0.5"}) {
        const auto one = parseCsv(std::string("n\n") + bad + "\n", "t.csv");
        CsvCells cells(*one, one->rows[0]);
        EXPECT_EQ(cells.number("n"), std::nullopt) << bad;
        EXPECT_TRUE(cells.error()) << bad;
    }
    const auto good = parseCsv("n\n1e3\n", "t.csv");
    CsvCells cells(*good, good->rows[0]);
    EXPECT_EQ(cells.number("n"), 1000);
}

} // namespace
} // namespace rentune::catalog
