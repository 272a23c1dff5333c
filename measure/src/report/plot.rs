//! What all plots share: size, colours, frame, and marks for percentiles and the requirement.
//!
//! Drawn at twice the size it is shown in: the plot library places on whole pixels, and shrinking hides the steps.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::ReportError;
use super::axis::Axis;

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

/// A chart with both axes of our own kind.
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;
/// What drawing may answer.
pub(super) type Drawn<'b> = Result<(), DrawingAreaErrorKind<<SVGBackend<'b> as DrawingBackend>::ErrorType>>;

/// An axis with its name, unit included.
pub(super) struct Named<'a>(pub(super) Axis, pub(super) &'a str);

/// Draws one plot and returns it as an SVG element that carries `name` for readers who cannot see it.
pub(super) fn svg(
    name: &str,
    size: (u32, u32),
    x: Named<'_>,
    y: Named<'_>,
    series: impl for<'a, 'b> FnOnce(&mut Chart<'a, 'b>) -> Drawn<'b>,
) -> Result<String, ReportError> {
    let mut svg = String::new();
    let drawn = {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        framed(&root, &x, &y, series)
    };
    drawn.map_err(|error| ReportError { plot: name.to_owned(), reason: error.to_string() })?;
    let label = super::html::escape(name);
    Ok(svg.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{label}\" "), 1))
}

fn framed<'b>(
    root: &DrawingArea<SVGBackend<'b>, Shift>,
    x: &Named<'_>,
    y: &Named<'_>,
    series: impl for<'a> FnOnce(&mut Chart<'a, 'b>) -> Drawn<'b>,
) -> Drawn<'b> {
    let mut chart = ChartBuilder::on(root)
        .margin(16)
        .margin_right(40)
        .x_label_area_size(100)
        .y_label_area_size(130)
        .build_cartesian_2d(x.0, y.0)?;
    chart
        .configure_mesh()
        .x_labels(14)
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
    let (x, y) = (*chart.as_coord_spec().x_spec(), *chart.as_coord_spec().y_spec());
    let line = [(value_ms, y.at(0.0)), (value_ms, y.at(1.0))];
    chart.draw_series(DashedLineSeries::new(line, 12, 8, colour.stroke_width(2)))?;
    // Near the right edge the name goes to the left of its line.
    let (side, gap) = if x.fraction(value_ms) > 0.8 { (HPos::Right, -0.008) } else { (HPos::Left, 0.008) };
    let place = (x.at(x.fraction(value_ms) + gap), y.at(0.99 - 0.075 * f64::from(row)));
    let style = (FONT, LABEL_SIZE).into_font().color(&colour).pos(Pos::new(side, VPos::Top));
    chart.draw_series([Text::new(name.to_owned(), place, style)])?;
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
