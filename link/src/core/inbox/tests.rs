//! The inbox alone, fed with shards by hand.

use super::*;
use crate::core::sample::LENGTH_BYTES;

fn id(sequence: u32) -> TraceId {
    TraceId { flow: FlowId(1), sequence }
}

fn shards_of(payload: &[u8], shard_bytes: usize) -> (usize, Vec<Vec<u8>>) {
    let k = (payload.len() + LENGTH_BYTES).div_ceil(shard_bytes);
    let mut data = payload.to_vec();
    data.resize(k * shard_bytes - LENGTH_BYTES, 0);
    data.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    let parity = Codec::default().encode(k, shard_bytes, data.chunks(shard_bytes), usize::MAX).unwrap();
    let all = [data, parity].concat();
    (k, all.chunks(shard_bytes).map(<[u8]>::to_vec).collect())
}

fn fragment(sequence: u32, k: usize, index: usize, shard: &[u8]) -> Fragment<'_> {
    Fragment { id: id(sequence), capture_us: 0, k: k as u16, index: index as u16, shard }
}

fn give(inbox: &mut Inbox, f: Fragment<'_>) -> Option<Complete> {
    inbox.on_fragment(MonoTime::from_millis(1), &f, PeerTime::ZERO)
}

#[test]
fn any_k_shards_complete_a_sample_once() {
    let payload: Vec<u8> = (0..1000u32).map(|i| i as u8).collect();
    let (k, shards) = shards_of(&payload, 64);
    let mut inbox = Inbox::new(1 << 20);
    let mut complete = None;
    for index in (3..k + 3).rev() {
        assert_eq!(complete, None);
        complete = give(&mut inbox, fragment(0, k, index, &shards[index]));
    }
    assert_eq!(complete.unwrap().payload, payload);
    assert_eq!(give(&mut inbox, fragment(0, k, 0, &shards[0])), None, "a sample comes once");
    inbox.settle(FlowId(1), Outcome::Delivered);
    assert!(inbox.ledger(FlowId(1)).closes());
    assert_eq!((inbox.memory_bytes(), inbox.duplicates()), (FLOW_BYTES, 1));
}

#[test]
fn memory_stays_bounded_and_the_oldest_is_pushed_out() {
    let mut inbox = Inbox::new(100_000);
    for sequence in 0..100 {
        give(&mut inbox, fragment(sequence, 10, 0, &[1; 100]));
        assert!(inbox.memory_bytes() <= 50_000, "the other half is for ordered flows");
    }
    let pushed_out: Vec<u32> = inbox.take_ended().into_iter().map(|(id, _)| id.sequence).collect();
    inbox.close();
    let ledger = inbox.ledger(FlowId(1));
    assert!(ledger.closes(), "{ledger}");
    // Each counts 27 × 108 + 512 bytes: thirteen fit beside the flow.
    assert_eq!((ledger.dropped, ledger.lost), (87, 13));
    assert_eq!(pushed_out, (0..87).collect::<Vec<u32>>());
    assert_eq!(inbox.memory_bytes(), FLOW_BYTES);
}

#[test]
fn a_sample_larger_than_its_share_is_refused_and_pushes_nothing_out() {
    let mut inbox = Inbox::new(100_000);
    give(&mut inbox, fragment(0, 10, 0, &[1; 100]));
    let before = inbox.memory_bytes();
    assert_eq!(give(&mut inbox, fragment(1, 400, 0, &[1; 100])), None);
    assert_eq!((inbox.memory_bytes(), inbox.violations()), (before, 1));
    assert_eq!(inbox.take_ended(), [(id(1), Outcome::Dropped)]);
}

fn ordered(bound: usize) -> Inbox {
    let mut inbox = Inbox::new(bound);
    inbox.on_table(BTreeMap::from([(FlowId(1), Share::Ordered)]), FlowId(2));
    inbox
}

#[test]
fn an_ordered_flow_is_pushed_out_by_nobody_and_refused_beyond_its_half() {
    let mut inbox = ordered(100_000);
    let other =
        |sequence| Fragment { id: TraceId { flow: FlowId(2), sequence }, ..fragment(0, 10, 0, &[1; 100]) };
    give(&mut inbox, fragment(0, 10, 0, &[1; 100]));
    (0..100).for_each(|sequence| _ = give(&mut inbox, other(sequence)));
    assert!(inbox.take_ended().iter().all(|(id, _)| id.flow == FlowId(2)));
    (1..100).for_each(|sequence| _ = give(&mut inbox, fragment(sequence, 10, 0, &[1; 100])));
    let refused: Vec<u32> = inbox.take_ended().into_iter().map(|(id, _)| id.sequence).collect();
    assert_eq!(refused, (14..100).collect::<Vec<u32>>(), "fourteen fit, and none gives way");
    assert_eq!(inbox.violations(), 86);
}

#[test]
fn a_floor_frees_what_is_below_it_also_over_a_wrap() {
    for first in [0u32, u32::MAX - 3] {
        let mut inbox = ordered(1 << 20);
        let at = |ahead: u32| first.wrapping_add(ahead);
        inbox.on_floor(id(first));
        (0..8).for_each(|ahead| _ = give(&mut inbox, fragment(at(ahead), 10, 0, &[1; 100])));
        let _ = inbox.take_ended();
        inbox.on_floor(id(at(5)));
        let below: Vec<u32> =
            inbox.take_ended().into_iter().map(|(id, _)| id.sequence.wrapping_sub(first)).collect();
        assert_eq!(below.len(), 5, "{below:?}");
        assert_eq!(inbox.partials(), 3);
        give(&mut inbox, fragment(at(4), 10, 3, &[1; 100]));
        assert_eq!((inbox.partials(), inbox.duplicates()), (3, 1), "what comes late is not begun again");
    }
}

