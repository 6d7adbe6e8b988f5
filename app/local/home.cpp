// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/local/home.h"

#include <QCoreApplication>
#include <QDir>

namespace rentune::app {

Home userHome()
{
    const QByteArray stated = qgetenv("RENTUNE_HOME");
    if (!stated.isEmpty())
        return {std::filesystem::absolute(stated.toStdString())};
    return {std::filesystem::path(QDir::homePath().toStdString()) / ".rentune"};
}

std::filesystem::path trainerProgram()
{
    return std::filesystem::path(QCoreApplication::applicationDirPath().toStdString()) / "rentune-trainer";
}

} // namespace rentune::app
