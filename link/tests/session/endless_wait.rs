//! What could leave a reader waiting for ever (LNK-13, LNK-24): each time it goes on.

use crate::world::bench::{Bench, Packet};
use crate::world::payload::{tag_of, tagged};
use crate::world::peer::{Peer, drain, entry, fragment};
use crate::world::{World, at_ms, both, keep_all, link, ms, named, reliable, subscription, with_lifespan};
use tokkyu_contract::{Class, FlowId, Qos, TraceId};
use tokkyu_link::core::{Event, Session, SessionConfig};
use tokkyu_link::sim::network::End;
use tokkyu_link::wire::{EndpointKind, Frame};

const SEEDS: u64 = 5;

/// A session that reads "log" from a peer made by hand.
struct Reader {
    session: Session,
    peer: Peer,
    got: Vec<u32>,
}

impl Reader {
    fn new(memory_bytes: usize, requested: Qos) -> Self {
        let mut session = Session::new(SessionConfig { memory_bytes, ..SessionConfig::default() });
        session.subscribe(subscription("log", requested)).expect("within the limits");
        Reader { session, peer: Peer::default(), got: Vec::new() }
    }

    fn offer(&mut self, flow: u16, qos: Qos) {
        let offer = entry(EndpointKind::Publication, flow, "log", qos);
        self.peer.table(at_ms(1), &mut self.session, vec![offer]);
    }

    fn sample(&mut self, flow: u16, sequence: u32) {
        let id = TraceId { flow: FlowId(flow), sequence };
        self.peer.sample(at_ms(1), &mut self.session, id, &tagged(sequence, 1_000));
        self.look();
    }

    fn look(&mut self) {
        for event in drain(at_ms(1), &mut self.session) {
            if let Event::Delivered(delivered) = event {
                self.got.push(tag_of(&delivered.payload));
            }
        }
    }
}

/// LNK-13: a flow whose samples give way has holes nobody tells of; a reader that keeps all does not wait for them.
#[test]
fn a_reader_that_keeps_all_does_not_wait_for_what_a_keep_last_flow_dropped() {
    for seed in 1..=SEEDS {
        let mut world = World::new(&both("slow", link(5, 20, 100)), seed);
        let flow = world.advertise(End::Vehicle, "log", Class::Realtime, reliable(2));
        let reader = world.subscribe(End::Operator, "log", keep_all());
        for tag in 0..50 {
            world.publish(End::Vehicle, flow, tag, 40_000);
            world.run_for(ms(20));
        }
        world.run_for(ms(1_000));
        let tags = world.tags(End::Operator, reader);
        assert!(tags.len() < 50 && tags.last() == Some(&49), "{tags:?}");
    }
}

/// LNK-3, LNK-13: the publisher would wait for ever, the reader does not.
#[test]
fn an_ordered_reader_goes_on_behind_a_sample_that_only_its_own_lifespan_ended() {
    for seed in 1..=SEEDS {
        let mut profile = named("wan-loss5");
        profile.up = profile.up.with_outage(ms(500), ms(900));
        let mut world = World::new(&profile, seed);
        let flow = world.advertise(End::Vehicle, "log", Class::Realtime, keep_all());
        let reader = world.subscribe(End::Operator, "log", with_lifespan(keep_all(), 150));
        for tag in 0..100 {
            world.publish(End::Vehicle, flow, tag, 5_000);
            world.run_for(ms(20));
        }
        world.run_for(ms(1_500));
        let tags = world.tags(End::Operator, reader);
        assert!(tags.is_sorted_by(|a, b| a < b), "order: {tags:?}");
        assert!(tags.len() > 50 && tags.last() == Some(&99), "seed {seed}: {tags:?}");
    }
}

