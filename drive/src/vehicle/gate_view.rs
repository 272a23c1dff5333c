//! The gate at one moment, as its thread tells the main one, and what the operator is told of it.
//!
//! Pure.

use tokkyu_contract::MonoTime;

use super::given::Given;
use crate::control::Controls;
use crate::program::Recent;
use crate::safety::report::GateReport;
use crate::safety::{Cap, Cause, Counts, Gate, Need, Seat, SeatView, Seating, State};

/// The gate at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GateView {
    pub(super) state: State,
    pub(super) need: Need,
    /// Why it stopped last.
    pub(super) cause: Option<Cause>,
    pub(super) counts: Counts,
    pub(super) output: Controls,
    /// How fast it may be, where that is declared.
    pub(super) cap: Option<Cap>,
    /// Which end drives, which asks for the seat, and which holds the emergency stop.
    pub(super) seat: Seating,
}

impl GateView {
    /// `gate` as it stands at `now`.
    pub(super) fn of(gate: &Gate, seat: &Seat, now: MonoTime) -> GateView {
        let (state, need) = (gate.state(), gate.need(now));
        let (counts, cap) = (*gate.log().counts(), gate.cap(now));
        GateView {
            state,
            need,
            cause: gate.cause(),
            counts,
            output: gate.output(),
            cap,
            seat: seat.seating(now),
        }
    }

    /// Safe stops so far, whatever the reason.
    pub(super) fn safe_stops(&self) -> u64 {
        self.counts.deadlines_missed + self.counts.blind + self.counts.motors_late
    }

    /// What the operator is told of it at `now`: the state is that in which the motors were given something last. `ages` are
    /// those of the commands.
    pub(super) fn report(&self, now: MonoTime, given: &Given, ages: &Recent, seat: SeatView) -> GateReport {
        let [p50, p99] = ages.percentiles([50, 99]);
        let safe_stops = u32::try_from(self.safe_stops()).unwrap_or(u32::MAX);
        let (at, state) = given.last();
        let (given, last) = (Some(now.since(at)), ages.last());
        let cap = self.cap.unwrap_or_default();
        GateReport { state, need: self.need, given, safe_stops, last, p50, p99, cap, seat }
    }
}
