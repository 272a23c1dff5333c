//! Figures of requests over their size: one curve for each scheme beside one background, with the middle half of the rounds
//! as a whisker on each point.
//!
//! Both axes are logarithmic. Some schemes lie on each other: so dots at one size stand a little aside of their curves, and ours
//! is drawn first and thickest, each after it thinner.

use plotters::prelude::*;

use super::look::{OURS, stroke};
use super::middle::{Middle, drawable};
use crate::lbe::LbeCase;
use crate::report::axis::Axis;
use crate::report::plot::{self, Named};
use crate::report::stroke::Stroke;
use crate::study::ReportError;

const SIZE_AXIS: &str = "size of the request, KB (log scale)";
/// How far dots of neighbours are apart, as a factor.
const APART: f64 = 1.02;
const DOT: i32 = 8;
/// Widths of the first curve, of the second, and of the last ones.
const WIDTHS: (u32, u32, u32) = (11, 8, 3);

/// What is drawn of a case.
pub(super) struct Figure {
    /// Name and unit, for the axis.
    pub(super) axis: &'static str,
    /// Values below are drawn on it.
    pub(super) floor: f64,
    /// The value of a case.
    pub(super) of: fn(&LbeCase) -> Option<Middle>,
}

struct Point {
    kilobytes: f64,
    value: Middle,
}

/// A curve for each scheme of `cases`; `None` if there is nothing to draw.
pub(super) fn drawing(
    name: &str,
    cases: &[&LbeCase],
    figure: &Figure,
) -> Result<Option<String>, ReportError> {
    let mut curves = curves(cases, figure);
    let Some((x, y)) = axes(&curves, figure.floor) else { return Ok(None) };
    curves.sort_by_key(|(scheme, _)| *scheme != OURS);
    let count = curves.len();
    let drawn = plot::svg(name, plot::HALF, Named(x, SIZE_AXIS), Named(y, figure.axis), |chart| {
        for (number, (scheme, points)) in curves.iter().enumerate() {
            let aside = APART.powf(number as f64 - (count - 1) as f64 / 2.0);
            let stroke = Stroke { width: width(scheme, number), ..stroke(scheme) };
            stroke.draw(chart, points.iter().map(|point| (point.kilobytes, point.value.middle)).collect())?;
            for Point { kilobytes, value } in points {
                let at = kilobytes * aside;
                let whisker =
                    LineSeries::new([(at, value.low), (at, value.high)], stroke.colour.stroke_width(5));
                chart.draw_series(whisker)?;
                stroke.point(chart, (at, value.middle), DOT)?;
            }
        }
        Ok(())
    })?;
    Ok(Some(drawn))
}

fn width(scheme: &str, number: usize) -> u32 {
    let (ours, second, least) = WIDTHS;
    if scheme == OURS { ours } else { second.saturating_sub(number as u32).max(least) }
}

/// Points of each scheme in the order of the cases, each curve from the smallest size on.
fn curves<'a>(cases: &[&'a LbeCase], figure: &Figure) -> Vec<(&'a str, Vec<Point>)> {
    let mut curves: Vec<(&str, Vec<Point>)> = Vec::new();
    for case in cases {
        let Some(point) = point(case, figure) else { continue };
        match curves.iter_mut().find(|(scheme, _)| *scheme == case.scheme) {
            Some((_, points)) => points.push(point),
            None => curves.push((&case.scheme, vec![point])),
        }
    }
    curves
        .iter_mut()
        .for_each(|(_, points)| points.sort_by(|one, other| one.kilobytes.total_cmp(&other.kilobytes)));
    curves
}

fn point(case: &LbeCase, figure: &Figure) -> Option<Point> {
    let kilobytes = drawable(case.bytes as f64 / 1e3).filter(|kilobytes| *kilobytes > 0.0)?;
    let value = (figure.of)(case)?.at_least(figure.floor);
    (value.middle > 0.0).then_some(Point { kilobytes, value })
}

fn axes(curves: &[(&str, Vec<Point>)], floor: f64) -> Option<(Axis, Axis)> {
    let points = || curves.iter().flat_map(|(_, points)| points);
    let least = |of: fn(&Point) -> f64| points().map(of).reduce(f64::min);
    let most = |of: fn(&Point) -> f64| points().map(of).reduce(f64::max);
    let x = Axis::log(least(|point| point.kilobytes)? / 1.3, most(|point| point.kilobytes)? * 1.3);
    let low = least(|point| point.value.low)?;
    let low = if floor > 0.0 { floor } else { low / 1.05 };
    Some((x, Axis::log(low, most(|point| point.value.high)? * 1.05)))
}
