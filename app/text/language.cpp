// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/text/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QTranslator>

#include <array>
#include <memory>

namespace rentune::app {
namespace {

const QString english = QStringLiteral("en");
const QString chinese = QStringLiteral("zh_CN");

struct Installed
{
    QString code = english;
    std::array<std::unique_ptr<QTranslator>, 2> translators;
};

Installed &installed()
{
    static Installed state;
    return state;
}

QString supported(const QString &wish)
{
    return wish.startsWith(QLatin1String("zh"), Qt::CaseInsensitive) ? chinese : english;
}

void install(std::unique_ptr<QTranslator> &slot, const QString &name, const QString &folder)
{
    auto next = std::make_unique<QTranslator>();
    if (!next->load(name, folder))
        return;
    QCoreApplication::installTranslator(next.get());
    slot = std::move(next);
}

} // namespace

const QList<Language> &languages()
{
    static const QList<Language> all{{english, QStringLiteral("English")},
                                     {chinese, QStringLiteral("简体中文")}};
    return all;
}

QString chooseLanguage(const QString &option)
{
    if (!option.isEmpty())
        return supported(option);
    const QString wish = qEnvironmentVariable("RENTUNE_LANG");
    return supported(wish.isEmpty() ? QLocale::system().name() : wish);
}

void setLanguage(const QString &code)
{
    Installed &state = installed();
    for (auto &translator : state.translators)
        translator.reset();
    state.code = supported(code);
    QLocale::setDefault(currentLocale());
    install(state.translators[0], QStringLiteral("qtbase_") + state.code,
            QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    install(state.translators[1], QStringLiteral("rentune_") + state.code, QStringLiteral(":/i18n"));
}

QString currentLanguage()
{
    return installed().code;
}

QLocale currentLocale()
{
    return currentLanguage() == chinese ? QLocale(QLocale::Chinese, QLocale::China)
                                        : QLocale(QLocale::English, QLocale::UnitedStates);
}

} // namespace rentune::app
