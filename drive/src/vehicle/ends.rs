//! All ends that the vehicle serves: their names, who gets pictures, and what each is told of the seat. SPEC.md DRV-127
//! to DRV-129, DRV-140.
//!
//! Held by the main thread. Ends count from 0, the first at `operator` of the site; its link is the program's own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokkyu_contract::MonoTime;
use tokkyu_contract::yaml::others::{FIRST, Right};
use tokkyu_link::carrier::clock;

use super::others::OtherEnd;
use super::precedence::Precedence;
use super::status::{EndStatus, SeatStatus};
use crate::safety::{EndName, How, SeatChange, SeatView, Seating};

/// The ends, beside the first one's link.
pub(super) struct Ends {
    pub(super) others: Vec<OtherEnd>,
    /// What the first may.
    first_may: Right,
    /// Bit/s that the first one's link grants each camera; 0: not known.
    pub(super) first_granted_bps: Vec<u64>,
    /// The first gets pictures.
    pub(super) first_is_open: Arc<AtomicBool>,
    /// Whether those who do not drive get any.
    pub(super) precedence: Precedence,
}

impl Ends {
    /// The first, which may as `first_may` says, and `others`, of a vehicle with so many cameras.
    pub(super) fn new(others: Vec<OtherEnd>, first_may: Right, cameras: usize) -> Ends {
        Ends {
            others,
            first_may,
            first_granted_bps: vec![0; cameras],
            first_is_open: Arc::new(AtomicBool::new(true)),
            precedence: Precedence::new(clock::now()),
        }
    }

    /// The end of that number, where it is not the first.
    fn other(&self, end: usize) -> Option<&OtherEnd> {
        end.checked_sub(1).and_then(|other| self.others.get(other))
    }

    /// What an end is called.
    pub(super) fn name(&self, end: usize) -> &str {
        self.other(end).map_or(FIRST, |other| other.name.as_str())
    }

    fn may(&self, end: usize) -> Right {
        self.other(end).map_or(self.first_may, |other| other.may)
    }

    /// What `end` is told of the seat: who drives, who asks, and who holds the stop.
    pub(super) fn view(&self, end: usize, seat: Seating) -> SeatView {
        let named = |end: usize| (end, EndName::new(self.name(end)));
        SeatView {
            you: end,
            may: self.may(end),
            driver: named(seat.driver),
            asker: seat.asker.map(named),
            holder: seat.holder.map(named),
        }
    }

    /// Bit/s that the link of `end` grants each camera; 0: not known.
    pub(super) fn granted_bps(&self, end: usize) -> &[u64] {
        self.other(end).map_or(&self.first_granted_bps, |other| other.granted_bps())
    }

    /// Whether the link of `end` is up; `first_is_here`: that of the first.
    pub(super) fn is_here(&self, end: usize, first_is_here: bool) -> bool {
        self.other(end).map_or(first_is_here, OtherEnd::is_here)
    }

    /// Of each end whether its link is up.
    pub(super) fn are_here(&self, first_is_here: bool) -> impl Iterator<Item = bool> {
        (0..=self.others.len()).map(move |end| self.is_here(end, first_is_here))
    }

    /// Who gets pictures at `now`: the driver, and the others while that does no harm, or while the driver is away.
    pub(super) fn open(&mut self, now: MonoTime, driver: usize, is_driver_here: bool) {
        let is_open = self.precedence.is_open(now) || !is_driver_here;
        self.first_is_open.store(is_open || driver == 0, Ordering::Relaxed);
        for (index, other) in self.others.iter().enumerate() {
            other.open(is_open || driver == index + 1);
        }
    }

    /// Words for a change of the seat.
    pub(super) fn change_in_words(&self, change: SeatChange) -> String {
        match change {
            SeatChange::Asks { by } => format!("{} asks for the seat", self.name(by)),
            SeatChange::Ceased { by } => format!("{} asks for the seat no more", self.name(by)),
            SeatChange::Moved { from, to, how } => {
                let (from, to) = (self.name(from), self.name(to));
                match how {
                    How::Granted => format!("{to} drives from now on: {from} gave it the seat"),
                    How::Left => format!("{to} drives from now on: {from} was silent, and the vehicle stood"),
                    How::Forced => format!("{to} drives from now on: it took the seat from {from}"),
                }
            }
        }
    }

    /// The seat, for a status; `first_is_here`: the first one's link is up.
    pub(super) fn status(&self, seat: Seating, first_is_here: bool) -> SeatStatus {
        let end = |index: usize| EndStatus {
            name: self.name(index).to_owned(),
            may: self.may(index).as_str().to_owned(),
            is_here: self.is_here(index, first_is_here),
        };
        let named = |end: usize| self.name(end).to_owned();
        SeatStatus {
            driver: named(seat.driver),
            asker: seat.asker.map(named),
            stop_held_by: seat.holder.map(named),
            ends: (0..=self.others.len()).map(end).collect(),
        }
    }
}
