// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/icon.h"

#include "app/widgets/tokens.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

namespace rentune::app {
namespace {

QColor colorOf(Tint tint, QIcon::Mode mode)
{
    const Tokens &t = tokens();
    if (mode == QIcon::Disabled)
        return t.text3;
    switch (tint) {
    case Tint::Text:
        return t.text1;
    case Tint::Quiet:
        return t.text2;
    case Tint::Accent:
        return t.accentText;
    case Tint::OnAccent:
        return t.onAccent;
    case Tint::Ok:
        return t.ok;
    case Tint::Warn:
        return t.warn;
    case Tint::Error:
        return t.error;
    case Tint::Info:
        return t.info;
    }
    return t.text1;
}

class TintedEngine final : public QIconEngine
{
public:
    TintedEngine(QByteArray svg, Tint tint) : m_svg(std::move(svg)), m_tint(tint) {}

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        QByteArray svg = m_svg;
        svg.replace("currentColor", colorOf(m_tint, mode).name().toLatin1());
        QSvgRenderer(svg).render(painter, QRectF(rect));
    }

    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        return pixmap;
    }

    QIconEngine *clone() const override { return new TintedEngine(*this); }

private:
    QByteArray m_svg;
    Tint m_tint;
};

} // namespace

QIcon icon(const QString &name, Tint tint)
{
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QIcon(new TintedEngine(file.readAll(), tint));
}

} // namespace rentune::app
