//! The gate as the vehicle reports it to the operator: the bytes of one sample. SPEC.md DRV-18, DRV-19.
//!
//! Pure. A report is for the driver's eyes: nothing that moves the vehicle depends on it.

use std::time::Duration;

use super::degraded::Cap;
use super::need::Need;
use super::seat_view::{SEAT_BYTES, SeatView};
use super::state::State;

/// Topic of the flow that carries reports; no flow of a robot may have this name.
pub const TOPIC: &str = "tokkyu/gate";
/// Length of a report.
pub const REPORT_BYTES: usize = 32 + SEAT_BYTES;
/// Between two reports; a change of the state is reported at once.
pub const REPORT_EVERY: Duration = Duration::from_millis(100);
/// An older report tells nothing about now.
pub const WORTH: Duration = Duration::from_millis(500);

const MAGIC: [u8; 4] = *b"TKG7";
/// Stands for an age that is not known.
const UNKNOWN: u32 = u32::MAX;
/// The same of the age of what the motors have, or a longer one.
const LONG: u16 = u16::MAX;

/// The gate at one moment, with the ages of the commands that came to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GateReport {
    /// Whether the vehicle may move.
    pub state: State,
    /// What it waits for.
    pub need: Need,
    /// How long ago the motors were given what goes with that state; `None`: not known, or longer than a minute.
    pub given: Option<Duration>,
    /// Safe stops so far.
    pub safe_stops: u32,
    /// Age on arrival of the last command.
    pub last: Option<Duration>,
    /// Median age on arrival of the last commands.
    pub p50: Option<Duration>,
    /// 99th percentile of the same.
    pub p99: Option<Duration>,
    /// How fast the vehicle may be, and why: speed in whole cm/s, times in whole milliseconds, at most a minute.
    pub cap: Cap,
    /// Who drives.
    pub seat: SeatView,
}

impl GateReport {
    /// The sample of this report. Ages are whole microseconds, at most 71 minutes.
    pub fn encode(&self) -> [u8; REPORT_BYTES] {
        let mut sample = [0; REPORT_BYTES];
        sample[..4].copy_from_slice(&MAGIC);
        sample[4] = State::ALL.iter().position(|state| *state == self.state).unwrap_or_default() as u8;
        sample[5] = Need::ALL.iter().position(|need| *need == self.need).unwrap_or_default() as u8;
        sample[6..8].copy_from_slice(&span(self.given).to_le_bytes());
        let words = [self.safe_stops, age(self.last), age(self.p50), age(self.p99)];
        for (place, word) in sample[8..24].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        for (place, word) in sample[24..32].chunks_exact_mut(2).zip(cap_words(&self.cap)) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        sample[32..].copy_from_slice(&self.seat.encode());
        sample
    }

    /// The report in `sample`; `None` for anything that is not exactly of this layout.
    pub fn decode(sample: &[u8]) -> Option<GateReport> {
        let sample: &[u8; REPORT_BYTES] = sample.try_into().ok()?;
        if sample[..4] != MAGIC {
            return None;
        }
        let word =
            |at: usize| u32::from_le_bytes([sample[at], sample[at + 1], sample[at + 2], sample[at + 3]]);
        let span =
            |at: usize| Some(word(at)).filter(|us| *us != UNKNOWN).map(|us| Duration::from_micros(us.into()));
        let state = *State::ALL.get(usize::from(sample[4]))?;
        let need = *Need::ALL.get(usize::from(sample[5]))?;
        let half =
            |at: usize| Some(u16::from_le_bytes([sample[at], sample[at + 1]])).filter(|word| *word != LONG);
        let ms = |at: usize| half(at).map(|ms| Duration::from_millis(ms.into()));
        let cap = Cap {
            most_mps: half(24).map(|cmps| f32::from(cmps) / 100.0),
            latency: ms(26),
            pictures: ms(28),
            commands: ms(30),
        };
        Some(GateReport {
            state,
            need,
            given: ms(6),
            safe_stops: word(8),
            last: span(12),
            p50: span(16),
            p99: span(20),
            cap,
            seat: SeatView::decode(&std::array::from_fn(|at| sample[32 + at]))?,
        })
    }
}

/// Whole milliseconds, rounded up: nothing is younger than it is told to be.
fn span(span: Option<Duration>) -> u16 {
    span.map_or(LONG, |span| u16::try_from(span.as_nanos().div_ceil(1_000_000)).unwrap_or(LONG))
}

/// The speed is rounded down, but for what a float is less than the hundredth it stands for. A float becomes the nearest
/// whole number that there is, 0 for what is none.
fn cap_words(cap: &Cap) -> [u16; 4] {
    let most = cap.most_mps.map_or(LONG, |mps| ((f64::from(mps) * 100.0 + 0.01) as u16).min(LONG - 1));
    [most, span(cap.latency), span(cap.pictures), span(cap.commands)]
}

fn age(age: Option<Duration>) -> u32 {
    age.map_or(UNKNOWN, |age| u32::try_from(age.as_micros()).unwrap_or(UNKNOWN).min(UNKNOWN - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safety::EndName;
    use proptest::prelude::*;
    use tokkyu_contract::yaml::others::Right;

    #[test]
    fn the_layout_is_the_one_the_specification_draws() {
        let report = GateReport {
            state: State::Stopping,
            need: Need::Neutral,
            given: Some(Duration::from_micros(19_001)),
            safe_stops: 3,
            last: Some(Duration::from_millis(25)),
            p50: None,
            p99: Some(Duration::MAX),
            cap: Cap {
                most_mps: Some(11.119),
                latency: Some(Duration::from_micros(249_001)),
                pictures: None,
                commands: Some(Duration::from_millis(30)),
            },
            seat: SeatView {
                you: 1,
                may: Right::Force,
                driver: (0, EndName::new("operator")),
                asker: Some((2, EndName::new("seventeen_letters"))),
                holder: Some((3, EndName::new("screen"))),
            },
        };
        let expected = *b"TKG7\x03\x07\x14\0\x03\0\0\0\xa8\x61\0\0\xff\xff\xff\xff\xfe\xff\xff\xff\
            \x57\x04\xfa\0\xff\xff\x1e\0\x02\x01\x03\x02operator\0\0\0\0\0\0\0\0seventeen_letter\
            \x04screen\0\0\0\0\0\0\0\0\0\0";
        assert_eq!(report.encode(), expected);
    }

    proptest! {
        #[test]
        fn any_bytes_are_no_report_or_one_that_encodes_to_them(
            mut bytes in proptest::collection::vec(any::<u8>(), REPORT_BYTES - 1..REPORT_BYTES + 2), state in 0u8..8,
            need in 0u8..14,
            seat in proptest::collection::vec(0u8..10, 5), letters in 0usize..=16,
        ) {
            bytes[..6].copy_from_slice(&[b'T', b'K', b'G', b'7', state, need]);
            if bytes.len() >= REPORT_BYTES {
                bytes[32..36].copy_from_slice(&seat[..4]);
                bytes[36..85].fill(0);
                bytes[36..36 + letters].fill(b'a');
                bytes[68] = seat[4];
            }
            match GateReport::decode(&bytes) {
                Some(report) => prop_assert_eq!(&report.encode()[..], &bytes[..]),
                None => prop_assert!(
                    bytes.len() != REPORT_BYTES
                        || state > 5
                        || need > 11
                        || seat[..3].iter().any(|end| *end > 8)
                        || seat[..2].contains(&0)
                        || seat[3] > 2
                        || seat[4] > 8
                ),
            }
        }
    }
}
