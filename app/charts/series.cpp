// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/series.h"

#include <algorithm>
#include <cmath>

namespace rentune::app {

void Series::append(double x, double y)
{
    if (!std::isfinite(x) || !std::isfinite(y))
        return;
    if (!m_x.empty() && x <= m_x.back()) {
        const size_t keep = lowerIndex(x);
        std::vector<QPointF> replaced;
        for (size_t i = keep; i < m_x.size(); ++i)
            replaced.emplace_back(m_x[i], m_y[i]);
        m_overwritten.push_back(std::move(replaced));
        m_x.resize(keep);
        m_y.resize(keep);
        setSmoothing(m_weight);
    }
    m_x.push_back(x);
    m_y.push_back(float(y));
    appendSmoothed(y);
}

void Series::clear()
{
    *this = Series();
}

void Series::appendSmoothed(double y)
{
    m_mean = m_weight * m_mean + (1 - m_weight) * y;
    m_remaining *= m_weight;
    m_smooth.push_back(float(m_mean / (1 - m_remaining)));
}

void Series::setSmoothing(double weight)
{
    m_weight = std::clamp(weight, 0.0, 0.999);
    m_mean = 0;
    m_remaining = 1;
    m_smooth.clear();
    for (const float y : m_y)
        appendSmoothed(y);
}

size_t Series::lowerIndex(double x) const
{
    return size_t(std::lower_bound(m_x.begin(), m_x.end(), x) - m_x.begin());
}

size_t Series::nearest(double x) const
{
    const size_t right = std::min(lowerIndex(x), m_x.size() - 1);
    return right > 0 && x - m_x[right - 1] < m_x[right] - x ? right - 1 : right;
}

std::vector<Column> Series::columns(double from, double to, int pixels) const
{
    std::vector<Column> result;
    if (!(to > from) || pixels < 1)
        return result;
    size_t index = lowerIndex(from);
    for (int pixel = 0; pixel < pixels && index < m_x.size(); ++pixel) {
        const double edge =
            pixel + 1 == pixels ? std::nextafter(to, HUGE_VAL) : from + (to - from) * (pixel + 1) / pixels;
        const size_t end =
            size_t(std::lower_bound(m_x.begin() + std::ptrdiff_t(index), m_x.end(), edge) - m_x.begin());
        if (end == index)
            continue;
        const auto [low, high] =
            std::minmax_element(m_y.begin() + std::ptrdiff_t(index), m_y.begin() + std::ptrdiff_t(end));
        result.push_back({pixel, *low, *high, m_y[index], m_y[end - 1]});
        index = end;
    }
    return result;
}

std::vector<QPointF> Series::smoothedColumns(double from, double to, int pixels) const
{
    std::vector<QPointF> result;
    if (!(to > from) || pixels < 1)
        return result;
    const size_t begin = lowerIndex(from);
    const size_t end = size_t(std::upper_bound(m_x.begin(), m_x.end(), to) - m_x.begin());
    const size_t stride = std::max<size_t>(1, (end - begin) / size_t(pixels));
    for (size_t i = begin; i < end; i += stride)
        result.emplace_back((m_x[i] - from) / (to - from) * pixels, m_smooth[i]);
    if (end > begin && (end - 1 - begin) % stride)
        result.emplace_back((m_x[end - 1] - from) / (to - from) * pixels, m_smooth[end - 1]);
    return result;
}

bool Series::bounds(double from, double to, double &low, double &high) const
{
    const auto begin = m_y.begin() + std::ptrdiff_t(lowerIndex(from));
    const auto end = m_y.begin() + (std::upper_bound(m_x.begin(), m_x.end(), to) - m_x.begin());
    if (begin >= end)
        return false;
    const auto [least, most] = std::minmax_element(begin, end);
    low = *least;
    high = *most;
    return true;
}

} // namespace rentune::app
