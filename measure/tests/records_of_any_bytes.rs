//! The records reader against any bytes, and any records against writer and reader (SPEC.md MEA-13, MEA-15).

use proptest::prelude::*;
use tokkyu_contract::{MonoTime, Outcome};
use tokkyu_measure::join::{join, tally};
use tokkyu_measure::record::{self, Record, RecordWriter};

fn any_record() -> impl Strategy<Value = Record> {
    (
        "[^,\"\\p{Cc}]{1,40}",
        any::<u32>(),
        any::<u64>(),
        any::<Option<u64>>(),
        prop::sample::select(&Outcome::ALL),
        any::<bool>(),
    )
        .prop_map(|(stream, sequence, capture_ns, arrival_ns, outcome, warm_up)| Record {
            stream,
            sequence,
            capture: MonoTime::from_nanos(capture_ns),
            arrival: arrival_ns.map(MonoTime::from_nanos),
            outcome,
            warm_up,
        })
}

/// Few streams and numbers, so that the two ends meet, repeat and miss each other.
fn crowded_record() -> impl Strategy<Value = Record> {
    (any_record(), 0..3u8, 0..20u32, 0..1_000u64).prop_map(|(record, stream, sequence, capture_ns)| Record {
        stream: format!("camera/{stream}"),
        sequence,
        capture: MonoTime::from_nanos(capture_ns),
        ..record
    })
}

fn written(records: &[Record]) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("records.csv");
    let mut writer = RecordWriter::create(&path).unwrap();
    records.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap();
    std::fs::read(path).unwrap()
}

proptest! {
    #[test]
    fn any_records_are_read_back_as_written(records in prop::collection::vec(any_record(), 0..50)) {
        prop_assert_eq!(record::parse(&written(&records)), Ok(records));
    }

    #[test]
    fn any_bytes_are_read_or_refused_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = record::parse(&bytes);
        let mut with_head = written(&[]);
        with_head.extend_from_slice(&bytes);
        let lines = with_head.split(|byte| *byte == b'\n').count();
        if let Err(error) = record::parse(&with_head) {
            prop_assert!((3..=lines).contains(&error.line), "{error}");
        }
    }

    #[test]
    fn one_changed_byte_never_makes_more_records(
        records in prop::collection::vec(any_record(), 1..10),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = written(&records);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = record::parse(&bytes) {
            prop_assert!(read.len() <= records.len());
        }
    }

    #[test]
    fn a_join_of_any_records_closes_every_ledger(
        sent in prop::collection::vec(crowded_record(), 0..60),
        received in prop::collection::vec(crowded_record(), 0..60),
    ) {
        let joined = join(&sent, &received);
        for stream in tally(&joined.records) {
            for part in [&stream.measured, &stream.warm_up] {
                prop_assert!(part.ledger.closes());
                prop_assert!(part.figures.n() <= part.ledger.delivered);
            }
        }
        let offered: std::collections::BTreeSet<_> = sent.iter().map(|r| (&r.stream, r.sequence)).collect();
        prop_assert_eq!(joined.records.len(), offered.len());
        let counted_of_received = received.len() - joined.anomalies.iter().filter(|a| is_extra(a)).count();
        let met = received.iter().filter(|r| offered.contains(&(&r.stream, r.sequence)));
        let distinct: std::collections::BTreeSet<_> = met.map(|r| (&r.stream, r.sequence)).collect();
        prop_assert_eq!(counted_of_received, distinct.len(), "each extra record is told as an anomaly");
    }
}

fn is_extra(anomaly: &tokkyu_measure::join::Anomaly) -> bool {
    use tokkyu_measure::join::AnomalyKind::{NeverOffered, ReceivedTwice};
    matches!(anomaly.kind, ReceivedTwice | NeverOffered)
}
