//! Latencies of all peers at one size: a row for each, a dot at the median, a thick line over the rounds' medians, a ring at the 99th
//! percentile of all samples.

use plotters::prelude::*;

use super::axis::Axis;
use super::plot::{self, Chart, Drawn, Named, PALETTE};
use super::stroke::SOMEBODY_ELSE;
use crate::local::{Kind, LocalCase, kind_of};
use crate::study::ReportError;

const DOT: i32 = 11;
/// Shortest latency on an axis, µs.
const FLOOR_US: f64 = 0.1;

struct Row {
    colour: RGBColor,
    median: f64,
    low: f64,
    high: f64,
    p99: Option<f64>,
}

/// `None` if there is nothing to draw.
pub(super) fn drawing(name: &str, cases: &[&LocalCase]) -> Result<Option<String>, ReportError> {
    let rows = cases.iter().rev().filter_map(|case| Some((case.peer.clone(), row(case)?)));
    let (names, rows): (Vec<String>, Vec<Row>) = rows.unzip();
    if rows.is_empty() {
        return Ok(None);
    }
    let lowest = rows.iter().map(|row| row.low).fold(f64::INFINITY, f64::min);
    let highest = rows.iter().map(|row| row.p99.unwrap_or(row.high).max(row.high)).fold(FLOOR_US, f64::max);
    let x = Named(Axis::log(lowest.max(FLOOR_US), highest * 3.0), "one way, µs");
    let drawn = plot::places(name, x, &names, |chart| {
        rows.iter().enumerate().try_for_each(|(place, row)| draw(chart, row, place as f64))
    })?;
    Ok(Some(drawn))
}

fn row(case: &LocalCase) -> Option<Row> {
    let drawable = |value: f64| (value.is_finite() && value > 0.0).then_some(value.max(FLOOR_US));
    let median = drawable(case.p50_us?)?;
    let (low, high) = case.spread_us().unwrap_or((median, median));
    let colour = match kind_of(&case.peer) {
        Some(Kind::Ours) => PALETTE[6],
        Some(Kind::Floor) => SOMEBODY_ELSE,
        _ => PALETTE[0],
    };
    Some(Row {
        colour,
        median,
        low: drawable(low).unwrap_or(median),
        high: drawable(high).unwrap_or(median),
        p99: case.p99_us.and_then(drawable),
    })
}

fn draw<'b>(chart: &mut Chart<'_, 'b>, row: &Row, place: f64) -> Drawn<'b> {
    let line = [(row.low, place), (row.high, place)];
    chart.draw_series(LineSeries::new(line, row.colour.stroke_width(9)))?;
    if let Some(p99) = row.p99 {
        chart.draw_series([Circle::new((p99, place), DOT - 2, row.colour.stroke_width(4))])?;
    }
    chart.draw_series([Circle::new((row.median, place), DOT, row.colour.filled())])?;
    plot::write_at_edge(chart, place, &format!("{:.1}", row.median))
}
