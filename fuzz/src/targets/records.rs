//! The records file (measure/SPEC.md MEA-10 to MEA-15): any bytes give records of the format, or a line and a fault.

use tokkyu_measure::record::{self, valid_stream_name};
use tokkyu_measure::{join, tally};

/// Takes one input.
pub fn run(bytes: &[u8]) {
    match record::parse(bytes) {
        Ok(records) => {
            assert!(records.iter().all(|record| valid_stream_name(&record.stream)), "MEA-13");
            // Both ends' files come from outside: joining them and counting must stand any records, too.
            let (sent, received) = records.split_at(records.len() / 2);
            let joined = join(sent, received);
            let counted = tally(&joined.records);
            assert!(counted.iter().all(|stream| stream.measured.ledger.closes()), "CON-51");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
