// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"

#include <QColor>
#include <QFont>
#include <QPalette>

#include <array>

namespace rentune::app {

/// Every colour of the window, by role. Text pairs are ≥ 4.5:1 and control borders and marks ≥ 3:1 (tested).
struct Tokens
{
    QColor win, surf, sunk, rail; ///< grounds: window, surface, sunken, rail and bars
    QColor line, line2, control;  ///< hairlines, stronger ones, borders of controls
    QColor text1, text2, text3;   ///< text, secondary, tertiary
    QColor accent, accentText, accentSoft, onAccent;
    QColor ok, okSoft, warn, warnSoft, error, errorSoft, info, infoSoft;
    std::array<QColor, plan::termCount> terms; ///< by plan::Term
    std::array<QColor, 6> curves;              ///< 0 is the loss, 3 the evaluation loss
    bool dark = false;
};

const Tokens &lightTokens();
const Tokens &darkTokens();

/// The set in use. GUI thread only.
const Tokens &tokens();

/// Makes a set the one in use and gives the application its palette.
void useTokens(bool dark);

QPalette paletteOf(const Tokens &tokens);

/// WCAG contrast ratio, 1 to 21.
double contrast(const QColor &a, const QColor &b);

/// Heights and gaps in logical pixels.
namespace metrics {
inline constexpr int gap = 12, margin = 16, fieldGap = 6, controlHeight = 28, rowHeight = 27, radius = 4,
                     panelRadius = 6;
}

/// Type sizes in pixels at 100 %; CJK is never below 12.
enum class Type
{
    Axis = 11,
    Note = 12,
    Body = 13,
    Title = 15,
    Verdict = 16,
    Key = 19,
    Failure = 22,
    Headline = 26
};

/// The application's family at a size of the scale.
QFont typeFont(Type type, bool bold = false);
QFont monoFont(Type type = Type::Note);

/// Family, weight and size every widget starts from; the family list keeps shared Han characters in Chinese
/// shapes.
QFont baseFont();

} // namespace rentune::app
