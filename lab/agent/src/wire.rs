//! What the pair of devices says of itself: the frames that were on the wire, and what the processors did.
//!
//! Files of `linux/vmac`, in debugfs. The layout of a record is `struct vmac_record` of `linux/vmac/vmac.h`.

use std::collections::BTreeMap;
use std::fs;

use tokkyu_agent::report::Frames;

const METER: &str = "/sys/kernel/debug/vmac/meter";
const NEAR: &str = "/sys/kernel/debug/vmac/vmac0";
const RECORD_BYTES: usize = 32;

/// DSCP LE (RFC 8622).
const LOWER_EFFORT: u32 = 1;

/// A frame that has left the near device.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub given_ns: u64,
    pub start_ns: u64,
    pub end_ns: u64,
    pub bytes: u32,
    pub dsfield: u32,
}

impl Record {
    fn read(bytes: &[u8]) -> Record {
        let long = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let word = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        Record { given_ns: long(0), start_ns: long(8), end_ns: long(16), bytes: word(24), dsfield: word(28) }
    }

    pub fn is_background(&self) -> bool {
        self.dsfield >> 2 == LOWER_EFFORT
    }
}

/// Forgets the frames and sets the meter back.
pub fn reset() -> Result<(), String> {
    for file in [NEAR, METER] {
        fs::write(file, "0").map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(())
}

/// The frames since [`reset`], oldest first, as far as they are kept (65536).
pub fn records() -> Result<Vec<Record>, String> {
    let bytes = fs::read(NEAR).map_err(|error| format!("{NEAR}: {error}"))?;
    Ok(bytes.chunks_exact(RECORD_BYTES).map(Record::read).collect())
}

/// Prints the frames, a line each: when the driver got it, its first and its last bit on the wire (all ns), bytes, DSCP.
pub fn print() -> Result<(), String> {
    println!("given_ns start_ns end_ns bytes dscp");
    for Record { given_ns, start_ns, end_ns, bytes, dsfield } in records()? {
        println!("{given_ns} {start_ns} {end_ns} {bytes} {}", dsfield >> 2);
    }
    Ok(())
}

/// Prints each value of the DS field (DSCP and ECN; 256 for none) on the wire, and how many frames had it.
pub fn fields() -> Result<(), String> {
    let mut frames = BTreeMap::new();
    for record in records()? {
        *frames.entry(record.dsfield).or_insert(0_u64) += 1;
    }
    println!("{}", serde_json::to_string(&frames).map_err(|error| error.to_string())?);
    Ok(())
}

/// Frames of the background and of all others, of those whose last bit was on the wire from `begin_ns` to `end_ns`.
pub fn count(records: &[Record], begin_ns: u64, end_ns: u64) -> (Frames, Frames) {
    let (mut background, mut foreground) = (Frames::default(), Frames::default());
    for record in records.iter().filter(|record| (begin_ns..=end_ns).contains(&record.end_ns)) {
        let of = if record.is_background() { &mut background } else { &mut foreground };
        of.frames += 1;
        of.bytes += u64::from(record.bytes);
    }
    (background, foreground)
}

/// What all processors did since [`reset`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    pub busy_ns: u64,
    pub switches: u64,
    pub interrupts: u64,
}

/// Reads the meter.
pub fn meter() -> Result<Meter, String> {
    let text = fs::read_to_string(METER).map_err(|error| format!("{METER}: {error}"))?;
    Ok(text.lines().fold(Meter::default(), |sum, line| {
        let of = |name: &str| field(line, name).unwrap_or(0);
        Meter {
            busy_ns: sum.busy_ns + of("busy_ns"),
            switches: sum.switches + of("switches"),
            interrupts: sum.interrupts + of("interrupts"),
        }
    }))
}

fn field(line: &str, name: &str) -> Option<u64> {
    line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(end_ns: u64, bytes: u32, dsfield: u32) -> Record {
        Record { given_ns: end_ns - 2, start_ns: end_ns - 1, end_ns, bytes, dsfield }
    }

    #[test]
    fn frames_are_counted_by_their_mark_and_their_last_bit() {
        let records = [
            record(5, 100, 4),
            record(10, 200, 0),
            record(10, 300, 5),
            record(20, 400, 256),
            record(21, 500, 0),
        ];
        let (background, foreground) = count(&records, 10, 20);
        assert_eq!(background, Frames { frames: 1, bytes: 300 });
        assert_eq!(foreground, Frames { frames: 2, bytes: 600 });
    }

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let line = "cpu=0 total_ns=7 busy_ns=42 switches=x";
        assert_eq!(field(line, "busy_ns"), Some(42));
        assert_eq!(field(line, "ns"), None);
        assert_eq!(field(line, "switches"), None);
    }
}
