// SPDX-License-Identifier: GPL-3.0-or-later
// From an input's change signal to the end of the paint, plan included, over 200 changes of every kind of
// input.
#include "app/planner/plan_inputs.h"
#include "app/planner/planner_page.h"
#include "app/shell/demo_content.h"
#include "app/widgets/style.h"
#include "app/widgets/tokens.h"
#include "core/catalog/resources.h"

#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QElapsedTimer>
#include <QSpinBox>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace rentune;
using namespace rentune::app;

namespace {

constexpr int changes = 200;

void step(QSpinBox *box, int round)
{
    box->setValue(box->value() > 64 ? 1 + round % 3 : box->value() + 1 + round % 2);
}

void choose(QComboBox *box, int round)
{
    const int index = (box->currentIndex() + 1 + round % 3) % box->count();
    box->setCurrentIndex(index);
    Q_EMIT box->activated(index);
}

/// One change of the round's input.
void change(QWidget &page, int round)
{
    switch (round % 5) {
    case 0:
        return step(page.findChild<QSpinBox *>(QStringLiteral("rank")), round);
    case 1:
        return choose(page.findChild<QComboBox *>(QStringLiteral("model")), round);
    case 2:
        return step(page.findChild<QSpinBox *>(QStringLiteral("microBatch")), round);
    case 3:
        return choose(page.findChild<QComboBox *>(QStringLiteral("gpu")), round);
    default:
        return page.findChild<QSpinBox *>(QStringLiteral("maxLength"))->setValue(256 + 64 * (round % 40));
    }
}

} // namespace

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    prepareLook();
    useTokens(false);
    const auto resources = catalog::resourceFolder();
    auto tables = resources ? catalog::loadCatalog(*resources / "catalog") : resources.error();
    if (!tables) {
        std::fprintf(stderr, "%s\n", tables.error().toString().c_str());
        return 1;
    }
    PlannerPage page(std::make_shared<const catalog::Catalog>(std::move(tables).value()));
    page.resize(1376, 844);
    page.show();
    bool painted = false;
    double answered = 0;
    QElapsedTimer timer;
    timer.start();
    QObject::connect(&page, &PlannerPage::answered, &page, [&] {
        answered = double(timer.nsecsElapsed()) / 1e6;
        // What the event loop would do next: place what changed its size, then paint what changed.
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::UpdateRequest);
        painted = true;
    });
    const auto wait = [&] {
        while (!painted)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        painted = false;
    };
    page.setJob(demo::fittingJob());
    wait();

    std::vector<double> millis;
    std::vector<double> planned;
    for (int round = 0; round < changes; ++round) {
        QCoreApplication::processEvents();
        timer.start();
        change(page, round);
        wait();
        planned.push_back(answered);
        millis.push_back(double(timer.nsecsElapsed()) / 1e6);
    }
    std::sort(millis.begin(), millis.end());
    std::sort(planned.begin(), planned.end());
    std::printf("planner_answer_ms_p95 %.2f\n", planned[changes * 95 / 100]);
    std::printf("planner_latency_ms_p50 %.2f\nplanner_latency_ms_p95 %.2f\nplanner_latency_ms_max %.2f\n",
                millis[changes / 2], millis[changes * 95 / 100], millis.back());
    return 0;
}
