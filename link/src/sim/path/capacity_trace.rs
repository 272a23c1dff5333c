//! A recorded capacity: the times at which one packet may cross, as mahimahi's trace files hold them.
//!
//! Format (mahimahi, Netravali et al., USENIX ATC 2015, §4): one decimal number of milliseconds a line, never
//! decreasing; each line is one opportunity to send; the same number twice is two opportunities; the file repeats
//! with the last number as its period. Empty lines and lines that begin with `#` are skipped.
//!
//! Accounting is mahimahi's: a slot carries up to 1500 bytes of the IP packets that wait, small ones share it, and a
//! packet leaves with the slot that carries its last byte. What a slot does not carry is lost.

/// Bytes of IP packet that one slot carries.
pub const SLOT_BYTES: u64 = 1_500;

/// Most slots a trace may have: an hour at 30 Mbit/s and more. Bounds memory (80 MB) against a wrong file.
const MAX_SLOTS: usize = 10_000_000;

/// A capacity trace that is known to be usable: not empty, ordered, with a period above zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapacityTrace {
    slots_ms: Vec<u64>,
    period_ms: u64,
}

/// Why bytes are not a capacity trace. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// A line is not a number.
    #[error("line {line}: {found:?} is not a number of milliseconds; write one whole number a line")]
    NotANumber {
        /// Where.
        line: usize,
        /// What stands there, at most 32 characters.
        found: String,
    },
    /// Time runs backwards.
    #[error("line {line}: {ms} ms comes after {previous_ms} ms; sort the trace, times may not decrease")]
    Decreasing {
        /// Where.
        line: usize,
        /// This line's time.
        ms: u64,
        /// The time before it.
        previous_ms: u64,
    },
    /// No slot at all.
    #[error("no slot in {lines} lines; a trace needs at least one time in milliseconds")]
    Empty {
        /// Lines read.
        lines: usize,
    },
    /// All slots at 0 ms: the file would repeat endlessly within no time.
    #[error("line {line}: the last time is 0 ms, so the trace has no length; it must end later than 0")]
    NoPeriod {
        /// The last slot's line.
        line: usize,
    },
    /// More slots than the reader takes.
    #[error("line {line}: more than {MAX_SLOTS} slots; cut the trace, it repeats by itself")]
    TooLong {
        /// Where the reader gave up.
        line: usize,
    },
}

impl CapacityTrace {
    /// Reads a trace file's bytes.
    ///
    /// # Errors
    /// The first line that is no number, too large or out of order; a trace without slots or without length.
    pub fn parse(bytes: &[u8]) -> Result<Self, TraceError> {
        let mut slots_ms: Vec<u64> = Vec::new();
        let mut lines = 0;
        let mut last_slot_line = 0;
        for raw in bytes.split(|byte| *byte == b'\n') {
            lines += 1;
            let text = raw.trim_ascii();
            if text.is_empty() || text.starts_with(b"#") {
                continue;
            }
            let ms = number(text).ok_or_else(|| not_a_number(lines, text))?;
            if let Some(&previous_ms) = slots_ms.last().filter(|previous| **previous > ms) {
                return Err(TraceError::Decreasing { line: lines, ms, previous_ms });
            }
            if slots_ms.len() == MAX_SLOTS {
                return Err(TraceError::TooLong { line: lines });
            }
            slots_ms.push(ms);
            last_slot_line = lines;
        }
        match slots_ms.last() {
            None => Err(TraceError::Empty { lines }),
            Some(0) => Err(TraceError::NoPeriod { line: last_slot_line }),
            Some(&period_ms) => Ok(CapacityTrace { slots_ms, period_ms }),
        }
    }

    /// Slots in one period.
    pub fn slots(&self) -> usize {
        self.slots_ms.len()
    }

    /// After how many milliseconds the trace repeats.
    pub fn period_ms(&self) -> u64 {
        self.period_ms
    }

    /// Mean capacity in bit/s, counted in full slots.
    pub fn mean_bps(&self) -> f64 {
        (self.slots_ms.len() as u64 * SLOT_BYTES * 8) as f64 * 1_000.0 / self.period_ms as f64
    }

    /// Number of the first slot at or after `at_ms`, counted through all periods.
    pub(super) fn first_slot_from(&self, at_ms: u64) -> u64 {
        // The last slot of a period stands at its very end, which is also time 0 of the next.
        let period = at_ms.saturating_sub(1) / self.period_ms;
        let within = at_ms - period * self.period_ms;
        period * self.slots_ms.len() as u64 + self.slots_ms.partition_point(|slot| *slot < within) as u64
    }

    /// When the slot of that number comes, in milliseconds since the start. Saturates.
    pub(super) fn slot_ms(&self, number: u64) -> u64 {
        let slots = self.slots_ms.len() as u64;
        let within = self.slots_ms[(number % slots) as usize];
        (number / slots).saturating_mul(self.period_ms).saturating_add(within)
    }
}

fn number(text: &[u8]) -> Option<u64> {
    // `u64::from_str` would take a sign; a trace has none.
    if !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    core::str::from_utf8(text).ok()?.parse().ok()
}

fn not_a_number(line: usize, text: &[u8]) -> TraceError {
    TraceError::NotANumber { line, found: String::from_utf8_lossy(text).chars().take(32).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_read_with_comments_blank_lines_and_carriage_returns() {
        let trace = CapacityTrace::parse(b"# recorded\n0\r\n3\n\n3\n10\n").expect("a good trace");
        assert_eq!((trace.slots(), trace.period_ms()), (4, 10));
        assert_eq!(trace.mean_bps(), 4_800_000.0);
    }

    #[test]
    fn a_bad_trace_is_refused_with_its_line() {
        use TraceError::*;
        let cases: [(&[u8], TraceError); 7] = [
            (b"", Empty { lines: 1 }),
            (b"# only words\n\n", Empty { lines: 3 }),
            (b"0\n0\n", NoPeriod { line: 2 }),
            (b"1\n7\n6\n", Decreasing { line: 3, ms: 6, previous_ms: 7 }),
            (b"1\n+2\n", NotANumber { line: 2, found: "+2".into() }),
            (b"1\n2.5\n", NotANumber { line: 2, found: "2.5".into() }),
            (b"99999999999999999999\n", NotANumber { line: 1, found: "99999999999999999999".into() }),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(CapacityTrace::parse(bytes), Err(wanted));
        }
    }

    #[test]
    fn slots_are_numbered_through_the_repetitions() {
        let trace = CapacityTrace::parse(b"0\n3\n3\n10\n").expect("a good trace");
        let times: Vec<u64> = (0..9).map(|number| trace.slot_ms(number)).collect();
        assert_eq!(times, [0, 3, 3, 10, 10, 13, 13, 20, 20]);
        let first: Vec<u64> = [0, 1, 3, 4, 10, 11, 20, 21].map(|ms| trace.first_slot_from(ms)).to_vec();
        assert_eq!(first, [0, 1, 1, 3, 3, 5, 7, 9]);
    }
}
