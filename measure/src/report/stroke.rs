//! How a line is drawn, and the piece of it in a legend.
//!
//! Black is the colour of the text: the style sheet turns it over on a dark page, in drawing and legend alike.

use plotters::prelude::*;

use super::plot::{Chart, Drawn};

/// For whom no colour is known.
pub(super) const SOMEBODY_ELSE: RGBColor = RGBColor(120, 120, 120);
const TEXT: RGBColor = RGBColor(0, 0, 0);
/// Length of a dash and of the gap behind it, in pixels of the drawing.
const DASH: (i32, i32) = (14, 9);

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stroke {
    pub(super) colour: RGBColor,
    pub(super) width: u32,
    pub(super) dashed: bool,
}

impl Stroke {
    /// A piece of the line for the legend.
    pub(super) fn swatch(self) -> String {
        let RGBColor(red, green, blue) = self.colour;
        let colour = format!("rgb({red},{green},{blue})");
        match (self.colour == TEXT, self.dashed) {
            (true, _) => "<span class=\"swatch own\"></span>".to_owned(),
            (false, false) => format!("<span class=\"swatch\" style=\"background:{colour}\"></span>"),
            (false, true) => format!(
                "<span class=\"swatch\" style=\"background:repeating-linear-gradient(90deg,{colour} 0 .4rem,transparent \
                 .4rem .6rem)\"></span>"
            ),
        }
    }

    /// The line through `points`.
    pub(super) fn draw<'b>(self, chart: &mut Chart<'_, 'b>, points: Vec<(f64, f64)>) -> Drawn<'b> {
        let style = self.colour.stroke_width(self.width);
        match self.dashed {
            true => chart.draw_series(DashedLineSeries::new(points, DASH.0, DASH.1, style)).map(|_| ()),
            false => chart.draw_series(LineSeries::new(points, style)).map(|_| ()),
        }
    }

    /// A point on it: a dot, on a dashed line a ring.
    pub(super) fn point<'b>(self, chart: &mut Chart<'_, 'b>, at: (f64, f64), radius: i32) -> Drawn<'b> {
        let style = if self.dashed { self.colour.stroke_width(4) } else { self.colour.filled() };
        chart.draw_series([Circle::new(at, radius, style)]).map(|_| ())
    }
}
