//! What all plots share: size, colours, frame, and marks for percentiles and the requirement.
//!
//! Drawn at twice the size it is shown in: the plot library places on whole pixels, and shrinking hides the steps.

use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Axis;
use crate::study::ReportError;

/// Size of a plot as wide as the page, in pixels of the drawing.
pub(super) const WIDE: (u32, u32) = (1_840, 720);
/// Size of a plot half as wide.
pub(super) const HALF: (u32, u32) = (1_000, 600);

/// Colours that stay apart for the colour-blind, after Okabe and Ito 2002 without its yellow, which is lost on white.
pub(super) const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
];

const INK: RGBColor = RGBColor(60, 66, 74);
const GRID: RGBColor = RGBColor(226, 229, 233);
const REQUIREMENT: RGBColor = RGBColor(170, 30, 40);
const FONT: &str = "system-ui";
const LABEL_SIZE: i32 = 30;
/// Of a label's letter, about.
const CHAR_WIDTH: usize = 15;

/// A chart with both axes of our own kind.
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;
/// What drawing may answer.
pub(super) type Drawn<'b> = Result<(), DrawingAreaErrorKind<<SVGBackend<'b> as DrawingBackend>::ErrorType>>;

/// An axis with its name, unit included.
pub(super) struct Named<'a>(pub(super) Axis, pub(super) &'a str);

/// Names of the places of an upward axis, from the lowest, and how they are drawn there.
pub(super) type Places<'a> = &'a [String];

/// Height of a place and what is around all of them, in pixels of the drawing.
const PLACE: u32 = 58;
const AROUND: u32 = 116;
/// As much of a name as fits beside its place.
const PLACE_CHARS: usize = 17;

/// A plot with a name for each height: as [`svg`], half as wide as the page.
pub(super) fn places(
    name: &str,
    x: Named<'_>,
    places: Places<'_>,
    series: impl for<'a, 'b> FnOnce(&mut Chart<'a, 'b>) -> Drawn<'b>,
) -> Result<String, ReportError> {
    let y = Axis::places(places.len());
    let height = AROUND + (f64::from(PLACE) * (y.at(1.0) - y.at(0.0))) as u32;
    drawn(name, (HALF.0, height), (x, Named(y, "")), places, series)
}

/// Draws one plot and returns it as an SVG element that carries `name` for readers who cannot see it.
pub(super) fn svg(
    name: &str,
    size: (u32, u32),
    x: Named<'_>,
    y: Named<'_>,
    series: impl for<'a, 'b> FnOnce(&mut Chart<'a, 'b>) -> Drawn<'b>,
) -> Result<String, ReportError> {
    drawn(name, size, (x, y), &[], series)
}

fn drawn(
    name: &str,
    size: (u32, u32),
    axes: (Named<'_>, Named<'_>),
    places: Places<'_>,
    series: impl for<'a, 'b> FnOnce(&mut Chart<'a, 'b>) -> Drawn<'b>,
) -> Result<String, ReportError> {
    let mut svg = String::new();
    let drawn = {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        framed(&root, &axes, places, series)
    };
    drawn.map_err(|error| ReportError { plot: name.to_owned(), reason: error.to_string() })?;
    let label = super::html::escape(name);
    Ok(svg.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{label}\" "), 1))
}

fn framed<'b>(
    root: &DrawingArea<SVGBackend<'b>, Shift>,
    (x, y): &(Named<'_>, Named<'_>),
    places: Places<'_>,
    series: impl for<'a> FnOnce(&mut Chart<'a, 'b>) -> Drawn<'b>,
) -> Drawn<'b> {
    let mut chart = ChartBuilder::on(root)
        .margin(16)
        .margin_right(40)
        .x_label_area_size(100)
        .y_label_area_size(if places.is_empty() { 130 } else { 260 })
        .build_cartesian_2d(x.0, y.0)?;
    let name = |at: &f64| match places.is_empty() {
        true => Axis::format(at),
        false => places.get(*at as usize).map(|name| fitted(name)).unwrap_or_default(),
    };
    chart
        .configure_mesh()
        .y_label_formatter(&name)
        .x_labels(if size_of(root) > HALF.0 { 14 } else { 8 })
        .y_labels(10)
        .max_light_lines(0)
        .bold_line_style(GRID.stroke_width(2))
        .axis_style(INK.stroke_width(2))
        .label_style((FONT, LABEL_SIZE).into_font().color(&INK))
        .axis_desc_style((FONT, LABEL_SIZE).into_font().color(&INK))
        .x_desc(x.1)
        .y_desc(y.1)
        .draw()?;
    series(&mut chart)?;
    root.present()
}

