// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/planner/plan_service.h"

#include "core/base/clock.h"

#include <QTimer>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

namespace rentune::app {
namespace {

constexpr size_t keptFacts = 64;

/// The other cards are looked at once the hand rests, so that they never hold up the next answer.
constexpr int restMillis = 150;

std::string stamp(const std::filesystem::path &file)
{
    std::error_code failed;
    const auto time = std::filesystem::last_write_time(file, failed);
    return file.string() + '@' + (failed ? "-" : std::to_string(time.time_since_epoch().count())) + '\n';
}

/// What the facts of a job depend on, apart from its GPU.
std::string factsKey(const wire::JobSpec &job)
{
    std::string key = job.model.id + '\n';
    if (!job.model.path.empty())
        for (const char *file :
             {"config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja"})
            key += stamp(job.model.path / file);
    for (const auto &file : job.data.train)
        key += stamp(file);
    key += stamp(job.data.chatTemplate) + stamp(job.method.initFrom / "adapter_config.json");
    key += job.data.format + '|' + std::to_string(job.data.maxLength) + '|' +
           std::to_string(int(job.data.trainOn)) + '|' + std::to_string(int(job.data.tooLong)) + '|' +
           job.data.systemPrompt + '|' + std::to_string(job.data.specialControlTokens) + '|' +
           std::to_string(int(job.method.type));
    return key;
}

} // namespace

class PlanWorker final : public QObject
{
    Q_OBJECT
public:
    explicit PlanWorker(std::shared_ptr<const catalog::Catalog> catalog) : m_catalog(std::move(catalog)) {}

    /// Any thread.
    quint64 post(const wire::JobSpec &job)
    {
        const std::lock_guard lock(m_mutex);
        m_latest = job;
        return ++m_generation;
    }

    void work()
    {
        PlanAnswer answer;
        {
            const std::lock_guard lock(m_mutex);
            if (m_generation == m_done)
                return;
            m_done = answer.generation = m_generation;
            answer.job = m_latest;
        }
        const plan::PlanFacts *facts = factsOf(answer);
        if (facts)
            makePlan(answer, *facts);
        Q_EMIT planned(answer);
        if (answer.plan)
            QTimer::singleShot(restMillis, this, [this, answer] {
                if (const auto known = m_facts.find(factsKey(answer.job)); known != m_facts.end())
                    findOptions(answer, known->second);
            });
    }

Q_SIGNALS:
    void planned(const rentune::app::PlanAnswer &answer);
    void optionsFound(quint64 generation, const std::vector<rentune::app::GpuOption> &options);

private:
    bool outdated(quint64 generation)
    {
        const std::lock_guard lock(m_mutex);
        return generation != m_generation;
    }

    const plan::PlanFacts *factsOf(PlanAnswer &answer)
    {
        const std::string key = factsKey(answer.job);
        auto found = m_facts.find(key);
        if (found == m_facts.end()) {
            wire::JobSpec onHost = answer.job;
            onHost.hardware.gpu.clear();
            auto facts = plan::gatherFacts(onHost, *m_catalog, systemClock());
            if (!facts) {
                answer.error = facts.error();
                return nullptr;
            }
            if (m_facts.size() >= keptFacts)
                m_facts.clear();
            found = m_facts.emplace(key, std::move(facts).value()).first;
        }
        answer.lengths = found->second.lengths;
        answer.modelNote = QString::fromStdString(found->second.model.architecture);
        return setGpu(found->second, answer.job.hardware.gpu, answer) ? &found->second : nullptr;
    }

    bool setGpu(plan::PlanFacts &facts, const std::string &id, PlanAnswer &answer)
    {
        const catalog::Gpu *gpu = id.empty() ? nullptr : m_catalog->findGpu(id);
        if (!id.empty() && !gpu) {
            answer.error = Error{ErrorCode::JobValue, "hardware.gpu: the catalogue has no \"" + id + "\""};
            return false;
        }
        facts.gpu = gpu ? std::optional(*gpu) : std::nullopt;
        facts.prices = gpu ? m_catalog->pricesOf(id) : std::vector<catalog::Price>{};
        answer.device = gpu ? QString::fromStdString(gpu->name) : QString();
        return true;
    }

    void makePlan(PlanAnswer &answer, const plan::PlanFacts &facts)
    {
        auto plan = plan::makePlan(answer.job, facts);
        if (plan)
            answer.plan = std::move(plan).value();
        else
            answer.error = plan.error();
    }

    void findOptions(const PlanAnswer &answer, const plan::PlanFacts &base)
    {
        plan::PlanFacts facts = base;
        wire::JobSpec job = answer.job;
        job.hardware.price = {};
        std::vector<GpuOption> options;
        for (const catalog::Gpu &gpu : m_catalog->gpus) {
            if (outdated(answer.generation))
                return;
            if (gpu.vendor != "NVIDIA")
                continue;
            job.hardware.gpu = gpu.id;
            if (gpu.id == answer.job.hardware.gpu)
                job.hardware.price = answer.job.hardware.price;
            facts.gpu = gpu;
            facts.prices = m_catalog->pricesOf(gpu.id);
            auto plan = plan::makePlan(job, facts);
            job.hardware.price = {};
            if (plan)
                options.push_back({gpu.id, QString::fromStdString(gpu.name), std::move(plan).value()});
        }
        Q_EMIT optionsFound(answer.generation, options);
    }

    std::shared_ptr<const catalog::Catalog> m_catalog;
    std::map<std::string, plan::PlanFacts> m_facts; ///< worker thread only
    quint64 m_done = 0;                             ///< worker thread only
    std::mutex m_mutex;
    wire::JobSpec m_latest;
    quint64 m_generation = 0;
};

PlanService::PlanService(std::shared_ptr<const catalog::Catalog> catalog, QObject *parent)
    : QObject(parent), m_catalog(std::move(catalog)), m_worker(new PlanWorker(m_catalog))
{
    qRegisterMetaType<PlanAnswer>();
    qRegisterMetaType<std::vector<GpuOption>>();
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    connect(m_worker, &PlanWorker::planned, this, &PlanService::planned);
    connect(m_worker, &PlanWorker::optionsFound, this, &PlanService::optionsFound);
    m_thread.setObjectName(QStringLiteral("planner"));
    m_thread.start();
}

PlanService::~PlanService()
{
    m_worker->post({});
    m_thread.quit();
    m_thread.wait();
}

quint64 PlanService::request(const wire::JobSpec &job)
{
    const quint64 generation = m_worker->post(job);
    QMetaObject::invokeMethod(m_worker, &PlanWorker::work, Qt::QueuedConnection);
    return generation;
}

} // namespace rentune::app

#include "plan_service.moc"
