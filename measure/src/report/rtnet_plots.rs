//! Jitter and round trips of each setting beside one load: a dot at the mean, a ring at the worst, whose value stands at the edge.

use plotters::prelude::*;

use super::axis::Axis;
use super::html;
use super::plot::{self, Chart, Drawn, Named, PALETTE};
use super::stroke::Stroke;
use crate::rtnet::RtnetCase;
use crate::study::ReportError;

const DOT: i32 = 11;
/// A microsecond; nothing shorter is drawn.
const LEAST_MS: f64 = 0.001;
const MOST_MS: f64 = 1e9;

/// What is drawn of a case.
struct Figure {
    axis: &'static str,
    name: &'static str,
    mean_ms: fn(&RtnetCase) -> f64,
    worst_ms: fn(&RtnetCase) -> f64,
    n: fn(&RtnetCase) -> u64,
}

const FIGURES: [Figure; 2] = [
    Figure {
        axis: "jitter, ms",
        name: "how far the distance of two frames is from the period",
        mean_ms: |case| case.jitter_mean_ms,
        worst_ms: |case| case.jitter_max_ms,
        n: |case| case.n,
    },
    Figure {
        axis: "round trip, ms",
        name: "how long an answer takes",
        mean_ms: |case| case.rtt_mean_ms,
        worst_ms: |case| case.rtt_max_ms,
        n: |case| case.rtt_n,
    },
];

struct Dot {
    mean_ms: f64,
    worst_ms: f64,
    is_plan: bool,
}

/// Both figures of these cases, which differ in setting alone.
pub(super) fn drawings(load: &str, cases: &[&RtnetCase]) -> Result<String, ReportError> {
    let mut out = String::new();
    for figure in &FIGURES {
        let beside = if load == "none" { "nothing".to_owned() } else { format!("bulk TCP, {load}") };
        let caption = format!("Beside {beside}: {}; dot: mean, ring and figure: worst", figure.name);
        if let Some(drawing) = drawing(&caption, figure, cases)? {
            out.push_str(&html::figure(&drawing, &caption));
        }
    }
    Ok(out)
}

fn drawing(name: &str, figure: &Figure, cases: &[&RtnetCase]) -> Result<Option<String>, ReportError> {
    let drawable = |ms: &f64| (0.0..MOST_MS).contains(ms);
    let rows = cases.iter().rev().filter(|case| (figure.n)(case) > 0).filter_map(|case| {
        let (mean_ms, worst_ms) = ((figure.mean_ms)(case), (figure.worst_ms)(case));
        let dot = Dot {
            mean_ms: mean_ms.max(LEAST_MS),
            worst_ms: worst_ms.max(LEAST_MS),
            is_plan: case.config == "tuned",
        };
        (drawable(&mean_ms) && drawable(&worst_ms)).then(|| (case.config.clone(), dot))
    });
    let (names, dots): (Vec<String>, Vec<Dot>) = rows.unzip();
    if dots.is_empty() {
        return Ok(None);
    }
    let most = dots.iter().map(|dot| dot.worst_ms).fold(LEAST_MS, f64::max);
    // With room at its high end for the figures.
    let x = Named(Axis::log(LEAST_MS, most * 8.0), figure.axis);
    let drawn = plot::places(name, x, &names, |chart| {
        dots.iter().enumerate().try_for_each(|(place, dot)| draw(chart, dot, place as f64))
    })?;
    Ok(Some(drawn))
}

fn draw<'b>(chart: &mut Chart<'_, 'b>, dot: &Dot, place: f64) -> Drawn<'b> {
    let colour = if dot.is_plan { PALETTE[0] } else { PALETTE[1] };
    let line = [(dot.mean_ms, place), (dot.worst_ms, place)];
    chart.draw_series(LineSeries::new(line, colour.stroke_width(3)))?;
    chart.draw_series([Circle::new((dot.worst_ms, place), DOT - 2, colour.stroke_width(4))])?;
    Stroke { colour, width: 3, dashed: false }.point(chart, (dot.mean_ms, place), DOT)?;
    plot::write_at_edge(chart, place, &format!("{:.3}", dot.worst_ms))
}
