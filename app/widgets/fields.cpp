// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/fields.h"

#include <QLocale>
#include <QSignalBlocker>
#include <QWheelEvent>

namespace rentune::app {
namespace {

/// A wheel over a field that has no focus belongs to the scroll area around it.
class FocusWheel final : public QObject
{
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        auto *widget = qobject_cast<QWidget *>(watched);
        if (event->type() != QEvent::Wheel || !widget || widget->hasFocus())
            return false;
        event->ignore();
        return true;
    }
};

/// Decimals are shown as far as they say something: 32, not 32.00.
class ShortDouble final : public QDoubleSpinBox
{
public:
    QString textFromValue(double value) const override
    {
        QLocale locale = QLocale::c();
        locale.setNumberOptions(QLocale::OmitGroupSeparator);
        return locale.toString(value, 'g', 12);
    }
    double valueFromText(const QString &text) const override
    {
        QString figure = text;
        figure.remove(suffix()).remove(prefix());
        return QLocale::c().toDouble(figure.trimmed());
    }
    QValidator::State validate(QString &text, int &position) const override
    {
        QString figure = text;
        figure.remove(suffix());
        bool ok = false;
        const double value = QLocale::c().toDouble(figure.trimmed(), &ok);
        Q_UNUSED(position);
        if (text == specialValueText())
            return QValidator::Acceptable;
        return ok && value >= minimum() && value <= maximum() ? QValidator::Acceptable
                                                              : QValidator::Intermediate;
    }
};

template <typename Box>
Box *prepared(Box *box)
{
    box->setButtonSymbols(QAbstractSpinBox::NoButtons);
    box->setFocusPolicy(Qt::StrongFocus);
    box->setMinimumWidth(48);
    box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    box->installEventFilter(new FocusWheel(box));
    return box;
}

} // namespace

QSpinBox *countField(int low, int high)
{
    auto *box = prepared(new QSpinBox);
    box->setRange(low, high);
    box->setGroupSeparatorShown(true);
    return box;
}

QDoubleSpinBox *realField(double low, double high, int decimals)
{
    auto *box = prepared(new ShortDouble);
    box->setDecimals(decimals);
    box->setRange(low, high);
    return box;
}

QComboBox *choiceField(const QString &name)
{
    auto *box = new QComboBox;
    box->setObjectName(name);
    box->setFocusPolicy(Qt::StrongFocus);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(5);
    box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    box->setMaxVisibleItems(18);
    box->installEventFilter(new FocusWheel(box));
    return box;
}

void refillChoices(QComboBox *box, const QStringList &texts)
{
    const QSignalBlocker blocker(box);
    const int index = std::max(box->currentIndex(), 0);
    box->clear();
    box->addItems(texts);
    box->setCurrentIndex(index);
}

} // namespace rentune::app
