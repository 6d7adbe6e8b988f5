// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/catalog/catalog.h"
#include "core/plan/planner.h"

#include <QMetaType>
#include <QObject>
#include <QThread>

#include <memory>
#include <optional>
#include <vector>

namespace rentune::app {

/// What the planner says about one job.
struct PlanAnswer
{
    quint64 generation = 0;
    wire::JobSpec job;
    std::optional<plan::Plan> plan;
    std::optional<Error> error; ///< set if there is no plan
    plan::LengthFacts lengths;
    QString modelNote; ///< architecture and layers, as config.json states them
    QString device;    ///< name of the card, "" for this computer
};

/// The same job on another card.
struct GpuOption
{
    std::string gpu; ///< id of the catalogue
    QString name;
    plan::Plan plan;
};

class PlanWorker;

/// Plans jobs on a thread of its own. Requests are numbered; a newer one outdates those before it, which are
/// then skipped, so that the answer follows the hand. Use on the GUI thread; the signals arrive there.
class PlanService final : public QObject
{
    Q_OBJECT
public:
    explicit PlanService(std::shared_ptr<const catalog::Catalog> catalog, QObject *parent = nullptr);
    ~PlanService() override;

    /// Returns the request's generation, which its answer carries.
    quint64 request(const wire::JobSpec &job);
    const catalog::Catalog &catalog() const { return *m_catalog; }

Q_SIGNALS:
    void planned(const rentune::app::PlanAnswer &answer);
    /// Follows `planned` when no newer request waits: the job on every card of the catalogue that it suits.
    void optionsFound(quint64 generation, const std::vector<rentune::app::GpuOption> &options);

private:
    std::shared_ptr<const catalog::Catalog> m_catalog;
    QThread m_thread;
    PlanWorker *m_worker;
};

} // namespace rentune::app

Q_DECLARE_METATYPE(rentune::app::PlanAnswer)
Q_DECLARE_METATYPE(std::vector<rentune::app::GpuOption>)
