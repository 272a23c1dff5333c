//! What is drawn of a case, with axis and unit.

use super::middle::{MOST_DRAWN, Middle};
use super::{by_scheme, over_size};
use crate::lbe::LbeCase;

/// Percent below which "more than alone" is drawn as this much.
const LEAST_MORE: f64 = 0.1;
/// The same of computation, which is disturbed less.
const LEAST_MORE_COMPUTED: f64 = 0.01;

fn no_worst(_: &LbeCase) -> Option<f64> {
    None
}

fn milliseconds(case: &LbeCase) -> Option<Middle> {
    Middle::of(case.median_ms, case.spread.ms)
}

fn million_instructions(case: &LbeCase) -> Option<Middle> {
    Middle::of(case.instructions, case.spread.instructions).map(|value| value.map(|count| count / 1e6))
}

fn switches(case: &LbeCase) -> Option<Middle> {
    Middle::of(case.context_switches, case.spread.context_switches)
}

/// By how much longer it takes than the baseline, in percent. A baseline has none.
fn more_than_alone(case: &LbeCase) -> Option<Middle> {
    let ratio = case.ratio_to_none.filter(|ratio| *ratio > 0.0 && case.scheme != case.baseline)?;
    let alone_ms = case.median_ms / ratio;
    let more = Middle::of(case.median_ms, case.spread.ms)?.map(|ms| (ms / alone_ms - 1.0) * 100.0);
    [more.low, more.middle, more.high].iter().all(|value| value.abs() <= MOST_DRAWN).then_some(more)
}

pub(super) const TIME: over_size::Figure =
    over_size::Figure { axis: "time, ms (log scale)", floor: 0.0, of: milliseconds };
pub(super) const MORE: over_size::Figure =
    over_size::Figure { axis: "longer than alone, % (log scale)", floor: LEAST_MORE, of: more_than_alone };
pub(super) const INSTRUCTIONS: over_size::Figure =
    over_size::Figure { axis: "instructions, millions (log scale)", floor: 0.0, of: million_instructions };
pub(super) const SWITCHES: over_size::Figure =
    over_size::Figure { axis: "task switches (log scale)", floor: 0.0, of: switches };

pub(super) const PER_PACKET: by_scheme::Figure = by_scheme::Figure {
    axis: "instructions for each packet, thousands",
    log_from: None,
    to: 0.0,
    places: 2,
    of: |case| Middle::alone(case.instructions_per_packet? / 1e3),
    worst: no_worst,
};
pub(super) const SWITCHES_MEANWHILE: by_scheme::Figure = by_scheme::Figure {
    axis: "task switches in the 10 s",
    log_from: None,
    to: 0.0,
    places: 0,
    of: switches,
    worst: no_worst,
};
pub(super) const SHARE: by_scheme::Figure = by_scheme::Figure {
    axis: "share of the link, %",
    log_from: None,
    to: 100.0,
    places: 1,
    of: |case| Middle::alone(case.background_share * 100.0),
    worst: no_worst,
};
pub(super) const COMPUTED: by_scheme::Figure = by_scheme::Figure {
    axis: "computation longer than alone, % (log scale)",
    log_from: Some(LEAST_MORE_COMPUTED),
    to: 10.0,
    places: 2,
    of: more_than_alone,
    worst: no_worst,
};
pub(super) const WAIT: by_scheme::Figure = by_scheme::Figure {
    axis: "wait of a packet, ms (log scale)",
    log_from: Some(1.0),
    to: 100.0,
    places: 1,
    of: milliseconds,
    worst: |case| Some(case.worst_ms),
};
