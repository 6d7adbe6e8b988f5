// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/window.h"

#include "app/local/demo_job.h"
#include "app/planner/planner_page.h"
#include "app/shell/capture.h"
#include "app/shell/main_window.h"
#include "app/text/language.h"
#include "app/text/words.h"
#include "app/widgets/style.h"
#include "app/widgets/tokens.h"
#include "core/catalog/resources.h"
#include "core/throughput/host.h"
#include "core/wire/job_file.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QStyleHints>
#include <QTextStream>

#include <algorithm>
#include <cstring>

namespace rentune::app {
namespace {

struct Options
{
    QString capture, language;
    bool dark = false;
};

Options parse(const QApplication &application)
{
    QCommandLineParser parser;
    const QCommandLineOption capture(QStringLiteral("capture"),
                                     QStringLiteral("Every page as a picture in DIR"), QStringLiteral("DIR"));
    const QCommandLineOption language(QStringLiteral("lang"), QStringLiteral("zh_CN or en"),
                                      QStringLiteral("CODE"));
    const QCommandLineOption dark(QStringLiteral("dark"), QStringLiteral("Dark colours"));
    parser.addOptions({capture, language, dark});
    parser.process(application);
    return {parser.value(capture), parser.value(language), parser.isSet(dark)};
}

bool systemIsDark()
{
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    return QGuiApplication::styleHints()->colorScheme() == Qt::ColorScheme::Dark;
#else
    return QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
#endif
}

QString setting(const std::unique_ptr<Store> &store, const QString &key)
{
    if (!store)
        return {};
    const auto value = store->setting(key);
    return value ? *value : QString();
}

/// The job of the last session, else the demo.
wire::JobSpec firstJob(const std::unique_ptr<Store> &store, const Home &home,
                       const std::filesystem::path &resources)
{
    const QString last = setting(store, QStringLiteral("planner.job"));
    if (!last.isEmpty()) {
        if (auto job = wire::parseJob(last.toStdString(), home.folder / "last.yaml"))
            return std::move(job).value();
    }
    return demoJob(home, resources, throughput::thisComputer().bf16Instructions);
}

int fail(const Error &error)
{
    QTextStream(stderr) << errorText(error) << Qt::endl;
    return exitCode(codeClass(error.code));
}

} // namespace

int runWindow(int argc, char **argv)
{
    const auto asksCapture = [](const char *word) { return std::strncmp(word, "--capture", 9) == 0; };
    if (std::any_of(argv + 1, argv + argc, asksCapture))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("rentune"));
    QApplication::setApplicationVersion(QStringLiteral(RENTUNE_VERSION));
    const Options options = parse(application);
    const bool systemDark = systemIsDark();
    prepareLook();

    auto resources = catalog::resourceFolder();
    if (!resources)
        return fail(resources.error());
    auto tables = catalog::loadCatalog(*resources / "catalog");
    if (!tables)
        return fail(tables.error());
    const auto catalog = std::make_shared<const catalog::Catalog>(std::move(tables).value());
    if (!options.capture.isEmpty()) {
        setLanguage(chooseLanguage(options.language));
        useTokens(options.dark);
        const auto captured = capturePages(catalog, options.capture);
        return captured ? 0 : fail(captured.error());
    }

    const Home home = userHome();
    std::unique_ptr<Store> store;
    auto opened = Store::open(home.store());
    if (opened)
        store = std::move(opened).value();
    const bool told = !options.language.isEmpty() || qEnvironmentVariableIsSet("RENTUNE_LANG");
    const QString kept = setting(store, QStringLiteral("language"));
    setLanguage(told || kept.isEmpty() ? chooseLanguage(options.language) : kept);
    const QString theme = setting(store, QStringLiteral("theme"));
    useTokens(options.dark || (theme.isEmpty() ? systemDark : theme == QLatin1String("dark")));

    LocalRunner runner(home, trainerProgram());
    MainWindow window({catalog, &runner, home, store.get()});
    if (!opened)
        window.showMessage(errorText(opened.error()));
    else if (!store->movedAside().empty())
        window.showMessage(storeMovedText(store->movedAside().string()));
    window.planner().setJob(firstJob(store, home, *resources));
    window.show();
    return QApplication::exec();
}

} // namespace rentune::app
