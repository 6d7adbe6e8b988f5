// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>

#include <cstddef>
#include <vector>

namespace rentune::app {

/// The values of one pixel column of a chart.
struct Column
{
    int pixel = 0; ///< from the left edge of the plot
    float low = 0;
    float high = 0;
    float first = 0;
    float last = 0;
};

/// A growing curve: points by rising x, drawn as min/max per pixel column, so that a million points cost no
/// more to paint than the columns they fall into. Values that are no numbers are left out.
class Series
{
public:
    /// `x` at or below the last one rewinds: what lay there before is kept aside as overwritten.
    void append(double x, double y);
    void clear();

    size_t size() const { return m_x.size(); }
    bool empty() const { return m_x.empty(); }
    double firstX() const { return m_x.front(); } ///< precondition: not empty
    double lastX() const { return m_x.back(); }
    double lastY() const { return m_y.back(); }

    /// Index of the point nearest to `x`. Precondition: not empty.
    size_t nearest(double x) const;
    double x(size_t index) const { return m_x[index]; }
    double y(size_t index) const { return m_y[index]; }
    float smoothed(size_t index) const { return m_smooth[index]; }

    /// Columns of [from, to] spread over `pixels`; empty columns are left out.
    std::vector<Column> columns(double from, double to, int pixels) const;

    /// The smoothed curve at the last point of each column: an exponential mean, corrected for its start so
    /// that it does not lag behind the first values.
    std::vector<QPointF> smoothedColumns(double from, double to, int pixels) const;

    /// Weight of the past, 0 ≤ weight < 1; recomputes the smoothed curve.
    void setSmoothing(double weight);

    /// Lowest and highest value of [from, to]; false if no point lies there.
    bool bounds(double from, double to, double &low, double &high) const;

    /// Stretches that a rewind replaced, oldest first.
    const std::vector<std::vector<QPointF>> &overwritten() const { return m_overwritten; }

private:
    void appendSmoothed(double y);
    size_t lowerIndex(double x) const;

    std::vector<double> m_x;
    std::vector<float> m_y;
    std::vector<float> m_smooth;
    std::vector<std::vector<QPointF>> m_overwritten;
    double m_weight = 0.93;
    double m_mean = 0;      ///< uncorrected mean after the last point
    double m_remaining = 1; ///< weight^n
};

} // namespace rentune::app
