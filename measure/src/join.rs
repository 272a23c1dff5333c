//! Join of what the sender offered with what the receiver saw, and the figures that follow from it.
//!
//! Runs in the analysis, after a run; time is n log n in the records. Invariants: every sample offered gets exactly
//! one outcome, so each ledger closes; a record that fits nothing is told as an anomaly and never counted.
//! Rules: SPEC.md MEA-20 to MEA-25.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::time::Duration;

use tokkyu_contract::{Ledger, Outcome};

use crate::figures::Figures;
use crate::record::Record;

/// Result of a join.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// One record for each sample offered, by stream and sequence, on the sender's clock.
    pub records: Vec<Record>,
    /// What the two ends do not agree on.
    pub anomalies: Vec<Anomaly>,
}

/// A record that does not fit the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anomaly {
    /// Stream of the sample.
    pub stream: String,
    /// Number of the sample.
    pub sequence: u32,
    /// What is odd about it.
    pub kind: AnomalyKind,
}

/// The ways in which records can disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnomalyKind {
    /// The sender recorded it more than once; the first record counts.
    OfferedTwice,
    /// The receiver recorded it more than once; the first record counts.
    ReceivedTwice,
    /// The receiver recorded a sample that was never offered; it is not counted.
    NeverOffered,
    /// The sender holds it to be delivered or late, the receiver has no record; it counts as lost.
    ConfirmedButUnseen,
    /// Delivered, but without an arrival time; it counts as delivered and has no latency.
    NoArrivalTime,
    /// Arrived before it was captured, so a clock is wrong; it counts as it is and has no latency.
    ArrivedBeforeCapture,
}

impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            AnomalyKind::OfferedTwice => "recorded twice by the sender",
            AnomalyKind::ReceivedTwice => "recorded twice by the receiver",
            AnomalyKind::NeverOffered => "received but never offered",
            AnomalyKind::ConfirmedButUnseen => "confirmed to the sender but never seen by the receiver",
            AnomalyKind::NoArrivalTime => "delivered without an arrival time",
            AnomalyKind::ArrivedBeforeCapture => "arrived before it was captured",
        };
        write!(f, "{} sample {}: {what}", self.stream, self.sequence)
    }
}

type Samples<'a> = BTreeMap<(&'a str, u32), &'a Record>;

/// Joins the sender's records with the receiver's.
///
/// Latency is the receiver's arrival less the receiver's capture, which are on one clock; the joined arrival is that
/// latency after the sender's capture. Whether a sample is warm-up is the sender's word.
pub fn join(sent: &[Record], received: &[Record]) -> Joined {
    let mut anomalies = Vec::new();
    let offered = index(sent, AnomalyKind::OfferedTwice, &mut anomalies);
    let seen = index(received, AnomalyKind::ReceivedTwice, &mut anomalies);
    for (key, record) in &seen {
        if !offered.contains_key(key) {
            anomalies.push(anomaly(record, AnomalyKind::NeverOffered));
        }
    }
    let records = offered
        .iter()
        .map(|(key, sender)| match seen.get(key) {
            Some(receiver) => settle_seen(sender, receiver, &mut anomalies),
            None => settle_unseen(sender, &mut anomalies),
        })
        .collect();
    Joined { records, anomalies }
}

fn index<'a>(records: &'a [Record], twice: AnomalyKind, anomalies: &mut Vec<Anomaly>) -> Samples<'a> {
    let mut samples = Samples::new();
    for record in records {
        match samples.entry((record.stream.as_str(), record.sequence)) {
            Entry::Vacant(place) => {
                place.insert(record);
            }
            Entry::Occupied(_) => anomalies.push(anomaly(record, twice)),
        }
    }
    samples
}

fn anomaly(record: &Record, kind: AnomalyKind) -> Anomaly {
    Anomaly { stream: record.stream.clone(), sequence: record.sequence, kind }
}

/// The receiver's word counts: the sender may only have missed the confirmation.
fn settle_seen(sender: &Record, receiver: &Record, anomalies: &mut Vec<Anomaly>) -> Record {
    let latency_ns = receiver.latency_ns();
    if receiver.arrival.is_some() && latency_ns.is_none() {
        anomalies.push(anomaly(receiver, AnomalyKind::ArrivedBeforeCapture));
    } else if receiver.outcome == Outcome::Delivered && latency_ns.is_none() {
        anomalies.push(anomaly(receiver, AnomalyKind::NoArrivalTime));
    }
    let arrival = latency_ns.map(|ns| sender.capture + Duration::from_nanos(ns));
    Record { arrival, outcome: receiver.outcome, ..sender.clone() }
}

fn settle_unseen(sender: &Record, anomalies: &mut Vec<Anomaly>) -> Record {
    let outcome = match sender.outcome {
        Outcome::Delivered | Outcome::Late => {
            anomalies.push(anomaly(sender, AnomalyKind::ConfirmedButUnseen));
            Outcome::Lost
        }
        given_up => given_up,
    };
    Record { arrival: None, outcome, ..sender.clone() }
}

/// Outcomes and latencies of a set of samples of one stream.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Outcome of every sample; closes.
    pub ledger: Ledger,
    /// Latencies of the delivered samples.
    pub figures: Figures,
}

impl Tally {
    fn add(&mut self, record: &Record) {
        self.ledger.offer();
        self.ledger.settle(record.outcome);
        if record.outcome == Outcome::Delivered
            && let Some(latency_ns) = record.latency_ns()
        {
            self.figures.record(latency_ns);
        }
    }
}

/// One stream, its warm-up apart.
#[derive(Clone, Debug, Default)]
pub struct StreamTally {
    /// Name of the stream.
    pub name: String,
    /// Everything after the warm-up.
    pub measured: Tally,
    /// The samples marked as warm-up.
    pub warm_up: Tally,
}

