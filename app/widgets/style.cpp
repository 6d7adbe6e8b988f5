// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/style.h"

#include "app/widgets/icon.h"
#include "app/widgets/tokens.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QStyleFactory>
#include <QStyleOption>

namespace rentune::app {
namespace {

void drawBox(QPainter *painter, const QRect &rect, const QColor &fill, const QColor &border, qreal width = 1)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(fill);
    painter->setPen(border.isValid() ? QPen(border, width) : QPen(Qt::NoPen));
    const qreal inset = width / 2;
    painter->drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), metrics::radius,
                             metrics::radius);
    painter->restore();
}

/// The box of every field: sunken when off, a 2-pixel accent ring with the focus.
void drawField(QPainter *painter, const QRect &rect, QStyle::State state)
{
    const Tokens &t = tokens();
    const bool enabled = state & QStyle::State_Enabled;
    const bool focus = state & QStyle::State_HasFocus;
    drawBox(painter, rect, enabled ? t.surf : t.sunk,
            focus     ? t.accentText
            : enabled ? t.control
                      : t.line2,
            focus ? 2 : 1);
}

void drawButton(const QStyleOptionButton &button, QPainter *painter, const QString &role)
{
    const Tokens &t = tokens();
    const bool enabled = button.state & QStyle::State_Enabled;
    const bool down = button.state & (QStyle::State_Sunken | QStyle::State_On);
    const bool hover = enabled && (button.state & QStyle::State_MouseOver);
    if (role == QLatin1String("quiet"))
        return;
    if (!enabled) {
        drawBox(painter, button.rect, t.sunk, t.line2);
    } else if (role == QLatin1String("primary")) {
        drawBox(painter, button.rect,
                down    ? t.accent.darker(115)
                : hover ? t.accent.darker(106)
                        : t.accent,
                {});
    } else {
        drawBox(painter, button.rect,
                down    ? t.accentSoft
                : hover ? t.sunk
                        : t.surf,
                down ? t.accentText : t.line2);
    }
}

QString roleOf(const QWidget *widget)
{
    return widget ? widget->property(buttonRole).toString() : QString();
}

QColor buttonText(const QStyleOption *option, const QString &role)
{
    const Tokens &t = tokens();
    if (!(option->state & QStyle::State_Enabled))
        return t.text3;
    if (role == QLatin1String("primary"))
        return t.onAccent;
    if (role == QLatin1String("danger"))
        return t.error;
    if (role == QLatin1String("quiet") || (option->state & QStyle::State_On))
        return t.accentText;
    return t.text1;
}

void drawTab(const QStyleOptionTab &tab, QPainter *painter, const QFont &font)
{
    const Tokens &t = tokens();
    const bool selected = tab.state & QStyle::State_Selected;
    QFont shown = font;
    shown.setBold(selected);
    painter->save();
    painter->setFont(shown);
    painter->setPen(selected ? t.accentText : t.text2);
    painter->drawText(tab.rect, Qt::AlignCenter | Qt::TextShowMnemonic, tab.text);
    if (selected)
        painter->fillRect(tab.rect.left() + 6, tab.rect.bottom() - 1, tab.rect.width() - 12, 2, t.accentText);
    painter->restore();
}

void drawScrollBar(const QStyleOptionSlider &bar, const QRect &slider, QPainter *painter)
{
    const Tokens &t = tokens();
    const bool horizontal = bar.orientation == Qt::Horizontal;
    const QRect thumb = horizontal ? slider.adjusted(2, 3, -2, -3) : slider.adjusted(3, 2, -3, -2);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(bar.state & QStyle::State_MouseOver ? t.control : t.line2);
    const qreal radius = (horizontal ? thumb.height() : thumb.width()) / 2.0;
    painter->drawRoundedRect(thumb, radius, radius);
    painter->restore();
}

} // namespace

