//! Cumulative curves of all contenders on one network: ours thick and in the colour of the text, everybody else in a colour
//! of their own, dashed where the library is as it comes.
//!
//! A colour belongs to a peer and not to a place in the table, so that plots of several networks can be laid side by side.

use plotters::prelude::*;

use super::axis::Axis;
use super::distribution::{AGE_AXIS, Curve, SHARE_AXIS, age_axis, curve_points};
use super::html::escape;
use super::plot::{self, Named, PALETTE};
use super::stroke::{SOMEBODY_ELSE, Stroke};
use crate::comparison::{Contender, OURS};
use crate::study::ReportError;

/// Colours of those we know, from the palette as far as it goes.
const COLOURS: [(&str, RGBColor); 8] = [
    (OURS, RGBColor(0, 0, 0)),
    ("cyclonedds", PALETTE[0]),
    ("fastdds", PALETTE[1]),
    ("zenoh", PALETTE[2]),
    ("srt-live", PALETTE[3]),
    ("srt-message", RGBColor(140, 86, 190)),
    ("tcp-cubic", PALETTE[5]),
    ("tcp-bbr", PALETTE[4]),
];

/// How a contender is drawn.
pub(super) fn stroke_of(contender: &Contender<'_>) -> Stroke {
    let colour = COLOURS.into_iter().find(|(peer, _)| *peer == contender.peer());
    let colour = colour.map_or(SOMEBODY_ELSE, |(_, colour)| colour);
    match contender.is_ours() {
        true => Stroke { colour, width: 9, dashed: false },
        false => Stroke { colour, width: 4, dashed: contender.variant() == "default" },
    }
}

/// All curves in one plot, ours on top.
pub(super) fn curves(name: &str, curves: &[(Stroke, Curve)]) -> Result<String, ReportError> {
    let x = age_axis(curves.iter().map(|(_, curve)| &curve.figures));
    let axes = (Named(x, AGE_AXIS), Named(Axis::linear(100.0), SHARE_AXIS));
    plot::svg(name, plot::WIDE, axes.0, axes.1, |chart| {
        plot::mark_requirement(chart, 11)?;
        let mut from_below: Vec<&(Stroke, Curve)> = curves.iter().collect();
        from_below.sort_by_key(|(stroke, _)| stroke.width);
        for (stroke, curve) in from_below {
            stroke.draw(chart, curve_points(curve, &x))?;
        }
        Ok(())
    })
}

/// One line of the legend.
pub(super) fn legend_line(contender: &Contender<'_>, words: &str) -> String {
    let text = escape(&format!("{}: {words}", contender.title()));
    format!("<li>{}{text}</li>\n", stroke_of(contender).swatch())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::DriveCase;
    use crate::figures::Figures;

    fn stroke(peer: &str, variant: &str) -> (Stroke, String) {
        let case = DriveCase { peer: peer.into(), variant: variant.into(), ..DriveCase::default() };
        let contender = Contender { runs: vec![&case] };
        (stroke_of(&contender), stroke_of(&contender).swatch())
    }

    #[test]
    fn ours_is_the_thickest_and_a_library_as_it_comes_is_dashed() {
        let (ours, as_it_comes, tuned) =
            (stroke("tokkyu", "default"), stroke("zenoh", "default"), stroke("zenoh", "tuned"));
        assert!(ours.0.width > tuned.0.width && !ours.0.dashed && ours.1.contains("own"));
        assert_eq!(
            (as_it_comes.0.colour, as_it_comes.0.dashed, tuned.0.dashed),
            (tuned.0.colour, true, false)
        );
        assert!(as_it_comes.1.contains("repeating"), "{}", as_it_comes.1);
    }

    #[test]
    fn no_two_peers_share_a_colour() {
        for (at, (peer, colour)) in COLOURS.iter().enumerate() {
            assert!(COLOURS[..at].iter().all(|(_, other)| other != colour), "{peer}");
        }
    }

    #[test]
    fn every_contender_is_drawn_and_ours_last() {
        let mut figures = Figures::new();
        (1..200_u64).for_each(|ms| figures.record(ms * 1_000_000));
        let curve = || Curve { figures: figures.clone(), offered: 200 };
        let all = [stroke("tokkyu", "default").0, stroke("zenoh", "default").0, stroke("tcp-bbr", "tuned").0];
        let svg = curves("all", &all.map(|stroke| (stroke, curve()))).unwrap();
        let places = ["#000000", "#009E73", "#56B4E9"].map(|colour| svg.rfind(colour));
        assert!(
            places.iter().all(Option::is_some) && places[0] > places[1] && places[0] > places[2],
            "{places:?}"
        );
    }
}
