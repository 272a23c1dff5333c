//! One figure of each scheme beside one background: a row for each, a dot at the median, a thick line over the middle half of
//! the rounds, a ring at the longest where that is the question.

use plotters::prelude::*;

use super::look::stroke;
use super::middle::{Middle, drawable};
use crate::lbe::LbeCase;
use crate::report::axis::Axis;
use crate::report::plot::{self, Chart, Drawn, Named};
use crate::report::stroke::Stroke;
use crate::study::ReportError;

const DOT: i32 = 11;

/// What is drawn of a case.
pub(super) struct Figure {
    /// Name and unit, for the axis.
    pub(super) axis: &'static str,
    /// Low end of a logarithmic axis; `None` for a linear one from 0.
    pub(super) log_from: Option<f64>,
    /// The axis goes at least so far.
    pub(super) to: f64,
    /// Decimals of the value that is written at the end of its row.
    pub(super) places: usize,
    /// The value of a case.
    pub(super) of: fn(&LbeCase) -> Option<Middle>,
    /// The largest of its rounds, if that is the question: then it is what is written.
    pub(super) worst: fn(&LbeCase) -> Option<f64>,
}

/// A value that the figures are held against, with its name.
pub(super) struct Mark {
    pub(super) at: f64,
    pub(super) name: String,
}

struct Dot {
    stroke: Stroke,
    value: Middle,
    worst: Option<f64>,
    words: String,
}

/// A row for each case; `None` if there is nothing to draw.
pub(super) fn drawing(
    name: &str,
    cases: &[&LbeCase],
    figure: &Figure,
    marks: &[Mark],
) -> Result<Option<String>, ReportError> {
    let rows = cases.iter().rev().filter_map(|case| Some((case.scheme.clone(), dot(case, figure)?)));
    let (names, dots): (Vec<String>, Vec<Dot>) = rows.unzip();
    if dots.is_empty() {
        return Ok(None);
    }
    let x = axis(figure, &dots, marks);
    let drawn = plot::places(name, Named(x, figure.axis), &names, |chart| {
        for (row, mark) in marks.iter().enumerate() {
            plot::mark_over_places(chart, mark.at, &mark.name, row as u32)?;
        }
        dots.iter().enumerate().try_for_each(|(place, dot)| draw(chart, dot, place as f64))
    })?;
    Ok(Some(drawn))
}

fn dot(case: &LbeCase, figure: &Figure) -> Option<Dot> {
    let told = (figure.of)(case)?;
    let worst = (figure.worst)(case).and_then(drawable);
    let words = format!("{:.*}", figure.places, worst.unwrap_or(told.middle));
    let value = told.at_least(figure.log_from.unwrap_or(0.0));
    Some(Dot { stroke: stroke(&case.scheme), value, worst, words })
}

/// With room at its high end for the values.
fn axis(figure: &Figure, dots: &[Dot], marks: &[Mark]) -> Axis {
    let ends = dots.iter().map(|dot| dot.worst.unwrap_or(dot.value.high).max(dot.value.high));
    let high = ends.chain(marks.iter().map(|mark| mark.at)).fold(figure.to, f64::max);
    match figure.log_from {
        Some(low) => Axis::log(low, high * 5.0),
        None => Axis::linear(high * 1.25),
    }
}

fn draw<'b>(chart: &mut Chart<'_, 'b>, dot: &Dot, place: f64) -> Drawn<'b> {
    let Dot { stroke, value, worst, words } = dot;
    let end = worst.unwrap_or(value.high).max(value.high);
    let line = |from: f64, to: f64, width: u32| {
        LineSeries::new([(from, place), (to, place)], stroke.colour.stroke_width(width))
    };
    chart.draw_series(line(value.low, value.high, 9))?;
    if worst.is_some() {
        chart.draw_series(line(value.middle, end, 3))?;
        chart.draw_series([Circle::new((end, place), DOT - 2, stroke.colour.stroke_width(4))])?;
    }
    stroke.point(chart, (value.middle, place), DOT)?;
    plot::write_at_edge(chart, place, words)
}