Style::Style() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void Style::polish(QWidget *widget)
{
    QProxyStyle::polish(widget);
    if (qobject_cast<QPushButton *>(widget) || qobject_cast<QComboBox *>(widget))
        widget->setAttribute(Qt::WA_Hover);
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                          const QWidget *widget) const
{
    const Tokens &t = tokens();
    switch (element) {
    case PE_PanelLineEdit:
        if (widget && qobject_cast<QAbstractSpinBox *>(widget->parentWidget()))
            return;
        if (const auto *frame = qstyleoption_cast<const QStyleOptionFrame *>(option);
            frame && frame->lineWidth > 0)
            drawField(painter, option->rect, option->state);
        return;
    case PE_FrameFocusRect:
        if (widget &&
            (qobject_cast<const QAbstractItemView *>(widget) || roleOf(widget) == QLatin1String("plain")))
            return;
        drawBox(painter, option->rect, Qt::transparent, t.accentText, 2);
        return;
    case PE_IndicatorCheckBox: {
        const bool on = option->state & State_On;
        const QRect box = option->rect.adjusted(0, 0, -1, -1);
        drawBox(painter, box, on ? t.accent : t.surf, on ? t.accent : t.control);
        if (on)
            icon(QStringLiteral("check"), Tint::OnAccent).paint(painter, box.adjusted(1, 1, -1, -1));
        return;
    }
    case PE_PanelStatusBar:
    case PE_FrameStatusBarItem:
    case PE_FrameMenu:
        if (element == PE_FrameMenu)
            drawBox(painter, option->rect, Qt::transparent, t.line2);
        return;
    case PE_FrameTabBarBase:
        painter->fillRect(option->rect.adjusted(0, option->rect.height() - 1, 0, 0), t.line);
        return;
    case PE_Frame:
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void Style::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                        const QWidget *widget) const
{
    const Tokens &t = tokens();
    switch (element) {
    case CE_PushButtonBevel:
        if (const auto *button = qstyleoption_cast<const QStyleOptionButton *>(option))
            drawButton(*button, painter, roleOf(widget));
        return;
    case CE_PushButtonLabel:
        if (const auto *button = qstyleoption_cast<const QStyleOptionButton *>(option)) {
            QStyleOptionButton colored(*button);
            colored.palette.setColor(QPalette::ButtonText, buttonText(option, roleOf(widget)));
            QProxyStyle::drawControl(element, &colored, painter, widget);
        }
        return;
    case CE_HeaderSection:
        painter->fillRect(option->rect, t.surf);
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1), t.line);
        return;
    case CE_HeaderLabel:
        if (const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option)) {
            QStyleOptionHeader plain(*header);
            plain.rect.adjust(4, 0, -4, 0);
            plain.palette.setColor(QPalette::ButtonText, t.text2);
            QFont font = typeFont(Type::Note);
            painter->save();
            painter->setFont(font);
            QProxyStyle::drawControl(element, &plain, painter, widget);
            painter->restore();
        }
        return;
    case CE_TabBarTabShape:
        return;
    case CE_TabBarTabLabel:
        if (const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option))
            drawTab(*tab, painter, widget ? widget->font() : painter->font());
        return;
    case CE_MenuBarEmptyArea:
        painter->fillRect(option->rect, t.rail);
        return;
    case CE_MenuBarItem:
        if (const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option)) {
            painter->fillRect(item->rect, item->state & State_Selected ? t.accentSoft : t.rail);
            drawItemText(painter, item->rect, Qt::AlignCenter | Qt::TextHideMnemonic, item->palette, true,
                         item->text, QPalette::ButtonText);
        }
        return;
    default:
        QProxyStyle::drawControl(element, option, painter, widget);
    }
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                               const QWidget *widget) const
{
    switch (control) {
    case CC_ComboBox: {
        drawField(painter, option->rect, option->state);
        const QRect arrow = subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget);
        QRect mark(0, 0, 14, 14);
        mark.moveCenter(arrow.center());
        icon(QStringLiteral("chevron"), Tint::Quiet)
            .paint(painter, mark, Qt::AlignCenter,
                   option->state & State_Enabled ? QIcon::Normal : QIcon::Disabled);
        return;
    }
    case CC_SpinBox:
        drawField(painter, option->rect, option->state);
        return;
    case CC_ScrollBar:
        if (const auto *bar = qstyleoption_cast<const QStyleOptionSlider *>(option))
            drawScrollBar(*bar, subControlRect(CC_ScrollBar, option, SC_ScrollBarSlider, widget), painter);
        return;
    default:
        QProxyStyle::drawComplexControl(control, option, painter, widget);
    }
}

QRect Style::subControlRect(ComplexControl control, const QStyleOptionComplex *option, SubControl part,
                            const QWidget *widget) const
{
    if (control == CC_ComboBox) {
        const QRect rect = option->rect;
        if (part == SC_ComboBoxArrow)
            return visualRect(option->direction, rect,
                              QRect(rect.right() - 23, rect.top(), 20, rect.height()));
        if (part == SC_ComboBoxEditField)
            return visualRect(option->direction, rect, rect.adjusted(8, 1, -24, -1));
    }
    if (control == CC_SpinBox && part == SC_SpinBoxEditField)
        return option->rect.adjusted(6, 1, -4, -1);
    return QProxyStyle::subControlRect(control, option, part, widget);
}

QRect Style::subElementRect(SubElement element, const QStyleOption *option, const QWidget *widget) const
{
    const QRect rect = QProxyStyle::subElementRect(element, option, widget);
    const bool ownFrame = widget && !qobject_cast<QAbstractSpinBox *>(widget->parentWidget()) &&
                          !qobject_cast<QComboBox *>(widget->parentWidget());
    return element == SE_LineEditContents && ownFrame ? rect.adjusted(5, 0, -5, 0) : rect;
}

QSize Style::sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                              const QWidget *widget) const
{
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    switch (type) {
    case CT_LineEdit:
    case CT_SpinBox:
        result.setHeight(metrics::controlHeight);
        break;
    case CT_ComboBox:
        result = QSize(size.width() + 40, metrics::controlHeight);
        break;
    case CT_PushButton: {
        const QString role = roleOf(widget);
        const int padding = role == QLatin1String("quiet") ? 8 : role == QLatin1String("segment") ? 16 : 28;
        result = QSize(size.width() + padding, role == QLatin1String("quiet") ? size.height() + 2
                                               : role == QLatin1String("primary")
                                                   ? 36
                                                   : std::max(metrics::controlHeight, size.height()));
        break;
    }
    case CT_TabBarTab:
        // The current tab is bold: room for that keeps the bar from moving.
        result = QSize(size.width() + size.width() / 8 + 12, 36);
        break;
    case CT_HeaderSection:
        result.rwidth() += 12;
        break;
    case CT_MenuBarItem:
        result.setHeight(std::max(result.height(), 30));
        break;
    default:
        break;
    }
    return result;
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const
{
    switch (metric) {
    case PM_ScrollBarExtent:
        return 12;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
        return 16;
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
        return 0;
    case PM_ButtonIconSize:
        return 16;
    case PM_FocusFrameHMargin:
        return 6;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int Style::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                     QStyleHintReturn *data) const
{
    switch (hint) {
    case SH_ItemView_ShowDecorationSelected:
        return 1;
    case SH_EtchDisabledText:
    case SH_UnderlineShortcut:
    case SH_ScrollBar_Transient:
        return 0;
    case SH_ComboBox_Popup:
        return 0;
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

void prepareLook()
{
    QApplication::setStyle(new Style);
    QApplication::setFont(baseFont());
}

} // namespace rentune::app
