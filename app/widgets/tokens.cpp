// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/tokens.h"

#include <QApplication>

#include <cmath>

namespace rentune::app {
namespace {

bool darkInUse = false;

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor &color)
{
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

QColor rgb(quint32 value)
{
    return QColor::fromRgb(value | 0xFF000000U);
}

Tokens makeLight()
{
    Tokens t;
    t.win = rgb(0xF3F4F6), t.surf = rgb(0xFFFFFF), t.sunk = rgb(0xECEEF1), t.rail = rgb(0xE6E9ED);
    t.line = rgb(0xDFE3E8), t.line2 = rgb(0xC6CCD4), t.control = rgb(0x868E9A);
    t.text1 = rgb(0x1A1F27), t.text2 = rgb(0x454E5B), t.text3 = rgb(0x5F6875);
    t.accent = rgb(0x0A6382), t.accentText = rgb(0x0A6382), t.accentSoft = rgb(0xE2F0F4),
    t.onAccent = rgb(0xFFFFFF);
    t.ok = rgb(0x19703F), t.okSoft = rgb(0xE3F3E9), t.warn = rgb(0x8A5300), t.warnSoft = rgb(0xFBF0DA);
    t.error = rgb(0xB3261E), t.errorSoft = rgb(0xFCE9E7), t.info = rgb(0x2B5C9E), t.infoSoft = rgb(0xE6EEF8);
    t.terms = {rgb(0x2F66A9), rgb(0xBF6316), rgb(0xE79F4F), rgb(0xF3CB98), rgb(0x7AA5D8), rgb(0xB3CBE8),
               rgb(0x17806F), rgb(0x6CC0AF), rgb(0x85559A), rgb(0xB793C6), rgb(0xA4ACB7), rgb(0x626B78)};
    t.curves = {rgb(0x2F45C5), rgb(0xAE6400), rgb(0x1B806D), rgb(0x8962A6), rgb(0x471152), rgb(0xA1122E)};
    return t;
}

Tokens makeDark()
{
    Tokens t;
    t.dark = true;
    t.win = rgb(0x16191D), t.surf = rgb(0x1E2227), t.sunk = rgb(0x121518), t.rail = rgb(0x191C21);
    t.line = rgb(0x2C323A), t.line2 = rgb(0x3C444F), t.control = rgb(0x76808F);
    t.text1 = rgb(0xE8EBF0), t.text2 = rgb(0xB9C0CB), t.text3 = rgb(0x97A0AD);
    t.accent = rgb(0x1C7F9F), t.accentText = rgb(0x62C3DF), t.accentSoft = rgb(0x17323C),
    t.onAccent = rgb(0xFFFFFF);
    t.ok = rgb(0x5CC98A), t.okSoft = rgb(0x16301F), t.warn = rgb(0xE6B04A), t.warnSoft = rgb(0x33270F);
    t.error = rgb(0xF28B82), t.errorSoft = rgb(0x3A1B19), t.info = rgb(0x84B3EE), t.infoSoft = rgb(0x1A2A40);
    t.terms = {rgb(0x4D86CC), rgb(0xD9812F), rgb(0xEDB06C), rgb(0xF5D2A8), rgb(0x8DB6E6), rgb(0xBCD4F0),
               rgb(0x2FA08C), rgb(0x82CFC0), rgb(0xA476BA), rgb(0xC6A5D4), rgb(0x6F7986), rgb(0x98A2AF)};
    t.curves = {rgb(0x3B8FFF), rgb(0xC08A2E), rgb(0x62E0A0), rgb(0xA795CC), rgb(0xDAE5E8), rgb(0xE46074)};
    return t;
}

} // namespace

const Tokens &lightTokens()
{
    static const Tokens light = makeLight();
    return light;
}

const Tokens &darkTokens()
{
    static const Tokens dark = makeDark();
    return dark;
}

const Tokens &tokens()
{
    return darkInUse ? darkTokens() : lightTokens();
}

void useTokens(bool dark)
{
    darkInUse = dark;
    QApplication::setPalette(paletteOf(tokens()));
}

QPalette paletteOf(const Tokens &t)
{
    QPalette palette;
    palette.setColor(QPalette::Window, t.win);
    palette.setColor(QPalette::WindowText, t.text1);
    palette.setColor(QPalette::Base, t.surf);
    palette.setColor(QPalette::AlternateBase, t.sunk);
    palette.setColor(QPalette::Text, t.text1);
    palette.setColor(QPalette::PlaceholderText, t.text3);
    palette.setColor(QPalette::Button, t.surf);
    palette.setColor(QPalette::ButtonText, t.text1);
    palette.setColor(QPalette::BrightText, t.onAccent);
    palette.setColor(QPalette::Highlight, t.accentSoft);
    palette.setColor(QPalette::HighlightedText, t.text1);
    palette.setColor(QPalette::Link, t.accentText);
    palette.setColor(QPalette::LinkVisited, t.accentText);
    palette.setColor(QPalette::ToolTipBase, t.surf);
    palette.setColor(QPalette::ToolTipText, t.text1);
    palette.setColor(QPalette::Light, t.surf);
    palette.setColor(QPalette::Midlight, t.line);
    palette.setColor(QPalette::Mid, t.line2);
    palette.setColor(QPalette::Dark, t.control);
    palette.setColor(QPalette::Shadow, t.line2);
    for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, t.text3);
    palette.setColor(QPalette::Disabled, QPalette::Base, t.sunk);
    return palette;
}

double contrast(const QColor &a, const QColor &b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QFont baseFont()
{
    QFont font = QApplication::font();
#if defined(Q_OS_WIN)
    font.setFamilies({QStringLiteral("Segoe UI Variable"), QStringLiteral("Segoe UI"),
                      QStringLiteral("Microsoft YaHei UI")});
#elif defined(Q_OS_MACOS)
    font.setFamilies({font.family(), QStringLiteral("PingFang SC")});
#else
    font.setFamilies({QStringLiteral("Noto Sans CJK SC"), QStringLiteral("Source Han Sans SC"),
                      QStringLiteral("Noto Sans"), font.family()});
#endif
    font.setPixelSize(int(Type::Body));
    return font;
}

QFont typeFont(Type type, bool bold)
{
    QFont font = QApplication::font();
    font.setPixelSize(int(type));
    font.setWeight(bold ? QFont::Bold : QFont::Normal);
    return font;
}

QFont monoFont(Type type)
{
    QFont font = QApplication::font();
#if defined(Q_OS_WIN)
    font.setFamilies(
        {QStringLiteral("Cascadia Mono"), QStringLiteral("Consolas"), QStringLiteral("Microsoft YaHei UI")});
#elif defined(Q_OS_MACOS)
    font.setFamilies({QStringLiteral("SF Mono"), QStringLiteral("Menlo"), QStringLiteral("PingFang SC")});
#else
    font.setFamilies({QStringLiteral("Noto Sans Mono"), QStringLiteral("Noto Sans Mono CJK SC"),
                      QStringLiteral("DejaVu Sans Mono")});
#endif
    font.setStyleHint(QFont::Monospace);
    font.setPixelSize(int(type));
    return font;
}

} // namespace rentune::app
