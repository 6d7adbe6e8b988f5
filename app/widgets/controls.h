// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/widgets/icon.h"
#include "app/widgets/tokens.h"

#include <QFrame>
#include <QLabel>
#include <QPushButton>

class QButtonGroup;
class QHBoxLayout;
class QVBoxLayout;

namespace rentune::app {

/// A label that takes its size, weight and colour role from the tokens and follows a change of theme.
class Text final : public QLabel
{
    Q_OBJECT
public:
    enum class Role
    {
        Primary,
        Secondary,
        Tertiary,
        Accent,
        Ok,
        Warn,
        Error
    };

    explicit Text(Type type = Type::Body, Role role = Role::Primary, bool bold = false,
                  QWidget *parent = nullptr);
    void setRole(Role role);

protected:
    void changeEvent(QEvent *event) override;

private:
    void applyColor();

    Role m_role;
};

/// A surface with a 1-pixel border and, if it has a title, a header row of 36.
class Surface final : public QFrame
{
    Q_OBJECT
public:
    explicit Surface(bool withHeader = true, QWidget *parent = nullptr);
    void setTitle(const QString &title, const QString &note = {});
    QHBoxLayout *headerRight() const { return m_headerRight; } ///< for links and legends; needs a header
    QVBoxLayout *body() const { return m_body; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Text *m_title = nullptr;
    Text *m_note = nullptr;
    QHBoxLayout *m_headerRight = nullptr;
    QVBoxLayout *m_body = nullptr;
};

/// An exclusive row of short choices.
class Segmented final : public QWidget
{
    Q_OBJECT
public:
    explicit Segmented(int count, QWidget *parent = nullptr);
    void setTexts(const QStringList &texts);
    int current() const;
    void setCurrent(int index); ///< emits nothing

Q_SIGNALS:
    void chosen(int index);

private:
    QButtonGroup *m_group;
};

/// A short word on a tinted ground: states and dates.
class Chip final : public QLabel
{
    Q_OBJECT
public:
    enum class Kind
    {
        Neutral,
        Ok,
        Warn,
        Error,
        Info
    };
    explicit Chip(QWidget *parent = nullptr);
    void show(const QString &text, Kind kind);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Kind m_kind = Kind::Neutral;
};

/// A 1-pixel line between groups.
class Separator final : public QWidget
{
    Q_OBJECT
public:
    explicit Separator(QWidget *parent = nullptr);

protected:
    void paintEvent(QPaintEvent *event) override;
};

QPushButton *linkButton(QWidget *parent = nullptr);
QPushButton *primaryButton(QWidget *parent = nullptr);

} // namespace rentune::app
