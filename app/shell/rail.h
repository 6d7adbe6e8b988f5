// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QWidget>

class QButtonGroup;
class QVBoxLayout;

namespace rentune::app {

/// One page in the rail: icon over word, an accent at the left of the current one, a badge for what is alive.
class RailButton final : public QAbstractButton
{
    Q_OBJECT
public:
    explicit RailButton(const QString &iconName, QWidget *parent = nullptr);
    void setBadge(int count);
    QSize sizeHint() const override { return {64, 56}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_icon;
    int m_badge = 0;
};

/// The pages of the window at its left edge; one is current.
class Rail final : public QWidget
{
    Q_OBJECT
public:
    explicit Rail(QWidget *parent = nullptr);
    RailButton *addPage(const QString &objectName, const QString &iconName);
    void setCurrent(int index);

Q_SIGNALS:
    void chosen(int index);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QButtonGroup *m_group;
    QVBoxLayout *m_column;
};

} // namespace rentune::app