/// LNK-24: the floor that says where the flow begins comes before the table that names the flow.
#[test]
fn a_floor_that_comes_before_its_table_is_not_forgotten() {
    let mut left = 1;
    let loses = move |packet: &Packet| {
        let hit = packet.from == End::Vehicle && packet.carries(FlowId::SESSION) && left > 0;
        left -= usize::from(hit);
        hit
    };
    let mut bench = Bench::new(ms(25), SessionConfig::default(), loses);
    let flow = bench.advertise(End::Vehicle, "log", Class::BestEffort, keep_all());
    let reader = bench.subscribe(End::Operator, "log", keep_all());
    (0..3).for_each(|tag| _ = bench.publish(End::Vehicle, flow, tag, 100));
    bench.run_to(at_ms(30));
    (3..6).for_each(|tag| _ = bench.publish(End::Vehicle, flow, tag, 100));
    bench.run_to(at_ms(1_000));
    assert_eq!(bench.tags(End::Operator, reader), [3, 4, 5]);
}

/// LNK-21, LNK-13: what cannot be decoded does not come again.
#[test]
fn an_ordered_reader_goes_on_behind_a_sample_that_cannot_be_decoded() {
    let mut reader = Reader::new(1 << 20, keep_all());
    reader.offer(1, keep_all());
    let id = TraceId { flow: FlowId(1), sequence: 0 };
    for index in 0..2 {
        let shard = [0xff; 64]; // a length beyond the shards
        let frame = Frame::Fragment(fragment(at_ms(1), id, 2, index, &shard));
        reader.peer.send(at_ms(1), &mut reader.session, &[frame]);
    }
    (1..4).for_each(|sequence| reader.sample(1, sequence));
    assert_eq!(reader.got, [1, 2, 3]);
}

/// LNK-8: a peer that sends more than it may loses samples, not its flow.
#[test]
fn an_ordered_flow_beyond_its_half_of_the_bound_goes_on_without_what_was_dropped() {
    let mut reader = Reader::new(100_000, keep_all());
    reader.offer(1, keep_all());
    (1..200).for_each(|sequence| reader.sample(1, sequence));
    assert!(reader.session.stats().violations > 0);
    reader.sample(1, 200);
    reader.sample(1, 0);
    (201..210).for_each(|sequence| reader.sample(1, sequence));
    assert!(reader.got.is_sorted() && reader.got.last() == Some(&209), "{:?}", reader.got);
    assert_eq!(reader.session.stats().memory_in, 0);
}

/// LNK-8: a half that is full of what waits for one sample still takes that one.
#[test]
fn what_everybody_waits_for_is_taken_however_full_the_bound_is() {
    let mut reader = Reader::new(100_000, keep_all());
    reader.offer(1, keep_all());
    let fit = 50_000 / 1_512;
    (1..=fit).for_each(|sequence| reader.sample(1, sequence));
    assert_eq!(reader.got, [0; 0]);
    reader.sample(1, 0);
    assert_eq!(reader.got, (0..=fit).collect::<Vec<u32>>());
    assert_eq!(reader.session.stats().violations, 0);
}

/// LNK-15: another flow of the same topic has numbers of its own.
#[test]
fn a_reader_whose_flow_is_replaced_reads_the_new_one_from_its_beginning() {
    for requested in [reliable(1), keep_all()] {
        let mut reader = Reader::new(1 << 20, requested);
        reader.offer(1, keep_all());
        (0..5).for_each(|sequence| reader.sample(1, sequence));
        reader.sample(1, 7); // behind a hole, when the flow ends
        reader.got.clear();
        reader.offer(2, keep_all());
        (0..3).for_each(|sequence| reader.sample(2, sequence));
        assert_eq!(reader.got, [0, 1, 2]);
        assert_eq!(reader.session.stats().memory_in, 0, "what waited is gone");
    }
}

/// LNK-18: what waited too long for the table is not waited for when it comes.
#[test]
fn an_order_begins_behind_what_was_dropped_before_the_table_came() {
    let mut reader = Reader::new(100_000, keep_all());
    (0..100).for_each(|sequence| reader.sample(1, sequence));
    reader.offer(1, keep_all());
    (100..105).for_each(|sequence| reader.sample(1, sequence));
    assert!(reader.got.len() < 105, "not all fit");
    assert!(
        reader.got.is_sorted() && reader.got.ends_with(&[99, 100, 101, 102, 103, 104]),
        "{:?}",
        reader.got
    );
}
