// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/planner/gpu_table.h"

#include "app/text/format.h"
#include "app/text/words.h"
#include "app/widgets/tokens.h"

#include <QEvent>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <tuple>

namespace rentune::app {
namespace {

const QString checkMark = QStringLiteral("✓");

/// How an option would be paid: by the job's class where it has a price, else by the first that has one.
const plan::CostLine *costOf(const plan::Plan &plan, const std::string &priceClass)
{
    if (plan.cost.empty() ||
        plan.totalSeconds.expected <= 0) // no time, no cost: the catalogue states no rate
        return nullptr;
    const auto own = std::find_if(plan.cost.begin(), plan.cost.end(),
                                  [&](const auto &line) { return line.priceClass == priceClass; });
    return own == plan.cost.end() ? &plan.cost.front() : &*own;
}

/// Amounts of different currencies have no order: each currency is a block of its own, prices unknown come
/// last.
bool before(const GpuOption &a, const GpuOption &b, const std::string &priceClass)
{
    if (a.plan.feasible != b.plan.feasible)
        return a.plan.feasible;
    if (!a.plan.feasible)
        return a.plan.perGpuBytes.expected - a.plan.capacityBytes <
               b.plan.perGpuBytes.expected - b.plan.capacityBytes;
    const plan::CostLine *costA = costOf(a.plan, priceClass);
    const plan::CostLine *costB = costOf(b.plan, priceClass);
    if (!costA || !costB)
        return costA && !costB;
    return std::tie(costA->currency, costA->total.expected) <
           std::tie(costB->currency, costB->total.expected);
}

class MemoryDelegate final : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem ground(option);
        initStyleOption(&ground, index);
        const QString text = ground.text;
        const Tokens &t = tokens();
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, t.accentSoft);
        const double share = index.data(GpuModel::ShareRole).toDouble();
        const QRect bar(option.rect.left() + 6, option.rect.center().y() - 4, 64, 10);
        painter->fillRect(bar, t.sunk);
        const QColor fill = share > 1 ? t.error : share > 0.93 ? t.warn : t.accentText;
        painter->fillRect(bar.adjusted(0, 0, int(64 * std::min(share, 1.0)) - 64, 0), fill);
        painter->setPen(t.text2);
        painter->setFont(option.font);
        painter->drawText(option.rect.adjusted(78, 0, -4, 0), Qt::AlignVCenter, text);
    }

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const int text = option.fontMetrics.horizontalAdvance(index.data().toString());
        return {text + 92, metrics::rowHeight};
    }
};

} // namespace

void GpuModel::setOptions(std::vector<GpuOption> options, const wire::JobSpec &job)
{
    const std::string &priceClass = job.hardware.price.priceClass;
    std::stable_sort(options.begin(), options.end(),
                     [&](const auto &a, const auto &b) { return before(a, b, priceClass); });
    beginResetModel();
    m_options = std::move(options);
    m_budget = job.budget;
    m_current = job.hardware.gpu;
    m_priceClass = priceClass;
    endResetModel();
}

int GpuModel::fitting() const
{
    return int(
        std::count_if(m_options.begin(), m_options.end(), [](const auto &o) { return o.plan.feasible; }));
}

void GpuModel::retranslate()
{
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
    if (!m_options.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int GpuModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_options.size());
}

int GpuModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString GpuModel::text(const GpuOption &option, int column) const
{
    const plan::Plan &plan = option.plan;
    const bool timed =
        plan.totalSeconds.expected > 0; // absent where the catalogue states no rate of the card
    const plan::CostLine *cost = costOf(plan, m_priceClass);
    const int cards = plan.layout.nodes * plan.layout.gpusPerNode;
    switch (column) {
    case Name:
        return cards > 1 ? QStringLiteral("%1 ×%2").arg(option.name).arg(cards) : option.name;
    case Memory:
        return gibNumber(plan.perGpuBytes.expected) + QStringLiteral(" / ") +
               gibNumber(plan.capacityBytes, 0);
    case Hours:
        return plan.feasible && timed ? spanHours(plan.totalSeconds.expected) : unknown();
    case Cost:
        return !plan.feasible || !timed ? unknown()
               : cost                   ? moneyRange(cost->total, cost->currency)
                                        : tr("no price");
    case Risk:
        return plan.feasible ? percent(plan.pOutOfMemory) : unknown();
    default:
        break;
    }
    if (!plan.feasible) {
        const Bytes missing = plan.perGpuBytes.expected - plan.capacityBytes;
        return missing > 0 ? tr("%1 short").arg(gib(missing))
                           : (plan.reasons.empty() ? unknown() : reasonText(plan.reasons.front(), plan));
    }
    if (cost && m_budget.maxCost > 0 && cost->total.expected > m_budget.maxCost)
        return tr("over by %1").arg(money(cost->total.expected - m_budget.maxCost, cost->currency));
    const double late = plan.totalSeconds.expected - m_budget.maxHours * 3600;
    if (m_budget.maxHours > 0 && late > 0)
        return tr("late by %1").arg(app::span(late));
    return checkMark;
}

QVariant GpuModel::data(const QModelIndex &index, int role) const
{
    const GpuOption &row = m_options[size_t(index.row())];
    const Tokens &t = tokens();
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::TextAlignmentRole:
        return int(Qt::AlignVCenter |
                   (index.column() >= Hours && index.column() <= Risk ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::ForegroundRole:
        if (index.column() == Limit)
            return !row.plan.feasible ? t.error : text(row, Limit) == checkMark ? t.ok : t.warn;
        return row.plan.feasible ? t.text1 : t.text3;
    case Qt::FontRole:
        return typeFont(Type::Body, row.gpu == m_current && index.column() != Memory);
    case OptionRole:
        return QString::fromStdString(row.gpu);
    case ShareRole:
        return double(row.plan.perGpuBytes.expected) / double(std::max<Bytes>(row.plan.capacityBytes, 1));
    default:
        return {};
    }
}

QVariant GpuModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (section >= Hours && section <= Risk ? Qt::AlignRight : Qt::AlignLeft));
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("GPU");
    case Memory:
        return tr("VRAM per GPU");
    case Hours:
        return tr("Hours");
    case Cost:
        return tr("Cost");
    case Risk:
        return tr("OOM risk");
    default:
        return tr("Limits");
    }
}

GpuTable::GpuTable(QWidget *parent) : QTableView(parent), m_model(new GpuModel(this))
{
    setObjectName(QStringLiteral("gpuTable"));
    setModel(m_model);
    setItemDelegateForColumn(GpuModel::Memory, new MemoryDelegate(this));
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setEditTriggers(NoEditTriggers);
    setShowGrid(false);
    setFrameShape(NoFrame);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(metrics::rowHeight);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    horizontalHeader()->setSectionResizeMode(GpuModel::Name, QHeaderView::Stretch);
    horizontalHeader()->setSectionResizeMode(GpuModel::Limit, QHeaderView::Stretch);
    connect(this, &QAbstractItemView::activated, this,
            [this](const QModelIndex &index) { Q_EMIT taken(index.data(GpuModel::OptionRole).toString()); });
}

void GpuTable::changeEvent(QEvent *event)
{
    QTableView::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        m_model->retranslate();
}

} // namespace rentune::app
