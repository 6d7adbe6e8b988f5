// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/planner/plan_inputs.h"

#include "app/planner/job_edit.h"
#include "app/text/format.h"
#include "app/text/words.h"
#include "app/widgets/controls.h"
#include "app/widgets/fields.h"
#include "app/widgets/input_group.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QEvent>
#include <QFileDialog>
#include <QGridLayout>
#include <QLineEdit>

#include <algorithm>

namespace rentune::app {
namespace {

using wire::JobSpec;

QString pathText(const std::filesystem::path &path)
{
    return QString::fromStdString(path.string());
}

bool isQlora(const JobSpec &job)
{
    return job.method.quantization.type != wire::QuantizationType::None;
}

/// Chooses the item that carries `data`; an unknown value gets an item of its own, so that nothing is lost.
void chooseData(QComboBox *box, const QString &data, const QString &text)
{
    int index = box->findData(data);
    if (index < 0) {
        box->addItem(text, data);
        index = box->count() - 1;
    }
    box->setCurrentIndex(index);
}

} // namespace

PlanInputs::PlanInputs(const catalog::Catalog &catalog, QWidget *parent)
    : QScrollArea(parent), m_catalog(catalog)
{
    setObjectName(QStringLiteral("planInputs"));
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumWidth(312);
    setMaximumWidth(440);
    auto *content = new QWidget;
    content->setBackgroundRole(QPalette::Base);
    content->setAutoFillBackground(true);
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(metrics::margin, 10, metrics::margin, metrics::margin);
    column->setSpacing(metrics::fieldGap);
    buildModel(column);
    buildData(column);
    buildMethod(column);
    buildTraining(column);
    buildGpu(column);
    buildLimits(column);
    column->addStretch(1);
    setWidget(content);
    retranslate();
}

void PlanInputs::edit(const char *key, const Change &change)
{
    if (m_filling)
        return;
    JobSpec job = m_job;
    stateKey(job, key); // before the change, which may take the key back
    change(job);
    Q_EMIT edited(job, QString::fromLatin1(key));
}

QSpinBox *PlanInputs::addCount(const char *name, const char *key, int low, int high,
                               std::function<void(JobSpec &, int)> change)
{
    auto *box = countField(low, high);
    box->setObjectName(QLatin1String(name));
    connect(box, &QSpinBox::valueChanged, this, [this, key, change = std::move(change)](int value) {
        edit(key, [&](JobSpec &job) { change(job, value); });
    });
    return box;
}

QDoubleSpinBox *PlanInputs::addReal(const char *name, const char *key, double high, int decimals,
                                    std::function<void(JobSpec &, double)> change)
{
    auto *box = realField(0, high, decimals);
    box->setObjectName(QLatin1String(name));
    connect(box, &QDoubleSpinBox::valueChanged, this, [this, key, change = std::move(change)](double value) {
        edit(key, [&](JobSpec &job) { change(job, value); });
    });
    return box;
}

void PlanInputs::buildModel(QVBoxLayout *column)
{
    const InputGroup group = addInputGroup(column, true);
    m_modelTitle = group.title;
    m_modelLink = group.link;
    m_model = choiceField(QStringLiteral("model"));
    m_model->setEditable(true);
    m_model->setInsertPolicy(QComboBox::NoInsert);
    m_model->completer()->setCompletionMode(QCompleter::PopupCompletion);
    m_model->completer()->setFilterMode(Qt::MatchContains);
    fillModels();
    m_modelNote = new Text(Type::Note, Text::Role::Tertiary);
    m_modelNote->setWordWrap(true);
    group.addWide(m_model);
    group.addWide(m_modelNote);
    connect(m_modelLink, &QPushButton::clicked, this, &PlanInputs::chooseModelFolder);
    connect(m_model, &QComboBox::activated, this, [this](int index) {
        const std::string model = m_model->itemData(index).toString().toStdString();
        const bool folder = std::filesystem::path(model).is_absolute();
        edit(folder ? "model.path" : "model.id", [&](JobSpec &job) {
            job.model.path = folder ? model : std::string();
            job.model.id = folder ? std::string() : model;
            std::erase(job.statedKeys, folder ? "model.id" : "model.path");
        });
    });
}

void PlanInputs::fillModels()
{
    for (const catalog::Model &model : m_catalog.models) {
        if (!catalog::modelConfig(model))
            continue;
        const QString id = QString::fromStdString(model.id);
        m_model->addItem(id, id);
    }
}

void PlanInputs::buildData(QVBoxLayout *column)
{
    const InputGroup group = addInputGroup(column, true);
    m_dataTitle = group.title;
    m_dataLink = group.link;
    m_data = new QLineEdit;
    m_data->setObjectName(QStringLiteral("data"));
    m_maxLength = addCount("maxLength", "data.max_length", 1, 1 << 20,
                           [](JobSpec &job, int value) { job.data.maxLength = value; });
    m_tooLong = new Segmented(2);
    m_tooLong->setObjectName(QStringLiteral("tooLong"));
    group.addWide(m_data);
    m_labels.emplace_back(group.addRow(m_maxLength, m_tooLong), QT_TR_NOOP("Max length"));
    m_dataNote = new Text(Type::Note, Text::Role::Tertiary);
    m_dataNote->setWordWrap(true);
    group.addWide(m_dataNote);
    connect(m_dataLink, &QPushButton::clicked, this, &PlanInputs::chooseDataFile);
    connect(m_data, &QLineEdit::editingFinished, this, [this] {
        const std::string path = m_data->text().trimmed().toStdString();
        if (path != (m_job.data.train.empty() ? std::string() : m_job.data.train.front().string()))
            edit("data.train", [&](JobSpec &job) {
                job.data.train.clear();
                if (!path.empty())
                    job.data.train.emplace_back(path);
            });
    });
    connect(m_tooLong, &Segmented::chosen, this, [this](int index) {
        edit("data.too_long", [index](JobSpec &job) {
            job.data.tooLong = index ? wire::TooLong::Drop : wire::TooLong::Truncate;
        });
    });
}

void PlanInputs::buildMethod(QVBoxLayout *column)
{
    const InputGroup group = addInputGroup(column);
    m_methodTitle = group.title;
    m_method = new Segmented(3);
    m_method->setObjectName(QStringLiteral("method"));
    group.addWide(m_method);
    m_rank =
        addCount("rank", "method.rank", 1, 4096, [](JobSpec &job, int value) { job.method.rank = value; });
    m_alpha = addReal("alpha", "method.alpha", 1e6, 2,
                      [](JobSpec &job, double value) { job.method.alpha = value; });
    m_labels.emplace_back(group.addRow(m_rank, m_alpha), QT_TR_NOOP("Rank / α"));
    m_targets = choiceField(QStringLiteral("targets"));
    m_targets->setEditable(true);
    m_labels.emplace_back(group.addRow(m_targets), QT_TR_NOOP("Targets"));
    m_quantization = choiceField(QStringLiteral("quantization"));
    m_labels.emplace_back(group.addRow(m_quantization), QT_TR_NOOP("Base in"));
    connect(m_method, &Segmented::chosen, this, &PlanInputs::changeMethod);
    const auto changeTargets = [this] {
        const QString text = m_targets->currentText().trimmed();
        if (text.isEmpty() || text == targetsText(m_job))
            return;
        edit("method.targets", [&](JobSpec &job) { setTargets(job, text); });
    };
    connect(m_targets, &QComboBox::activated, this, changeTargets);
    connect(m_targets->lineEdit(), &QLineEdit::editingFinished, this, changeTargets);
    connect(m_quantization, &QComboBox::activated, this, [this](int index) {
        edit("method.quantization.type",
             [index](JobSpec &job) { job.method.quantization.type = wire::QuantizationType(index); });
    });
}

void PlanInputs::buildTraining(QVBoxLayout *column)
{
    const InputGroup group = addInputGroup(column);
    m_trainingTitle = group.title;
    m_epochs = addReal("epochs", "training.epochs", 1e4, 2,
                       [](JobSpec &job, double value) { job.training.epochs = value; });
    m_steps = addCount("steps", "training.max_steps", 0, 100000000,
                       [](JobSpec &job, int value) { job.training.maxSteps = value; });
    m_labels.emplace_back(group.addRow(m_epochs, m_steps), QT_TR_NOOP("Epochs / steps"));
    m_rate = new QLineEdit;
    m_rate->setObjectName(QStringLiteral("learningRate"));
    m_rateError = new Text(Type::Note, Text::Role::Error);
    m_rateError->setWordWrap(true);
    m_rateError->hide();
    m_labels.emplace_back(group.addRow(m_rate), QT_TR_NOOP("Learning rate"));
    group.grid->addWidget(m_rateError, group.grid->rowCount(), 1);
    connect(m_rate, &QLineEdit::textEdited, this, &PlanInputs::changeRate);

    m_microBatch = addCount("microBatch", "training.micro_batch", 1, 65536,
                            [](JobSpec &job, int value) { job.training.microBatch = value; });
    m_accumulation = addCount("accumulation", "training.grad_accumulation", 1, 65536,
                              [](JobSpec &job, int value) { job.training.gradAccumulation = value; });
    m_globalBatch = new Text(Type::Body, Text::Role::Secondary);
    auto *batch = new QWidget;
    auto *row = new QHBoxLayout(batch);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(metrics::fieldGap);
    row->addWidget(m_microBatch, 1);
    row->addWidget(new QLabel(QStringLiteral("×")));
    row->addWidget(m_accumulation, 1);
    row->addWidget(m_globalBatch);
    m_labels.emplace_back(group.addRow(batch), QT_TR_NOOP("Batch"));

    m_precision = choiceField(QStringLiteral("precision"));
    m_precision->addItems({QStringLiteral("fp32"), QStringLiteral("bf16"), QStringLiteral("fp16")});
    m_checkpointing = new QCheckBox;
    m_checkpointing->setObjectName(QStringLiteral("gradientCheckpointing"));
    m_labels.emplace_back(group.addRow(m_precision, m_checkpointing), QT_TR_NOOP("Precision"));
    connect(m_precision, &QComboBox::activated, this, [this](int index) {
        edit("training.precision",
             [index](JobSpec &job) { job.training.precision = wire::Precision(index); });
    });
    connect(m_checkpointing, &QCheckBox::toggled, this, [this](bool on) {
        edit("training.gradient_checkpointing",
             [on](JobSpec &job) { job.training.gradientCheckpointing = on; });
    });
}

void PlanInputs::buildGpu(QVBoxLayout *column)
{
    const InputGroup group = addInputGroup(column);
    m_gpuTitle = group.title;
    m_gpu = choiceField(QStringLiteral("gpu"));
    fillGpus();
    group.addWide(m_gpu);
    m_count = addCount("gpuCount", "parallel.gpus_per_node", 1, 1024,
                       [](JobSpec &job, int value) { job.parallel.gpusPerNode = value; });
    m_strategy = choiceField(QStringLiteral("strategy"));
    for (int i = 0; i <= int(wire::Strategy::Fsdp); ++i)
        m_strategy->addItem(strategyText(wire::Strategy(i)));
    m_labels.emplace_back(group.addRow(m_count, m_strategy), QT_TR_NOOP("Cards"));
    m_price = addReal("price", "hardware.price.per_hour", 1e6, 2, [this](JobSpec &job, double value) {
        setOwnPrice(job, m_currency->currentText().toStdString(), value);
    });
    m_currency = choiceField(QStringLiteral("currency"));
    m_currency->addItems({QStringLiteral("CNY"), QStringLiteral("USD")});
    m_labels.emplace_back(group.addRow(m_price, m_currency), QT_TR_NOOP("Price"));
    connect(m_gpu, &QComboBox::activated, this, [this](int index) {
        const std::string id = m_gpu->itemData(index).toString().toStdString();
        edit("hardware.gpu", [&](JobSpec &job) { job.hardware.gpu = id; });
    });
    connect(m_strategy, &QComboBox::activated, this, [this](int index) {
        edit("parallel.strategy", [index](JobSpec &job) { job.parallel.strategy = wire::Strategy(index); });
    });
    connect(m_currency, &QComboBox::activated, this, [this] {
        edit("hardware.price.currency", [this](JobSpec &job) {
            setOwnPrice(job, m_currency->currentText().toStdString(), job.hardware.price.perHour);
        });
    });
}

void PlanInputs::fillGpus()
{
    m_gpu->addItem(QString(), QString());
    for (const catalog::Gpu &gpu : m_catalog.gpus) {
        if (gpu.vendor == "NVIDIA")
            m_gpu->addItem(QString::fromStdString(gpu.name), QString::fromStdString(gpu.id));
    }
}

void PlanInputs::buildLimits(QVBoxLayout *column)
{
    const InputGroup group = addInputGroup(column);
    m_limitsTitle = group.title;
    m_cap = addReal("cap", "budget.max_cost", 1e9, 2,
                    [](JobSpec &job, double value) { job.budget.maxCost = value; });
    m_hours = addReal("maxHours", "budget.max_hours", 1e6, 1,
                      [](JobSpec &job, double value) { job.budget.maxHours = value; });
    m_labels.emplace_back(group.addRow(m_cap, m_hours), QT_TR_NOOP("Cap / time"));
    m_saveEvery = addCount("saveEvery", "checkpoint.every_steps", 0, 100000000,
                           [](JobSpec &job, int value) { job.checkpoint.everySteps = value; });
    m_labels.emplace_back(group.addRow(m_saveEvery), QT_TR_NOOP("Checkpoint"));
}

void PlanInputs::chooseModelFolder()
{
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Model folder"), pathText(m_job.model.path));
    if (folder.isEmpty())
        return;
    edit("model.path", [&](JobSpec &job) {
        job.model.path = folder.toStdString();
        job.model.id.clear();
        std::erase(job.statedKeys, "model.id");
    });
}

void PlanInputs::chooseDataFile()
{
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Data file"), m_data->text(), tr("Data files (*.jsonl *.json *.csv *.tsv);;All files (*)"));
    if (!file.isEmpty())
        edit("data.train",
             [&](JobSpec &job) { job.data.train = {std::filesystem::path(file.toStdString())}; });
}

void PlanInputs::changeMethod(int index)
{
    edit("method.type", [index](JobSpec &job) {
        const bool quantized = index == 2;
        job.method.type = index ? wire::MethodType::Lora : wire::MethodType::Full;
        auto &type = job.method.quantization.type;
        if (quantized != (type != wire::QuantizationType::None)) {
            type = quantized ? wire::QuantizationType::Nf4 : wire::QuantizationType::None;
            stateKey(job, "method.quantization.type");
        }
    });
}

void PlanInputs::changeRate()
{
    bool ok = false;
    const double value = m_rate->text().trimmed().toDouble(&ok);
    const bool good = ok && value > 0 && value < 1e3;
    m_rateError->setVisible(!good);
    if (good)
        edit("training.learning_rate", [value](JobSpec &job) { job.training.learningRate = value; });
}

void PlanInputs::showBatch()
{
    const int64_t world = int64_t(m_job.parallel.nodes) * m_job.parallel.gpusPerNode;
    const QString product = grouped(m_job.training.microBatch * m_job.training.gradAccumulation * world);
    m_globalBatch->setText(world > 1 ? tr("× %1 cards = %2").arg(world).arg(product)
                                     : QStringLiteral("= ") + product);
}

void PlanInputs::setJob(const JobSpec &job)
{
    m_filling = true;
    m_job = job;
    const QString model =
        job.model.path.empty() ? QString::fromStdString(job.model.id) : pathText(job.model.path);
    chooseData(m_model, model, job.model.path.empty() ? model : pathText(job.model.path.filename()));
    m_data->setText(job.data.train.empty() ? QString() : pathText(job.data.train.front()));
    m_maxLength->setValue(int(job.data.maxLength));
    m_tooLong->setCurrent(job.data.tooLong == wire::TooLong::Drop);
    const bool adapter = job.method.type != wire::MethodType::Full;
    m_method->setCurrent(adapter ? (isQlora(job) ? 2 : 1) : 0);
    m_rank->setValue(int(job.method.rank));
    m_alpha->setValue(job.method.alpha);
    chooseData(m_targets, targetsText(job), targetsText(job));
    m_quantization->setCurrentIndex(int(job.method.quantization.type));
    for (QWidget *field : {static_cast<QWidget *>(m_rank), static_cast<QWidget *>(m_alpha),
                           static_cast<QWidget *>(m_targets), static_cast<QWidget *>(m_quantization)})
        field->setEnabled(adapter);
    m_epochs->setValue(job.training.epochs);
    m_epochs->setEnabled(job.training.maxSteps == 0);
    m_steps->setValue(int(job.training.maxSteps));
    if (m_rate->text().trimmed().toDouble() != job.training.learningRate)
        m_rate->setText(smallNumber(job.training.learningRate));
    m_rateError->hide();
    m_microBatch->setValue(int(job.training.microBatch));
    m_accumulation->setValue(int(job.training.gradAccumulation));
    m_precision->setCurrentIndex(int(job.training.precision));
    m_checkpointing->setChecked(job.training.gradientCheckpointing);
    chooseData(m_gpu, QString::fromStdString(job.hardware.gpu), QString::fromStdString(job.hardware.gpu));
    m_count->setValue(job.parallel.gpusPerNode);
    m_strategy->setCurrentIndex(int(job.parallel.strategy));
    m_price->setValue(job.hardware.price.currency.empty() ? 0 : job.hardware.price.perHour);
    if (!job.hardware.price.currency.empty())
        m_currency->setCurrentText(QString::fromStdString(job.hardware.price.currency));
    m_cap->setValue(job.budget.maxCost);
    m_hours->setValue(job.budget.maxHours);
    m_saveEvery->setValue(int(job.checkpoint.everySteps));
    showBatch();
    m_filling = false;
}

void PlanInputs::setFacts(const PlanAnswer &answer)
{
    const QString separator = QStringLiteral(" · ");
    m_modelNote->setText(answer.plan ? tr("%1 parameters").arg(largeCount(answer.plan->parameters)) +
                                           separator + answer.modelNote
                                     : QString());
    QString rows;
    if (answer.lengths.rows > 0)
        rows = tr("%1 usable rows").arg(grouped(answer.lengths.rows)) + separator +
               tr("%1 tokens on average").arg(significant(answer.lengths.meanTokens, 3));
    m_dataNote->setText(rows);
    m_dataNote->setVisible(!rows.isEmpty());
}

void PlanInputs::changeEvent(QEvent *event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

void PlanInputs::retranslate()
{
    m_modelTitle->setText(tr("Model"));
    m_modelLink->setText(tr("Choose folder…"));
    m_dataTitle->setText(tr("Data"));
    m_dataLink->setText(tr("Choose file…"));
    m_data->setPlaceholderText(tr("A jsonl, json or csv file"));
    m_methodTitle->setText(tr("Method"));
    m_trainingTitle->setText(tr("Training"));
    m_gpuTitle->setText(tr("GPU"));
    m_limitsTitle->setText(tr("Limits"));
    for (const auto &[label, words] : m_labels)
        label->setText(tr(words));
    m_tooLong->setTexts({tr("Cut"), tr("Drop")});
    m_method->setTexts({tr("Full"), QStringLiteral("LoRA"), QStringLiteral("QLoRA")});
    m_steps->setSpecialValueText(tr("by epochs"));
    m_steps->setSuffix(tr(" steps"));
    m_checkpointing->setText(tr("Grad. ckpt"));
    m_checkpointing->setToolTip(tr("Gradient checkpointing"));
    m_rateError->setText(tr("A number such as 1e-4; the last good one stays"));
    m_gpu->setItemText(0, tr("This computer (CPU)"));
    m_strategy->setItemText(0, strategyText(wire::Strategy::None));
    m_price->setSpecialValueText(tr("from the catalogue"));
    m_price->setSuffix(tr(" /h"));
    m_cap->setSpecialValueText(tr("no cap"));
    m_hours->setSpecialValueText(tr("no limit"));
    m_hours->setSuffix(tr(" h"));
    m_saveEvery->setSpecialValueText(tr("automatic"));
    m_saveEvery->setSuffix(tr(" steps"));
    refillChoices(m_quantization, {tr("its own precision"), QStringLiteral("NF4"), QStringLiteral("FP4"),
                                   QStringLiteral("int8")});
    if (m_targets->count() == 0) {
        for (const char *targets : {"all-linear", "q_proj, k_proj, v_proj, o_proj", "q_proj, v_proj"})
            m_targets->addItem(QLatin1String(targets), QLatin1String(targets));
    }
    m_data->setAccessibleName(m_dataTitle->text());
    m_model->setAccessibleName(m_modelTitle->text());
    m_gpu->setAccessibleName(m_gpuTitle->text());
    showBatch();
}

} // namespace rentune::app
