// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/planner/plan_service.h"

#include <QScrollArea>

#include <functional>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace rentune::app {

class Segmented;
class Text;

/// The left column of the plan page: every input of the job. It holds no rules: an edit changes one key of
/// the job and is reported; the job then comes back through setJob, as it does after undo.
class PlanInputs final : public QScrollArea
{
    Q_OBJECT
public:
    explicit PlanInputs(const catalog::Catalog &catalog, QWidget *parent = nullptr);

    void setJob(const wire::JobSpec &job);
    const wire::JobSpec &job() const { return m_job; }
    void setFacts(const PlanAnswer &answer); ///< the lines under model and data

Q_SIGNALS:
    /// `key` is the dotted job key that changed.
    void edited(const rentune::wire::JobSpec &job, const QString &key);

protected:
    void changeEvent(QEvent *event) override;

private:
    using Change = std::function<void(wire::JobSpec &)>;
    void edit(const char *key, const Change &change);
    void retranslate();

    QSpinBox *addCount(const char *name, const char *key, int low, int high,
                       std::function<void(wire::JobSpec &, int)>);
    QDoubleSpinBox *addReal(const char *name, const char *key, double high, int decimals,
                            std::function<void(wire::JobSpec &, double)>);
    void buildModel(QVBoxLayout *column);
    void buildData(QVBoxLayout *column);
    void buildMethod(QVBoxLayout *column);
    void buildTraining(QVBoxLayout *column);
    void buildGpu(QVBoxLayout *column);
    void buildLimits(QVBoxLayout *column);
    void chooseModelFolder();
    void chooseDataFile();
    void changeMethod(int index);
    void changeRate();
    void fillModels();
    void fillGpus();
    void showBatch();

    const catalog::Catalog &m_catalog;
    wire::JobSpec m_job;
    bool m_filling = false;

    Text *m_modelTitle, *m_dataTitle, *m_methodTitle, *m_trainingTitle, *m_gpuTitle, *m_limitsTitle;
    QPushButton *m_modelLink, *m_dataLink;
    QComboBox *m_model;
    Text *m_modelNote, *m_dataNote, *m_rateError;
    QLineEdit *m_data;
    QSpinBox *m_maxLength;
    Segmented *m_tooLong;
    Segmented *m_method;
    QSpinBox *m_rank;
    QDoubleSpinBox *m_alpha;
    QComboBox *m_targets, *m_quantization;
    QDoubleSpinBox *m_epochs;
    QSpinBox *m_steps;
    QLineEdit *m_rate;
    QSpinBox *m_microBatch, *m_accumulation;
    Text *m_globalBatch;
    QComboBox *m_precision;
    QCheckBox *m_checkpointing;
    QComboBox *m_gpu;
    QSpinBox *m_count;
    QComboBox *m_strategy;
    QDoubleSpinBox *m_price;
    QComboBox *m_currency;
    QDoubleSpinBox *m_cap, *m_hours;
    QSpinBox *m_saveEvery;
    std::vector<std::pair<Text *, const char *>> m_labels; ///< row labels and their English words
};

} // namespace rentune::app
