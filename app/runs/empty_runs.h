// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QPushButton;

namespace rentune::app {

class Text;

/// What the runs page shows before the first run.
class EmptyRuns final : public QWidget
{
    Q_OBJECT
public:
    explicit EmptyRuns(QWidget *parent = nullptr);

Q_SIGNALS:
    void planAsked();

protected:
    void changeEvent(QEvent *event) override;

private:
    void retranslate();

    class Sketch;
    Sketch *m_sketch;
    Text *m_title;
    Text *m_text;
    QPushButton *m_plan;
};

} // namespace rentune::app
