// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QLocale>
#include <QString>
#include <QStringList>

namespace rentune::app {

/// A language the window speaks.
struct Language
{
    QString code; ///< "en", "zh_CN"
    QString name; ///< in the language itself
};

const QList<Language> &languages();

/// `--lang` if given, else RENTUNE_LANG, else the system's locale; C and POSIX mean English, and so does
/// every language that has no catalogue.
QString chooseLanguage(const QString &option);

/// Installs the catalogues of `code` (ours and Qt's own) in place of the former ones; widgets get
/// LanguageChange. Call on the GUI thread with a QCoreApplication.
void setLanguage(const QString &code);

/// The language set last.
QString currentLanguage();

/// Numbers and dates of the language set last; C conventions for figures are kept (1,234.5 in both).
QLocale currentLocale();

} // namespace rentune::app
