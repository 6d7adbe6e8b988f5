// SPDX-License-Identifier: GPL-3.0-or-later
// The real window on the offscreen platform: plan, run, watch, close and reopen, stop, resume, switch
// language. RENTUNE_TEST_TRAINER is the trainer that runs are started with, RENTUNE_TEST_MODEL a model folder
// it can train (without one, a folder that only has a config.json: enough for planning).
#include "app/charts/vram_bar.h"
#include "app/planner/planner_page.h"
#include "app/runs/run_list_model.h"
#include "app/runs/run_view.h"
#include "app/runs/runs_page.h"
#include "app/shell/demo_content.h"
#include "app/shell/main_window.h"
#include "app/text/language.h"
#include "app/widgets/style.h"
#include "app/widgets/tokens.h"
#include "core/catalog/resources.h"
#include "core/wire/job_file.h"
#include "tests/support/env.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QXmlStreamReader>

#include <fstream>

using namespace rentune;
using namespace rentune::app;
namespace fs = std::filesystem;

namespace {

constexpr char tinyConfig[] =
    R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64,
"intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
"vocab_size": 512, "max_position_embeddings": 256, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
"tie_word_embeddings": false, "torch_dtype": "float32", "hidden_act": "silu"})";

void write(const fs::path &file, const std::string &text)
{
    std::ofstream(file, std::ios::binary) << text;
}

template <typename W>
W *child(QWidget &window, const char *name)
{
    return window.findChild<W *>(QLatin1String(name));
}

} // namespace

class WindowTest final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void plansWhileTheHandMoves();
    void everyEditCanBeUndone();
    void badRateKeepsTheLastPlan();
    void saysWhatDoesNotFitAndHowToMend();
    void takesTheCardOfARow();
    void absentPricesAreWords();
    void choosesAPriceClass();
    void opensAndSavesJobs();
    void refusesBrokenJobs();
    void runsOutliveTheWindow();
    void switchesLanguage();
    void nothingIsUntranslated();
    void nothingIsClipped_data();
    void nothingIsClipped();

private:
    std::unique_ptr<MainWindow> openWindow();
    wire::JobSpec tinyJob() const;
    static bool answered(MainWindow &window, const std::function<void()> &change);

    test::TemporaryFolder m_folder;
    std::shared_ptr<const catalog::Catalog> m_catalog;
    std::unique_ptr<Store> m_store;
    std::unique_ptr<LocalRunner> m_runner;
    fs::path m_model, m_data;
    int64_t m_steps = 0;
};

void WindowTest::initTestCase()
{
    prepareLook();
    useTokens(false);
    const auto resources = catalog::resourceFolder();
    QVERIFY(resources);
    auto tables = catalog::loadCatalog(*resources / "catalog");
    QVERIFY2(tables, tables ? "" : tables.error().toString().c_str());
    m_catalog = std::make_shared<const catalog::Catalog>(std::move(tables).value());
    const QString model = qEnvironmentVariable("RENTUNE_TEST_MODEL");
    m_model = model.isEmpty() ? m_folder.path() / "model" : fs::path(model.toStdString());
    m_steps = model.isEmpty() ? 400 : 80; // the stand-in makes a step in 5 ms
    if (model.isEmpty()) {
        fs::create_directory(m_model);
        write(m_model / "config.json", tinyConfig);
    }
    m_data = m_folder.path() / "rows.jsonl";
    std::string rows;
    for (int i = 0; i < 40; ++i)
        rows += R"({"input_ids": [)" + std::to_string(i + 1) +
                R"(, 5, 9, 17, 3, 8], "labels": [-100, 5, 9, 17, 3, 8]})" + "\n";
    write(m_data, rows);
    auto store = Store::open(m_folder.path() / "store.sqlite");
    QVERIFY(store);
    m_store = std::move(store).value();
    m_runner = std::make_unique<LocalRunner>(Home{m_folder.path()},
                                             qEnvironmentVariable("RENTUNE_TEST_TRAINER").toStdString());
}

void WindowTest::init()
{
    setLanguage(QStringLiteral("en"));
}

std::unique_ptr<MainWindow> WindowTest::openWindow()
{
    auto window = std::make_unique<MainWindow>(
        Services{m_catalog, m_runner.get(), Home{m_folder.path()}, m_store.get()});
    window->show();
    return window;
}

