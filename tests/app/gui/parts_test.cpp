// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens, figures in words, curves and models: the parts of the window that can be judged without it.
#include "app/charts/axis.h"
#include "app/charts/series.h"
#include "app/runs/log_model.h"
#include "app/runs/run_figures.h"
#include "app/runs/run_list_model.h"
#include "app/text/format.h"
#include "app/text/language.h"
#include "app/text/words.h"
#include "app/widgets/tokens.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace rentune;
using namespace rentune::app;

class PartsTest final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { setLanguage(QStringLiteral("en")); }
    void colorsHaveContrast_data();
    void colorsHaveContrast();
    void figuresAreSpelled();
    void chineseCounts();
    void momentsNameTheDay();
    void ticksCoverTheRange();
    void columnsKeepExtremes();
    void rewindsKeepWhatTheyReplace();
    void smoothingDoesNotLagAtTheStart();
    void everyFailureHasWords();
    void runListAnnouncesOnlyChanges();
    void logIsBounded();
    void planIsReadDefensively();
};

void PartsTest::colorsHaveContrast_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void PartsTest::colorsHaveContrast()
{
    QFETCH(bool, dark);
    const Tokens &t = dark ? darkTokens() : lightTokens();
    const auto readable = [](const QColor &text, const QColor &ground, const char *what) {
        const double ratio = contrast(text, ground);
        if (ratio < 4.5)
            qWarning("%s: %.2f", what, ratio);
        return ratio >= 4.5;
    };
    for (const QColor &ground : {t.win, t.surf, t.sunk, t.rail}) {
        QVERIFY(readable(t.text1, ground, "text1"));
        QVERIFY(readable(t.text2, ground, "text2"));
    }
    for (const QColor &ground : {t.surf, t.win})
        QVERIFY(readable(t.text3, ground, "text3"));
    QVERIFY(readable(t.text1, t.accentSoft, "text1 on accentSoft"));
    QVERIFY(readable(t.text2, t.accentSoft, "text2 on accentSoft"));
    QVERIFY(readable(t.accentText, t.surf, "accentText"));
    QVERIFY(readable(t.accentText, t.accentSoft, "accentText on accentSoft"));
    QVERIFY(readable(t.onAccent, t.accent, "onAccent"));
    for (const auto &[text, soft] :
         {std::pair(t.ok, t.okSoft), {t.warn, t.warnSoft}, {t.error, t.errorSoft}, {t.info, t.infoSoft}}) {
        QVERIFY(readable(text, soft, "state on its ground"));
        QVERIFY(readable(text, t.surf, "state on surface"));
    }
    for (const QColor &curve : t.curves)
        QVERIFY(readable(curve, t.surf, "curve"));
    QVERIFY(contrast(t.control, t.surf) >= 3);
    QVERIFY(contrast(t.accentText, t.surf) >= 3);
}

