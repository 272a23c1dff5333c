//! How long processors waited for spin locks: a line for each policy, how many waits of a length there were in a second of the work.

use super::axis::Axis;
use super::html::{self, escape};
use super::plot::{self, Named, PALETTE};
use super::stroke::Stroke;
use crate::dualos::{DualosCase, LONG_US, Waits, arms};
use crate::study::ReportError;

const CAPTION: &str = "Waits for a spin lock in a second of hackbench, by how long they took, all rounds together. Each dot has the waits up \
                       to twice its length. A wait for the RTOS is about as long as its task.";
/// Fewest in a second that are drawn.
const LEAST: f64 = 0.001;

/// Of one policy, waits in a second, by powers of two of microseconds.
struct Line {
    arm: String,
    points: Vec<(f64, f64)>,
}

/// Both axes, lines and what they are.
pub(super) fn drawing(cases: &[DualosCase]) -> Result<String, ReportError> {
    let lines = lines(cases);
    let points = || lines.iter().flat_map(|line| &line.points);
    let longest_us = points().map(|point| point.0).fold(LONG_US as f64, f64::max);
    let most = points().map(|point| point.1).fold(1.0, f64::max);
    let axes = (
        Named(Axis::log(1.0, longest_us * 2.0), "wait, µs"),
        Named(Axis::log(LEAST, most * 2.0), "waits in a second"),
    );
    let drawn = plot::svg(CAPTION, plot::WIDE, axes.0, axes.1, |chart| {
        lines.iter().enumerate().try_for_each(|(number, line)| {
            let stroke = stroke(number, &line.arm);
            stroke.draw(chart, line.points.clone())?;
            line.points.iter().try_for_each(|point| stroke.point(chart, *point, 7))
        })
    })?;
    let legend = |(number, line): (usize, &Line)| {
        format!("<li>{}{}</li>\n", stroke(number, &line.arm).swatch(), escape(&line.arm))
    };
    let legend: String = lines.iter().enumerate().map(legend).collect();
    Ok(html::figure(&drawn, CAPTION) + &format!("<ul class=\"legend\">\n{legend}</ul>\n"))
}

fn stroke(number: usize, arm: &str) -> Stroke {
    let colour = if arm == "least-locked" { PALETTE[6] } else { PALETTE[number % (PALETTE.len() - 1)] };
    Stroke { colour, width: 5, dashed: arm == "none" }
}

fn lines(cases: &[DualosCase]) -> Vec<Line> {
    let line = |(arm, cases): (&str, Vec<&DualosCase>)| {
        let mut waits = Waits::default();
        for (power, count) in
            cases.iter().filter_map(|case| case.waits.as_ref()).flat_map(|of| &of.waits_by_power)
        {
            waits.add(*power, *count);
        }
        waits.waits_by_power.sort_unstable();
        let seconds: f64 = cases.iter().filter_map(|case| case.seconds).sum();
        let point = |(power, count): (u32, u64)| {
            ((1_u64 << power.min(40)) as f64, (count as f64 / seconds.max(0.001)).max(LEAST))
        };
        Line { arm: arm.to_owned(), points: waits.waits_by_power.into_iter().map(point).collect() }
    };
    arms("spin", cases).into_iter().map(line).collect()
}