#[test]
fn what_a_table_makes_ordered_moves_to_that_half_and_does_not_come_back() {
    let mut inbox = Inbox::new(100_000);
    (0..10).for_each(|sequence| _ = give(&mut inbox, fragment(sequence, 10, 0, &[1; 100])));
    let before = inbox.memory_bytes();
    for share in [Share::Rest, Share::Ordered, Share::Ordered] {
        inbox.on_table(BTreeMap::from([(FlowId(1), share)]), FlowId(2));
        assert_eq!((inbox.memory_bytes(), inbox.partials()), (before, 10));
    }
    let other =
        |sequence| Fragment { id: TraceId { flow: FlowId(2), sequence }, ..fragment(0, 10, 0, &[1; 100]) };
    (0..20).for_each(|sequence| _ = give(&mut inbox, other(sequence)));
    assert_eq!(inbox.take_ended().iter().filter(|(id, _)| id.flow == FlowId(1)).count(), 0);
    inbox.on_table(BTreeMap::new(), FlowId(1));
    assert_eq!(inbox.take_ended().len(), 10, "given up when it is no longer ordered");
    inbox.close();
    assert_eq!(inbox.memory_bytes(), 2 * FLOW_BYTES);
}

#[test]
fn of_the_table_only_the_newest_is_put_together() {
    let mut inbox = Inbox::new(100_000);
    let table = |sequence| Fragment {
        id: TraceId { flow: FlowId::SESSION, sequence },
        ..fragment(0, 10, 0, &[1; 100])
    };
    for sequence in [3, 5, 4, 9] {
        give(&mut inbox, table(sequence));
        assert_eq!(inbox.partials(), 1);
    }
    (0..200).for_each(|sequence| _ = give(&mut inbox, fragment(sequence, 10, 0, &[1; 100])));
    let ended = inbox.take_ended();
    assert!(ended.iter().all(|(id, _)| id.flow != FlowId::SESSION || id.sequence < 9), "{ended:?}");
}

#[test]
fn shards_that_contradict_each_other_are_violations() {
    let mut inbox = Inbox::new(1 << 20);
    give(&mut inbox, fragment(0, 10, 0, &[1; 100]));
    give(&mut inbox, fragment(0, 11, 1, &[1; 100]));
    give(&mut inbox, fragment(0, 17_000, 1, &[1; 100]));
    give(&mut inbox, fragment(0, 10, 999, &[1; 100]));
    give(&mut inbox, fragment(0, 1, 0, &[1; 100]));
    assert_eq!(inbox.violations(), 4);
}

/// LNK-87: shards of the cut before are of no use, whether they came before or come late.
#[test]
fn a_sample_cut_anew_in_shorter_shards_completes_and_counts_once() {
    let payload: Vec<u8> = (0..1000u32).map(|i| i as u8).collect();
    let (long_k, long) = shards_of(&payload, 100);
    let (k, short) = shards_of(&payload, 64);
    let mut inbox = Inbox::new(1 << 20);
    (0..3).for_each(|index| assert_eq!(give(&mut inbox, fragment(0, long_k, index, &long[index])), None));
    let mut complete = None;
    for (index, shard) in short.iter().enumerate().take(k) {
        assert_eq!(complete, None);
        complete = give(&mut inbox, fragment(0, k, index, shard));
        if index == 0 {
            assert_eq!(give(&mut inbox, fragment(0, long_k, 3, &long[3])), None);
        }
    }
    assert_eq!(complete.unwrap().payload, payload);
    inbox.settle(FlowId(1), Outcome::Delivered);
    let ledger = inbox.ledger(FlowId(1));
    assert!(ledger.closes() && ledger.offered == 1, "{ledger}");
    assert_eq!((inbox.violations(), inbox.memory_bytes()), (0, FLOW_BYTES));
}

#[test]
fn a_length_beyond_the_shards_is_not_delivered() {
    let mut inbox = Inbox::new(1 << 20);
    let bad = [0xff; 64];
    assert_eq!(give(&mut inbox, fragment(0, 2, 0, &bad)), None);
    assert_eq!(give(&mut inbox, fragment(0, 2, 1, &bad)), None);
    assert_eq!(inbox.violations(), 1);
    assert!(inbox.ledger(FlowId(1)).closes());
}

#[test]
fn the_fewest_missing_are_those_of_the_sample_nearest_to_its_end_whatever_came_of_it() {
    let payload = vec![9u8; 1_000];
    let (k, shards) = shards_of(&payload, 64);
    let mut inbox = Inbox::new(1 << 20);
    assert_eq!(inbox.fewest_missing(), None);
    give(&mut inbox, fragment(0, k, 0, &shards[0]));
    for index in [1, k + 1, k] {
        give(&mut inbox, fragment(1, k, index, &shards[index]));
    }
    assert_eq!(inbox.fewest_missing(), Some(k - 3));
    (2..k - 2).for_each(|index| assert_eq!(give(&mut inbox, fragment(1, k, index, &shards[index])), None));
    assert_eq!(
        give(&mut inbox, fragment(1, k, k - 2, &shards[k - 2])).map(|c| c.payload),
        Some(payload.into())
    );
    assert_eq!(inbox.fewest_missing(), Some(k - 1));
}