/// The library escapes markup and leaves what XML cannot carry; and a long name would go over the edge.
fn fitted(name: &str) -> String {
    let clean = name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let mut shown: String = clean.clone().take(PLACE_CHARS).collect();
    if clean.count() > PLACE_CHARS {
        shown.push('…');
    }
    // A dot at the low end reaches over the axis.
    shown + "\u{a0}\u{a0}"
}

fn size_of(root: &DrawingArea<SVGBackend<'_>, Shift>) -> u32 {
    root.dim_in_pixel().0
}

/// A vertical line at `value_ms` with its name beside it, `row` lines of text below the top.
pub(super) fn mark_age<'b>(chart: &mut Chart<'_, 'b>, value_ms: f64, name: &str, row: u32) -> Drawn<'b> {
    mark_vertical(chart, value_ms, name, row, INK)
}

/// The vertical line of the 500 ms requirement.
pub(super) fn mark_requirement<'b>(chart: &mut Chart<'_, 'b>, row: u32) -> Drawn<'b> {
    let limit_ms = crate::verdict::REQUIREMENT_MS;
    mark_vertical(chart, limit_ms as f64, &format!("{limit_ms} ms required"), row, REQUIREMENT)
}

fn mark_vertical<'b>(
    chart: &mut Chart<'_, 'b>,
    value_ms: f64,
    name: &str,
    row: u32,
    colour: RGBColor,
) -> Drawn<'b> {
    let y = *chart.as_coord_spec().y_spec();
    mark_at(chart, value_ms, (name, y.at(0.99 - 0.075 * f64::from(row))), y.at(1.0), colour)
}

/// A vertical line in a plot of places up to its name, which is in the room above them.
pub(super) fn mark_over_places<'b>(chart: &mut Chart<'_, 'b>, value: f64, name: &str, row: u32) -> Drawn<'b> {
    let at = chart.as_coord_spec().y_spec().at(1.0) - 0.05 - 0.6 * f64::from(row);
    mark_at(chart, value, (name, at), at, INK)
}

fn mark_at<'b>(
    chart: &mut Chart<'_, 'b>,
    value: f64,
    (name, at): (&str, f64),
    top: f64,
    colour: RGBColor,
) -> Drawn<'b> {
    let (x, y) = (*chart.as_coord_spec().x_spec(), *chart.as_coord_spec().y_spec());
    let line = [(value, y.at(0.0)), (value, top)];
    chart.draw_series(DashedLineSeries::new(line, 12, 8, colour.stroke_width(2)))?;
    // Where there is no room for it the name goes to the left of its line.
    let needed =
        (name.chars().count() * CHAR_WIDTH) as f64 / f64::from(chart.plotting_area().dim_in_pixel().0);
    let no_room = x.fraction(value) > 0.8 || x.fraction(value) + needed > 1.0;
    let (side, gap) = if no_room { (HPos::Right, -0.008) } else { (HPos::Left, 0.008) };
    let place = (x.at(x.fraction(value) + gap), at);
    let style = (FONT, LABEL_SIZE).into_font().color(&colour).pos(Pos::new(side, VPos::Top));
    chart.draw_series([Text::new(name.to_owned(), place, style)])?;
    Ok(())
}

/// A value written at the right edge of a plot of places, where its axis has room for it.
pub(super) fn write_at_edge<'b>(chart: &mut Chart<'_, 'b>, place: f64, words: &str) -> Drawn<'b> {
    let x = *chart.as_coord_spec().x_spec();
    let style = (FONT, LABEL_SIZE - 2).into_font().color(&INK).pos(Pos::new(HPos::Right, VPos::Center));
    chart.draw_series([Text::new(words.to_owned(), (x.at(0.995), place), style)])?;
    Ok(())
}

/// The horizontal line of the requirement, for plots with the age upwards.
pub(super) fn mark_requirement_across<'b>(chart: &mut Chart<'_, 'b>) -> Drawn<'b> {
    let limit_ms = crate::verdict::REQUIREMENT_MS;
    let x = *chart.as_coord_spec().x_spec();
    let line = [(x.at(0.0), limit_ms as f64), (x.at(1.0), limit_ms as f64)];
    chart.draw_series(DashedLineSeries::new(line, 12, 8, REQUIREMENT.stroke_width(2)))?;
    let style = (FONT, LABEL_SIZE).into_font().color(&REQUIREMENT).pos(Pos::new(HPos::Right, VPos::Bottom));
    let label = Text::new(format!("{limit_ms} ms required"), (x.at(0.995), limit_ms as f64 * 1.03), style);
    chart.draw_series([label])?;
    Ok(())
}