/// Outcomes and figures of joined records, one entry for each stream, by name.
pub fn tally(joined: &[Record]) -> Vec<StreamTally> {
    let mut streams: BTreeMap<&str, StreamTally> = BTreeMap::new();
    for record in joined {
        let stream = streams
            .entry(&record.stream)
            .or_insert_with(|| StreamTally { name: record.stream.clone(), ..StreamTally::default() });
        if record.warm_up { stream.warm_up.add(record) } else { stream.measured.add(record) }
    }
    streams.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::MonoTime;

    fn sent(sequence: u32, outcome: Outcome) -> Record {
        Record {
            stream: "camera/1".into(),
            sequence,
            capture: MonoTime::from_millis(1_000 + u64::from(sequence) * 100),
            arrival: None,
            outcome,
            warm_up: false,
        }
    }

    fn received(sequence: u32, latency_ms: u64, outcome: Outcome) -> Record {
        let sender = sent(sequence, outcome);
        Record { arrival: Some(sender.capture + Duration::from_millis(latency_ms)), ..sender }
    }

    fn kinds(joined: &Joined) -> Vec<AnomalyKind> {
        joined.anomalies.iter().map(|anomaly| anomaly.kind).collect()
    }

    #[test]
    fn every_sample_offered_gets_one_outcome_and_the_ledger_closes() {
        let offered = [
            sent(0, Outcome::Delivered),
            sent(1, Outcome::Lost),
            sent(2, Outcome::Expired),
            sent(3, Outcome::Dropped),
            sent(4, Outcome::Lost),
            sent(5, Outcome::Delivered),
        ];
        // 1: the confirmation went missing, the sample did not. 5: complete, but too old.
        let seen = [
            received(0, 10, Outcome::Delivered),
            received(1, 30, Outcome::Delivered),
            received(5, 600, Outcome::Late),
        ];
        let joined = join(&offered, &seen);
        assert_eq!(joined.anomalies, []);
        let streams = tally(&joined.records);
        let expected = Ledger { offered: 6, delivered: 2, late: 1, expired: 1, dropped: 1, lost: 1 };
        assert_eq!(streams[0].measured.ledger, expected);
        assert!(expected.closes());
        assert_eq!(streams[0].measured.figures.n(), 2, "a late sample has no place in the moments");
        assert_eq!(streams[0].measured.figures.mean_ms(), Some(20.0));
    }

    #[test]
    fn what_the_receiver_saw_twice_or_without_an_offer_is_told_and_not_counted() {
        let offered = [sent(0, Outcome::Delivered), sent(0, Outcome::Lost)];
        let seen = [
            received(0, 10, Outcome::Delivered),
            received(0, 99, Outcome::Delivered),
            received(8, 10, Outcome::Delivered),
        ];
        let joined = join(&offered, &seen);
        assert_eq!(
            kinds(&joined),
            [AnomalyKind::OfferedTwice, AnomalyKind::ReceivedTwice, AnomalyKind::NeverOffered]
        );
        assert_eq!(joined.anomalies[2].to_string(), "camera/1 sample 8: received but never offered");
        let stream = &tally(&joined.records)[0].measured;
        assert_eq!((stream.ledger.offered, stream.ledger.delivered), (1, 1));
        assert_eq!(stream.figures.worst_ms(), Some(10.0), "the first record counts");
    }

    #[test]
    fn a_confirmation_without_the_sample_counts_as_lost_and_is_told() {
        let joined = join(&[sent(0, Outcome::Delivered)], &[]);
        assert_eq!(joined.records[0].outcome, Outcome::Lost);
        assert_eq!(kinds(&joined), [AnomalyKind::ConfirmedButUnseen]);
    }

    #[test]
    fn a_delivery_without_a_usable_time_counts_but_has_no_latency() {
        let offered = [sent(0, Outcome::Delivered), sent(1, Outcome::Delivered)];
        let early = Record { arrival: Some(MonoTime::ZERO), ..received(0, 0, Outcome::Delivered) };
        let timeless = Record { arrival: None, ..received(1, 0, Outcome::Delivered) };
        let joined = join(&offered, &[early, timeless]);
        assert_eq!(kinds(&joined), [AnomalyKind::ArrivedBeforeCapture, AnomalyKind::NoArrivalTime]);
        let stream = &tally(&joined.records)[0].measured;
        assert_eq!((stream.ledger.delivered, stream.figures.n()), (2, 0));
    }

    #[test]
    fn the_receivers_own_clock_gives_the_latency_when_the_two_ends_differ() {
        let other_clock = Record {
            capture: MonoTime::from_millis(900_000),
            arrival: Some(MonoTime::from_millis(900_040)),
            ..received(0, 0, Outcome::Delivered)
        };
        let joined = join(&[sent(0, Outcome::Delivered)], &[other_clock]);
        assert_eq!(joined.records[0].latency_ns(), Some(40_000_000));
        assert_eq!(joined.records[0].capture, MonoTime::from_millis(1_000));
    }

    #[test]
    fn warm_up_is_kept_apart_on_the_senders_word() {
        let offered = [Record { warm_up: true, ..sent(0, Outcome::Delivered) }, sent(1, Outcome::Delivered)];
        let seen = [received(0, 80, Outcome::Delivered), received(1, 5, Outcome::Delivered)];
        let stream = &tally(&join(&offered, &seen).records)[0];
        assert_eq!(stream.warm_up.figures.worst_ms(), Some(80.0));
        assert_eq!(stream.measured.figures.worst_ms(), Some(5.0));
    }
}
