//! How each scheme is drawn, and what it is in a few words.
//!
//! A look belongs to a scheme and not to a place in a plot, so that plots can be laid side by side (MEA-91).

use plotters::style::RGBColor;

use crate::lbe::LbeCase;
use crate::report::html::escape;
use crate::report::plot::PALETTE;
use crate::report::stroke::{SOMEBODY_ELSE, Stroke};

const BLUE: RGBColor = PALETTE[0];
const VERMILION: RGBColor = PALETTE[1];
const GREEN: RGBColor = PALETTE[2];
const PINK: RGBColor = PALETTE[3];
const SKY: RGBColor = PALETTE[4];
const ORANGE: RGBColor = PALETTE[5];
const BLACK: RGBColor = PALETTE[6];
const VIOLET: RGBColor = RGBColor(140, 86, 190);
const BROWN: RGBColor = RGBColor(150, 100, 40);
const GREY: RGBColor = SOMEBODY_ELSE;
/// A pale one, for who is nobody we know.
const UNKNOWN: RGBColor = RGBColor(160, 160, 160);

struct Look {
    scheme: &'static str,
    colour: RGBColor,
    dashed: bool,
    words: &'static str,
}

const fn look(scheme: &'static str, colour: RGBColor, dashed: bool, words: &'static str) -> Look {
    Look { scheme, colour, dashed, words }
}

const LOOKS: [Look; 18] = [
    look("none", GREY, false, "no background, device queue of 8 KB"),
    look("none-small-queue", VERMILION, true, "no background, device queue of 1 500 B"),
    look("none-fq_codel", BROWN, true, "no background, fq_codel"),
    look("pfifo", VERMILION, false, "nothing done about the background"),
    look("pfifo-bql", ORANGE, true, "nothing done, byte queue limits as drivers have them today"),
    look("fq_codel", ORANGE, false, "the distribution's default"),
    look("prio", BLUE, false, "strict priority, large packets off"),
    look("prio-gso", BLUE, true, "strict priority, large packets on"),
    look("task", PINK, false, "a kernel thread for each band, the paper's rival"),
    look("task-8k", VIOLET, true, "the same before a device queue of 8 KB"),
    look("lbe", BLACK, false, "ours"),
    look("lbe-fq_codel", GREEN, false, "ours, fq_codel for the foreground"),
    look("lbe-8k", GREEN, true, "ours, device queue of 8 KB"),
    look("lbe-8k-nodefer", SKY, true, "the same without deferral"),
    look("tcp-lp", SKY, false, "a transport that yields"),
    look("ledbat", PINK, true, "a transport that yields by delay (libtorrent's)"),
    look("cake", VIOLET, false, "CAKE at 95 % of the rate"),
    look("cap", BROWN, false, "the background capped at half of the rate"),
];

/// Ours, drawn thickest and on top.
pub(super) const OURS: &str = "lbe";

pub(super) fn stroke(scheme: &str) -> Stroke {
    let known = LOOKS.iter().find(|look| look.scheme == scheme);
    let (colour, dashed) = known.map_or((UNKNOWN, true), |look| (look.colour, look.dashed));
    Stroke { colour, width: if scheme == OURS { 8 } else { 4 }, dashed }
}

/// One item of a legend.
pub(super) fn item(scheme: &str) -> String {
    format!("<li>{}{}</li>\n", stroke(scheme).swatch(), escape(scheme))
}

/// The same with what the scheme is.
pub(super) fn item_with_words(scheme: &str) -> String {
    let words = LOOKS.iter().find(|look| look.scheme == scheme).map_or("", |look| look.words);
    let text = if words.is_empty() { scheme.to_owned() } else { format!("{scheme}: {words}") };
    format!("<li>{}{}</li>\n", stroke(scheme).swatch(), escape(&text))
}

/// Each scheme once, in the order in which they were run.
pub(super) fn schemes<'a>(cases: impl IntoIterator<Item = &'a LbeCase>) -> Vec<&'a str> {
    let mut schemes: Vec<&str> = Vec::new();
    for case in cases {
        if !schemes.contains(&case.scheme.as_str()) {
            schemes.push(&case.scheme);
        }
    }
    schemes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_schemes_look_the_same_and_ours_is_the_thickest() {
        for (at, one) in LOOKS.iter().enumerate() {
            let same =
                LOOKS[..at].iter().find(|other| (other.colour, other.dashed) == (one.colour, one.dashed));
            assert!(same.is_none(), "{}", one.scheme);
            assert!(one.scheme == OURS || stroke(one.scheme).width < stroke(OURS).width);
        }
        assert!(item(OURS).contains("own"), "black is the text's colour");
    }

    #[test]
    fn a_scheme_nobody_knows_has_a_look_too() {
        assert!(item_with_words("a<b").contains("a&lt;b</li>"), "{}", item_with_words("a<b"));
    }
}
