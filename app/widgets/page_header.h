// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace rentune::app {

class Text;

/// The 48-pixel row on top of every page: title, what the page adds to it, its actions, and the meter of what
/// is being billed.
class PageHeader final : public QWidget
{
    Q_OBJECT
public:
    explicit PageHeader(QWidget *parent = nullptr);
    void setTitle(const QString &title);
    QHBoxLayout *context() const { return m_context; } ///< after the title
    QHBoxLayout *actions() const { return m_actions; } ///< before the meter

protected:
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void retranslate();

    Text *m_title;
    Text *m_meter;
    QHBoxLayout *m_context;
    QHBoxLayout *m_actions;
};

} // namespace rentune::app