wire::JobSpec WindowTest::tinyJob() const
{
    wire::JobSpec job;
    job.name = "tiny";
    job.model.path = m_model;
    job.data.train = {m_data};
    job.data.format = "tokens";
    job.data.maxLength = 32;
    job.method.type = wire::MethodType::Lora;
    job.training.maxSteps = m_steps;
    job.training.microBatch = 2;
    job.checkpoint.everySteps = 20;
    job.statedKeys = {"checkpoint.every_steps",
                      "data.format",
                      "data.max_length",
                      "data.train",
                      "method.type",
                      "model.path",
                      "name",
                      "training.max_steps",
                      "training.micro_batch"};
    return job;
}

bool WindowTest::answered(MainWindow &window, const std::function<void()> &change)
{
    QSignalSpy spy(&window.planner(), &PlannerPage::answered);
    change();
    return !spy.isEmpty() || spy.wait(20'000);
}

void WindowTest::plansWhileTheHandMoves()
{
    const auto window = openWindow();
    QVERIFY(answered(*window, [&] { window->planner().setJob(demo::fittingJob()); }));
    auto *headline = child<QLabel>(*window, "headline");
    QVERIFY2(headline->text().contains(QStringLiteral("¥")), qPrintable(headline->text()));
    const QString before = child<VramBar>(*window, "vramBar")->accessibleDescription();
    QVERIFY(answered(*window, [&] { child<QSpinBox>(*window, "rank")->setValue(256); }));
    QCOMPARE(window->planner().job().method.rank, 256);
    QVERIFY(child<VramBar>(*window, "vramBar")->accessibleDescription() != before);
    auto *gpu = child<QComboBox>(*window, "gpu");
    const int h100 = gpu->findData(QStringLiteral("h100-sxm5-80"));
    QVERIFY(h100 > 0);
    QVERIFY(answered(*window, [&] {
        gpu->setCurrentIndex(h100);
        Q_EMIT gpu->activated(h100);
    }));
    QCOMPARE(window->planner().job().hardware.gpu, std::string("h100-sxm5-80"));
    QVERIFY(
        child<VramBar>(*window, "vramBar")->accessibleDescription().contains(QLatin1String("Capacity\t79")));
}

void WindowTest::everyEditCanBeUndone()
{
    const auto window = openWindow();
    QVERIFY(answered(*window, [&] { window->planner().setJob(demo::fittingJob()); }));
    auto *undo = window->planner().undoAction();
    QVERIFY(!undo->isEnabled());
    QVERIFY(answered(*window, [&] { child<QSpinBox>(*window, "microBatch")->setValue(7); }));
    QVERIFY(
        answered(*window, [&] { child<QCheckBox>(*window, "gradientCheckpointing")->setChecked(false); }));
    QVERIFY(answered(*window, [&] { undo->trigger(); }));
    QVERIFY(window->planner().job().training.gradientCheckpointing);
    QVERIFY(child<QCheckBox>(*window, "gradientCheckpointing")->isChecked());
    QVERIFY(answered(*window, [&] { undo->trigger(); }));
    QCOMPARE(window->planner().job().training.microBatch, 2);
    QCOMPARE(child<QSpinBox>(*window, "microBatch")->value(), 2);
    QVERIFY(answered(*window, [&] { window->planner().redoAction()->trigger(); }));
    QCOMPARE(window->planner().job().training.microBatch, 7);
}

void WindowTest::badRateKeepsTheLastPlan()
{
    const auto window = openWindow();
    QVERIFY(answered(*window, [&] { window->planner().setJob(demo::fittingJob()); }));
    auto *rate = child<QLineEdit>(*window, "learningRate");
    rate->selectAll();
    QTest::keyClicks(rate, QStringLiteral("abc"));
    QCOMPARE(window->planner().job().training.learningRate, 1e-4);
    QVERIFY(answered(*window, [&] {
        rate->selectAll();
        QTest::keyClicks(rate, QStringLiteral("3e-5"));
    }));
    QCOMPARE(window->planner().job().training.learningRate, 3e-5);
}

void WindowTest::saysWhatDoesNotFitAndHowToMend()
{
    const auto window = openWindow();
    QVERIFY(answered(*window, [&] { window->planner().setJob(demo::oversizedJob()); }));
    QVERIFY(child<QLabel>(*window, "headline")->text().contains(QLatin1String("Does not fit")));
    QVERIFY(!child<QPushButton>(*window, "run")->isEnabled());
    auto *apply = child<QPushButton>(*window, "applyRelax0");
    QVERIFY(apply && apply->isVisible());
    QTest::qWait(50); // the row gets its place
    QVERIFY(answered(*window, [&] { QTest::mouseClick(apply, Qt::LeftButton); }));
    QCOMPARE(window->planner().job().training.microBatch * window->planner().job().training.gradAccumulation,
             16);
    QVERIFY(!child<QLabel>(*window, "headline")->text().contains(QLatin1String("Does not fit")));
    QVERIFY(answered(*window, [&] { window->planner().undoAction()->trigger(); }));
    QVERIFY(child<QLabel>(*window, "headline")->text().contains(QLatin1String("Does not fit")));
}

void WindowTest::takesTheCardOfARow()
{
    const auto window = openWindow();
    QVERIFY(answered(*window, [&] { window->planner().setJob(demo::fittingJob()); }));
    auto *table = window->findChild<QAbstractItemView *>(QStringLiteral("gpuTable"));
    QTRY_VERIFY(table->model()->rowCount() > 20);
    const QModelIndex row = table->model()->index(0, 0);
    const std::string id = row.data(Qt::UserRole).toString().toStdString();
    QVERIFY(answered(*window, [&] { Q_EMIT table->activated(row); }));
    QCOMPARE(window->planner().job().hardware.gpu, id);
}

void WindowTest::absentPricesAreWords()
{
    const auto window = openWindow();
    wire::JobSpec job = demo::fittingJob();
    job.hardware.gpu = "p100-sxm2-16";
    job.hardware.price = {};
    job.training.precision = wire::Precision::Fp32;
    QVERIFY(answered(*window, [&] { window->planner().setJob(job); }));
    for (const char *tile : {"price_on_demand", "price_spot", "price_reserved", "price_owned"}) {
        const QString said = child<QAbstractButton>(*window, tile)->accessibleName();
        QVERIFY2(said.contains(QLatin1String("No price")) ||
                     said.contains(QRegularExpression(QStringLiteral("[1-9]"))),
                 qPrintable(said));
    }
    QVERIFY(
        child<QAbstractButton>(*window, "price_owned")->accessibleName().contains(QLatin1String("No price")));
}

void WindowTest::choosesAPriceClass()
{
    const auto window = openWindow();
    QVERIFY(answered(*window, [&] { window->planner().setJob(demo::fittingJob()); }));
    auto *spot = child<QAbstractButton>(*window, "price_spot");
    const QString said = spot->accessibleName();
    QVERIFY(answered(*window, [&] { spot->click(); }));
    QCOMPARE(window->planner().job().hardware.price.priceClass, std::string("spot"));
    QVERIFY(spot->isChecked());
    QCOMPARE(spot->accessibleName(), said); // the catalogue's price: one's own was for the other class
    QVERIFY(answered(*window, [&] { window->planner().undoAction()->trigger(); }));
    QCOMPARE(window->planner().job().hardware.price.perHour, 2.39);
}

void WindowTest::opensAndSavesJobs()
{
    const auto window = openWindow();
    QVERIFY(answered(*window, [&] { window->planner().setJob(demo::fittingJob()); }));
    QVERIFY(answered(*window, [&] { child<QSpinBox>(*window, "accumulation")->setValue(5); }));
    QVERIFY(answered(*window, [&] { child<QDoubleSpinBox>(*window, "price")->setValue(0); }));
    QVERIFY(window->planner().job().hardware.price.currency.empty());
    QVERIFY(answered(*window, [&] { child<QDoubleSpinBox>(*window, "price")->setValue(3.5); }));
    const QString file = QString::fromStdString((m_folder.path() / "saved.yaml").string());
    QVERIFY(window->planner().saveJob(file));
    QVERIFY(answered(*window, [&] { window->planner().setJob(tinyJob()); }));
    QVERIFY(answered(*window, [&] { QVERIFY(window->planner().openJob(file)); }));
    QCOMPARE(window->planner().job().training.gradAccumulation, 5);
    QCOMPARE(window->planner().job().name, std::string("contract-qa-7b"));
    QCOMPARE(window->planner().job().hardware.price.perHour, 3.5);
    QCOMPARE(window->planner().job().hardware.price.currency, std::string("CNY"));
}

void WindowTest::refusesBrokenJobs()
{
    const auto window = openWindow();
    const fs::path file = m_folder.path() / "broken.yaml";
    write(file, "version: 1\nname: a\nmethod: {rnak: 8}\n");
    QVERIFY(!window->planner().openJob(QString::fromStdString(file.string())));
    auto *message = child<QLabel>(*window, "message");
    QVERIFY(message->isVisible());
    QVERIFY2(message->text().contains(QLatin1String("rank")), qPrintable(message->text()));
}

void WindowTest::runsOutliveTheWindow()
{
    auto window = openWindow();
    QVERIFY(answered(*window, [&] { window->planner().setJob(tinyJob()); }));
    auto *run = child<QPushButton>(*window, "run");
    QTRY_VERIFY2(run->isEnabled(), qPrintable(child<QLabel>(*window, "headline")->text()));
    QTest::mouseClick(run, Qt::LeftButton);
    QVERIFY(child<QWidget>(*window, "runsPage")->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(window->runs().view().points() >= 5, 60'000);
    const size_t before = window->runs().view().points();
    const std::string id = window->runs().view().run().id;
    window->close();
    window.reset();

    window = openWindow();
    window->showPage(MainWindow::Runs);
    QCOMPARE(window->runs().view().run().id, id);
    QVERIFY(window->runs().view().points() >= before);
    QTest::mouseClick(child<QPushButton>(*window, "stop"), Qt::LeftButton);
    auto *chip = child<QLabel>(*window, "stateChip");
    QTRY_COMPARE_WITH_TIMEOUT(chip->text(), QStringLiteral("Stopped"), 60'000);
    const size_t stopped = window->runs().view().points();
    QVERIFY(stopped < size_t(m_steps));
    auto *resume = child<QPushButton>(*window, "resume");
    QVERIFY(resume->isVisible());
    QTest::mouseClick(resume, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(chip->text(), QStringLiteral("Done"), 110'000);
    QCOMPARE(window->runs().view().points(), size_t(m_steps));
    QVERIFY(!resume->isVisible());
    QCOMPARE(m_store->runs()->size(), size_t(1));
}

void WindowTest::switchesLanguage()
{
    const auto window = openWindow();
    QVERIFY(answered(*window, [&] { window->planner().setJob(demo::fittingJob()); }));
    QCOMPARE(child<QAbstractButton>(*window, "railPlan")->text(), QStringLiteral("Plan"));
    window->findChild<QAction *>(QStringLiteral("language_zh_CN"))->trigger();
    QTRY_COMPARE(child<QAbstractButton>(*window, "railPlan")->text(), QStringLiteral("规划"));
    QVERIFY(child<QLabel>(*window, "headline")->text().contains(QStringLiteral("完成")));
    QCOMPARE(*m_store->setting(QStringLiteral("language")), QStringLiteral("zh_CN"));
    window->findChild<QAction *>(QStringLiteral("language_en"))->trigger();
    QTRY_COMPARE(child<QAbstractButton>(*window, "railPlan")->text(), QStringLiteral("Plan"));
}

void WindowTest::nothingIsUntranslated()
{
    QFile file(QString::fromStdString((test::dataFolder() / "../../translations/rentune_zh_CN.ts").string()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QXmlStreamReader xml(&file);
    QString source;
    int messages = 0;
    while (!xml.atEnd()) {
        xml.readNext();
        if (!xml.isStartElement())
            continue;
        if (xml.name() == QLatin1String("source"))
            source = xml.readElementText();
        if (xml.name() == QLatin1String("translation")) {
            ++messages;
            QVERIFY2(!xml.attributes().hasAttribute(QLatin1String("type")), qPrintable(source));
            QVERIFY2(!xml.readElementText(QXmlStreamReader::IncludeChildElements).trimmed().isEmpty(),
                     qPrintable(source));
        }
    }
    QVERIFY(!xml.hasError());
    QVERIFY(messages > 200);
}

void WindowTest::nothingIsClipped_data()
{
    QTest::addColumn<QString>("language");
    QTest::newRow("English") << "en";
    QTest::newRow("Chinese") << "zh_CN";
}

void WindowTest::nothingIsClipped()
{
    QFETCH(QString, language);
    setLanguage(language);
    const auto window = openWindow();
    window->resize(1280, 720);
    QVERIFY(answered(*window, [&] { window->planner().setJob(demo::fittingJob()); }));
    for (const auto page : {MainWindow::Plan, MainWindow::Runs}) {
        window->showPage(page);
        QTest::qWait(50);
        for (const QLabel *label : window->findChildren<QLabel *>()) {
            if (!label->isVisible() || label->wordWrap() || label->text().isEmpty())
                continue;
            QVERIFY2(label->width() >= label->sizeHint().width(), qPrintable(label->text()));
        }
        for (const QAbstractButton *button : window->findChildren<QAbstractButton *>()) {
            if (button->isVisible() && !button->text().isEmpty())
                QVERIFY2(button->width() >= button->sizeHint().width(), qPrintable(button->text()));
        }
    }
}

QTEST_MAIN(WindowTest)
#include "window_test.moc"
