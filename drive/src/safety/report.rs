//! The gate as the vehicle reports it to the operator: the bytes of one sample. SPEC.md DRV-18, DRV-19.
//!
//! Pure. A report is for the driver's eyes: nothing that moves the vehicle depends on it.

use std::time::Duration;

use super::need::Need;
use super::state::State;

/// Topic of the flow that carries reports; no flow of a robot may have this name.
pub const TOPIC: &str = "tokkyu/gate";
/// Length of a report.
pub const REPORT_BYTES: usize = 24;
/// Between two reports; a change of the state is reported at once.
pub const REPORT_EVERY: Duration = Duration::from_millis(100);
/// An older report tells nothing about now.
pub const WORTH: Duration = Duration::from_millis(500);

const MAGIC: [u8; 4] = *b"TKG4";
/// Stands for an age that is not known.
const UNKNOWN: u32 = u32::MAX;
/// The same of the age of what the motors have, or a longer one.
const LONG: u16 = u16::MAX;

/// The gate at one moment, with the ages of the commands that came to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

impl GateReport {
    /// The sample of this report. Ages are whole microseconds, at most 71 minutes.
    pub fn encode(&self) -> [u8; REPORT_BYTES] {
        let mut sample = [0; REPORT_BYTES];
        sample[..4].copy_from_slice(&MAGIC);
        sample[4] = State::ALL.iter().position(|state| *state == self.state).unwrap_or_default() as u8;
        sample[5] = Need::ALL.iter().position(|need| *need == self.need).unwrap_or_default() as u8;
        sample[6..8].copy_from_slice(&given(self.given).to_le_bytes());
        let words = [self.safe_stops, age(self.last), age(self.p50), age(self.p99)];
        for (place, word) in sample[8..].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
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
        let given = u16::from_le_bytes([sample[6], sample[7]]);
        let given = Some(given).filter(|ms| *ms != LONG).map(|ms| Duration::from_millis(ms.into()));
        Some(GateReport {
            state,
            need,
            given,
            safe_stops: word(8),
            last: span(12),
            p50: span(16),
            p99: span(20),
        })
    }
}

/// Whole milliseconds, rounded up: nothing is younger than it is told to be.
fn given(given: Option<Duration>) -> u16 {
    given.map_or(LONG, |given| u16::try_from(given.as_micros().div_ceil(1_000)).unwrap_or(LONG))
}

fn age(age: Option<Duration>) -> u32 {
    age.map_or(UNKNOWN, |age| u32::try_from(age.as_micros()).unwrap_or(UNKNOWN).min(UNKNOWN - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        };
        let expected = *b"TKG4\x03\x07\x14\0\x03\0\0\0\xa8\x61\0\0\xff\xff\xff\xff\xfe\xff\xff\xff";
        assert_eq!(report.encode(), expected);
    }

    proptest! {
        #[test]
        fn any_bytes_are_no_report_or_one_that_encodes_to_them(
            mut bytes in proptest::collection::vec(any::<u8>(), REPORT_BYTES - 1..REPORT_BYTES + 2), state in 0u8..8,
            need in 0u8..14,
        ) {
            bytes[..6].copy_from_slice(&[b'T', b'K', b'G', b'4', state, need]);
            match GateReport::decode(&bytes) {
                Some(report) => prop_assert_eq!(&report.encode()[..], &bytes[..]),
                None => prop_assert!(bytes.len() != REPORT_BYTES || state > 5 || need > 11),
            }
        }
    }
}
