// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/planner/plan_service.h"
#include "app/widgets/controls.h"

#include <QAbstractButton>

#include <array>

class QButtonGroup;

namespace rentune::app {

/// One way to pay: name and date of the price, the sum, when it ends. A price that is absent is a word.
class PriceTile final : public QAbstractButton
{
    Q_OBJECT
public:
    explicit PriceTile(QWidget *parent = nullptr);
    void show(const QString &name, const QString &chip, bool stale, const QString &sum, bool known,
              const QString &note);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_chip, m_sum, m_note;
    bool m_stale = false;
    bool m_known = false;
};

/// The four price classes side by side; one is chosen.
class PriceTiles final : public QWidget
{
    Q_OBJECT
public:
    explicit PriceTiles(QWidget *parent = nullptr);
    void setAnswer(const PlanAnswer &answer);

Q_SIGNALS:
    void chosen(const QString &priceClass);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    std::array<PriceTile *, 4> m_tiles;
    QButtonGroup *m_group;
};

} // namespace rentune::app
