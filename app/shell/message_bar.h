// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QPushButton;

namespace rentune::app {

class Text;

/// A row under the menu that says what went wrong and stays until it is dismissed.
class MessageBar final : public QWidget
{
    Q_OBJECT
public:
    explicit MessageBar(QWidget *parent = nullptr);
    void showMessage(const QString &message);

protected:
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    Text *m_text;
    QPushButton *m_dismiss;
};

} // namespace rentune::app
