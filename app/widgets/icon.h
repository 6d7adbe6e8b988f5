// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QString>

namespace rentune::app {

/// How an icon is tinted; the colour is read from the tokens in use when it is painted.
enum class Tint
{
    Text,
    Quiet,
    Accent,
    OnAccent,
    Ok,
    Warn,
    Error,
    Info
};

/// An icon of resources/icons ("plan", "run" …), drawn in device pixels in the tint's colour.
QIcon icon(const QString &name, Tint tint = Tint::Text);

} // namespace rentune::app