void PartsTest::figuresAreSpelled()
{
    QCOMPARE(money(16.9, "CNY"), QStringLiteral("¥16.90"));
    QCOMPARE(money(1234.5, "CNY"), QStringLiteral("¥1,235"));
    QCOMPARE(money(5.4, "USD"), QStringLiteral("US$5.40"));
    QCOMPARE(money(3, "EUR"), QStringLiteral("EUR 3.00"));
    QCOMPARE(moneyRange({38.2, 41, 46.4}, "CNY"), QStringLiteral("¥38–46"));
    QCOMPARE(moneyRange({41, 41, 41.2}, "CNY"), QStringLiteral("¥41"));
    QCOMPARE(gib(GiB * 41 / 2), QStringLiteral("20.5 GiB"));
    QCOMPARE(grouped(52131), QStringLiteral("52,131"));
    QCOMPARE(largeCount(7'615'616'512), QStringLiteral("7.62 B"));
    QCOMPARE(span(31200), QStringLiteral("8 h 40 min"));
    QCOMPARE(span(42), QStringLiteral("42 s"));
    QCOMPARE(span(std::nan("")), unknown());
    QCOMPARE(percent(0.004), QStringLiteral("<1%"));
    QCOMPARE(percent(0), QStringLiteral("0%"));
    QCOMPARE(signedPercent(0.31), QStringLiteral("+31%"));
    QCOMPARE(signedPercent(-0.015), QString(QChar(0x2212)) + QStringLiteral("1.5%"));
    QCOMPARE(smallNumber(1e-4), QStringLiteral("1e-4"));
    QCOMPARE(smallNumber(3.1e-5), QStringLiteral("3.1e-5"));
    QCOMPARE(significant(3790.4), QStringLiteral("3,790"));
    QCOMPARE(significant(1.10649), QStringLiteral("1.106"));
    QCOMPARE(significant(std::nan("")), unknown());
}

void PartsTest::chineseCounts()
{
    setLanguage(QStringLiteral("zh_CN"));
    QCOMPARE(largeCount(7'615'616'512), QStringLiteral("76.2 亿"));
    QCOMPARE(span(31200), QStringLiteral("8 小时 40 分"));
    QCOMPARE(priceClassText("on_demand"), QStringLiteral("按量付费"));
}

void PartsTest::momentsNameTheDay()
{
    const QDateTime now(QDate(2026, 11, 30), QTime(22, 0));
    QCOMPARE(moment(now.addSecs(3600), now), QStringLiteral("today 23:00"));
    QCOMPARE(moment(now.addSecs(33000), now), QStringLiteral("Tue 07:10"));
    QCOMPARE(moment(now.addDays(8), now), QStringLiteral("Dec 8 22:00"));
    QCOMPARE(moment({}, now), unknown());
}

void PartsTest::ticksCoverTheRange()
{
    QCOMPARE(niceTicks(0, 24, 6), (QList<double>{0, 5, 10, 15, 20}));
    QCOMPARE(niceTicks(1, 2.5, 6).size(), 7);
    QCOMPARE(niceTicks(5, 5, 4), QList<double>{5});
    for (const double high : {1e-6, 0.37, 19.0, 4.2e9}) {
        const QList<double> ticks = niceTicks(0, high, 5);
        QVERIFY(ticks.size() >= 2 && ticks.size() <= 8);
        QVERIFY(ticks.back() <= high * (1 + 1e-9));
    }
}

void PartsTest::columnsKeepExtremes()
{
    Series series;
    constexpr int count = 100'000;
    for (int i = 0; i < count; ++i)
        series.append(i, i == 54'321 ? 9 : std::sin(i * 0.01));
    series.append(count, std::nan(""));
    QCOMPARE(series.size(), size_t(count));
    const auto columns = series.columns(0, count, 700);
    QVERIFY(columns.size() <= 700);
    float low = 0, high = 0;
    for (const Column &column : columns) {
        QVERIFY(column.low <= column.first && column.first <= column.high);
        low = std::min(low, column.low);
        high = std::max(high, column.high);
    }
    QCOMPARE(high, 9.0F);
    QVERIFY(low <= -0.9999F);
    double l = 0, h = 0;
    QVERIFY(series.bounds(54'000, 55'000, l, h));
    QCOMPARE(h, 9.0);
    QVERIFY(!series.bounds(-10, -5, l, h));
}

void PartsTest::rewindsKeepWhatTheyReplace()
{
    Series series;
    for (int i = 1; i <= 10; ++i)
        series.append(i, i);
    series.append(6, 60);
    QCOMPARE(series.size(), size_t(6));
    QCOMPARE(series.lastX(), 6.0);
    QCOMPARE(series.lastY(), 60.0);
    QCOMPARE(series.overwritten().size(), size_t(1));
    QCOMPARE(series.overwritten().front().size(), size_t(5));
    QCOMPARE(series.overwritten().front().front(), QPointF(6, 6));
}

void PartsTest::smoothingDoesNotLagAtTheStart()
{
    Series series;
    for (int i = 0; i < 50; ++i)
        series.append(i, 2.5);
    QVERIFY(std::abs(series.smoothed(0) - 2.5F) < 1e-5F);
    QVERIFY(std::abs(series.smoothed(49) - 2.5F) < 1e-5F);
    series.setSmoothing(0);
    series.append(50, 7);
    QCOMPARE(series.smoothed(50), 7.0F);
}

void PartsTest::everyFailureHasWords()
{
    for (const QString &language : {QStringLiteral("en"), QStringLiteral("zh_CN")}) {
        setLanguage(language);
        for (const ErrorCode code : allErrorCodes()) {
            const QString text = errorText(Error{code, "why", "some.file", 3});
            QVERIFY2(text.contains(QLatin1String("some.file:3: why")), qPrintable(text));
            const std::string name(codeName(code));
            QVERIFY2(!text.startsWith(QString::fromStdString(name)), name.c_str());
        }
    }
}

void PartsTest::runListAnnouncesOnlyChanges()
{
    RunListModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    RunInfo first;
    first.id = "a-1";
    first.name = "a";
    first.state = RunState::Running;
    RunInfo second = first;
    second.id = "b-1";
    second.state = RunState::Done;
    model.setRuns({first, second});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.activeCount(), 1);
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
    model.setRuns({first, second});
    QCOMPARE(changes.size(), 0);
    first.step = 12;
    model.setRuns({first, second});
    QCOMPARE(changes.size(), 1);
    QCOMPARE(resets.size(), 0);
    QVERIFY(model.index(0).data(RunListModel::DetailRole).toString().contains(QLatin1String("12")));
    model.setRuns({second});
    QCOMPARE(resets.size(), 1);
    QCOMPARE(model.rowOf("a-1"), -1);
}

void PartsTest::logIsBounded()
{
    LogModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    std::vector<wire::Event> events;
    for (int i = 0; i < LogModel::limit + 10; ++i) {
        wire::Event event;
        event.seq = i;
        event.type = "step";
        event.fields = {
            {"step", i}, {"loss", 1.5}, {"grad_norm", 0.25}, {"lr", 1e-4}, {"tokens_per_second", 400}};
        events.push_back(event);
    }
    model.add({events.begin(), events.begin() + 20});
    QCOMPARE(model.rowCount(), 20);
    model.add({events.begin() + 20, events.end()});
    QCOMPARE(model.rowCount(), LogModel::limit);
    const QString newest = model.index(0, LogModel::Message).data().toString();
    QVERIFY2(newest.startsWith(grouped(LogModel::limit + 9)), qPrintable(newest));
    QVERIFY(newest.contains(QLatin1String("loss 1.5")));
    model.clear();
    QCOMPARE(model.rowCount(), 0);
}

void PartsTest::planIsReadDefensively()
{
    QCOMPARE(plannedOf(nullptr).steps, 0);
    QCOMPARE(plannedOf({{"total_steps", "many"}, {"memory", 3}}).steps, 0);
    const Json plan = {{"total_steps", 60}, {"memory", {{"per_gpu_bytes", {{"expected", 1024}}}}}};
    QCOMPARE(plannedOf(plan).steps, 60);
    QCOMPARE(plannedOf(plan).memoryBytes, 1024.0);
}

QTEST_MAIN(PartsTest)
#include "parts_test.moc"
