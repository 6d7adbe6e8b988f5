// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"
#include "app/shell/window.h"

#include <QCoreApplication>

int main(int argc, char **argv)
{
    if (!rentune::app::wantsCommandLine(argc, argv))
        return rentune::app::runWindow(argc, argv);
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationVersion(QStringLiteral(RENTUNE_VERSION));
    return rentune::app::runCommandLine(argc, argv);
}
