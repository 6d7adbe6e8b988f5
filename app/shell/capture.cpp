// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/capture.h"

#include "app/planner/planner_page.h"
#include "app/runs/runs_page.h"
#include "app/shell/demo_content.h"
#include "app/shell/main_window.h"
#include "app/text/language.h"
#include "app/widgets/tokens.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QPixmap>
#include <QTemporaryDir>

namespace rentune::app {
namespace {

/// Lets the planner's answers, deferred layouts and first events arrive.
void settle()
{
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < 900)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
}

class Camera
{
public:
    Camera(QWidget &window, QString folder) : m_window(window), m_folder(std::move(folder)) {}

    Result<void> shoot(const QString &name)
    {
        for (const QSize size : {QSize(1440, 900), QSize(1280, 720)}) {
            m_window.resize(size);
            settle();
            const QString colors = tokens().dark ? QStringLiteral("dark") : QStringLiteral("light");
            const QString file = QStringLiteral("%1/%2_%3_%4_%5x%6.png")
                                     .arg(m_folder, name, currentLanguage(), colors)
                                     .arg(size.width())
                                     .arg(size.height());
            if (!m_window.grab().save(file))
                return Error{ErrorCode::DiskWrite, "the picture can't be written", file.toStdString()};
        }
        return {};
    }

private:
    QWidget &m_window;
    QString m_folder;
};

} // namespace

Result<void> capturePages(std::shared_ptr<const catalog::Catalog> catalog, const QString &folder)
{
    if (!QDir().mkpath(folder))
        return Error{ErrorCode::DiskWrite, "the folder can't be made", folder.toStdString()};
    const QTemporaryDir temporary;
    const Home home{temporary.path().toStdString()};
    LocalRunner runner(home, trainerProgram());
    MainWindow window({std::move(catalog), &runner, home, nullptr});
    Camera camera(window, folder);
    window.show();

    window.planner().setJob(demo::fittingJob());
    RENTUNE_CHECK(camera.shoot(QStringLiteral("plan")));
    window.planner().setJob(demo::oversizedJob());
    RENTUNE_CHECK(camera.shoot(QStringLiteral("plan_nofit")));
    window.showPage(MainWindow::Runs);
    RENTUNE_CHECK(camera.shoot(QStringLiteral("runs_empty")));
    RENTUNE_CHECK(demo::writeRuns(home));
    window.runs().refresh();
    RENTUNE_CHECK(camera.shoot(QStringLiteral("runs")));
    window.runs().select(demo::brokenRun());
    return camera.shoot(QStringLiteral("runs_failed"));
}

} // namespace rentune::app
