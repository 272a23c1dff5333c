//! What a peer that is broken or means harm can do (LNK-6, LNK-20, LNK-30): be counted, and nothing else.
//!
//! The carrier lets only the authenticated peer speak, so harm comes from the peer itself, or as datagrams that do not
//! parse. Each test has an honest flow alongside that must get through.

use crate::world::networks::Draw;
use crate::world::payload::{tag_of, tagged};
use crate::world::peer::{Peer, drain, entry, feedback, fragment, shards_of};
use crate::world::{
    World, at_ms, keep_all, link_qos, ms, named, publication, reliable, subscription, with_lifespan,
};
use tokkyu_contract::{Class, FlowId, MonoTime, TraceId};
use tokkyu_link::core::{Event, PathId, Session, SessionConfig, Subscription};
use tokkyu_link::sim::network::End;
use tokkyu_link::wire::{EndpointKind, Entry, Feedback, Frame, Header, MAX_FEEDBACK_WORDS, Table, Whole};

const SEEDS: u64 = 10;
const MEMORY: usize = 2_000_000;

/// A session that reads "image" and publishes "command", and its peer; the honest flow is the peer's flow 1.
struct Victim {
    session: Session,
    peer: Peer,
    now: MonoTime,
    honest: u32,
    reader: FlowId,
    command: FlowId,
    events: Vec<Event>,
}

impl Victim {
    fn new() -> Self {
        Victim::reading(link_qos())
    }

    fn reading(qos: tokkyu_contract::Qos) -> Self {
        let config = SessionConfig { memory_bytes: MEMORY, ..SessionConfig::default() };
        let mut session = Session::new(config);
        let reader = session.subscribe(subscription("image", qos)).expect("within the limits");
        let command = session
            .advertise(publication("command", Class::Control, reliable(10)))
            .expect("within the limits");
        let mut victim = Victim {
            session,
            peer: Peer::default(),
            now: at_ms(1),
            honest: 0,
            reader,
            command,
            events: Vec::new(),
        };
        victim.tell_table(qos);
        victim
    }

    fn tell_table(&mut self, qos: tokkyu_contract::Qos) {
        let entries = vec![
            entry(EndpointKind::Publication, 1, "image", qos),
            entry(EndpointKind::Subscription, 1, "command", reliable(10)),
        ];
        self.peer.table(self.now, &mut self.session, entries);
        self.pass(ms(1));
    }

    fn pass(&mut self, span: std::time::Duration) {
        self.now += span;
        let events = drain(self.now, &mut self.session);
        self.events.extend(events);
        let stats = self.session.stats();
        assert!(stats.memory_in <= MEMORY, "{} bytes of incomplete samples", stats.memory_in);
    }

    fn send(&mut self, frames: &[Frame<'_>]) {
        self.peer.send(self.now, &mut self.session, frames);
    }

    /// A small and a large sample of the honest flow, and a command of ours.
    fn be_honest(&mut self) {
        for bytes in [100, 20_000] {
            let id = TraceId { flow: FlowId(1), sequence: self.honest };
            let payload = tagged(self.honest, bytes);
            self.honest += 1;
            if bytes == 100 {
                self.peer.sample(self.now, &mut self.session, id, &payload);
            } else {
                self.peer.fragments(self.now, &mut self.session, id, &payload);
            }
        }
        let now = self.now;
        self.session.publish(now, self.command, now, &[9; 64]).expect("a command is taken");
        self.pass(ms(1));
    }

    /// All of the honest flow came, once and undamaged.
    fn assert_honest_flow_came(&mut self) {
        self.pass(ms(5));
        let got: Vec<u32> = self
            .events
            .iter()
            .filter_map(|event| match event {
                Event::Delivered(d) if d.subscription == self.reader && d.id.flow == FlowId(1) => {
                    Some(tag_of(&d.payload))
                }
                _ => None,
            })
            .collect();
        assert_eq!(got, (0..self.honest).collect::<Vec<u32>>());
    }
}

fn id(flow: u16, sequence: u32) -> TraceId {
    TraceId { flow: FlowId(flow), sequence }
}

/// LNK-20: over a network, from both sides, beside an honest session.
#[test]
fn garbage_datagrams_are_counted_and_the_honest_flow_gets_through() {
    for seed in 1..=SEEDS {
        let mut world = World::new(&named("wan-loss5"), seed);
        let mut image = world.stream(End::Vehicle, Class::Realtime, link_qos(), 50_000, ms(100));
        let mut command =
            world.stream(End::Operator, Class::Control, with_lifespan(reliable(10), 300), 64, ms(20));
        let mut draw = Draw::new(seed);
        let mut injected = 0;
        for turn in 1..=100 {
            for end in End::BOTH {
                let length = draw.below(1_500) as usize;
                let mut garbage = draw.bytes(length);
                // Flags that do not exist, so that no garbage is a packet by chance.
                garbage.iter_mut().take(1).for_each(|first| *first |= 0x80);
                world.network.inject(end, garbage);
                injected += 1;
            }
            world.drive(&mut [&mut image, &mut command], at_ms(turn * 10));
        }
        world.run_to(at_ms(2_000));
        let malformed: u64 =
            End::BOTH.iter().map(|end| world.network.session(*end).stats().packets_malformed).sum();
        assert!(
            (injected * 17 / 20..=injected).contains(&malformed),
            "{malformed} of {injected}, 5 % are lost"
        );
        for stream in [&image, &command] {
            assert!(world.fates(stream).values().all(|fate| fate.arrival.is_some()), "{:?}", stream.flow);
        }
    }
}

/// LNK-20: packets with one fault each are ignored in full.
#[test]
fn a_packet_with_any_malformed_frame_is_ignored_in_full_and_counted() {
    let mut victim = Victim::new();
    let sample = |sequence| {
        let mut out = Vec::new();
        Frame::Sample(Whole { id: id(1, sequence), capture_us: 0, payload: &[1; 10] }).write(&mut out);
        out
    };
    let with = |head: &[u8], frames: &[u8]| [head, frames].concat();
    let header = |number: u32| {
        let mut out = Vec::new();
        Header { ask: true, long_lost: false, is_cut: false, feedback_interval: 1, number, sent_us: 5 }
            .write(&mut out);
        out
    };
    let good = with(&header(900), &sample(900));
    let mut bad: Vec<Vec<u8>> =
        (0..good.len()).filter(|cut| *cut != 10).map(|cut| good[..cut].to_vec()).collect();
    bad.push(with(&[0x08, 1, 0, 0, 0, 0, 0, 0, 0, 0], &sample(900))); // unknown flag
    bad.push(with(&[0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0], &sample(900))); // feedback interval 0
    for kind in [6u8, 7, 0x7f, 0xff] {
        bad.push([good.clone(), vec![kind; 20]].concat()); // unknown frame behind a good one
    }
    bad.push([&good[..], &[0, 0, 1]].concat()); // padding that is not zero
    let fragment = |k: u16, index: u16, shard: &[u8]| {
        let mut out = good.clone();
        out.extend([1, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0]);
        out.extend(k.to_le_bytes());
        out.extend(index.to_le_bytes());
        out.extend(shard);
        out
    };
    bad.push(fragment(0, 0, &[1; 10]));
    bad.push(fragment(5, 0, &[1; 9]));
    bad.push(fragment(5, 0, &[]));
    for words in [0, MAX_FEEDBACK_WORDS as u8 + 1, 255] {
        let mut out = with(&good, &[3]);
        out.extend([0; 18]);
        out.push(words);
        out.extend(vec![0; 8 * usize::from(words)]);
        bad.push(out);
    }
    let mut twice = good.clone();
    (0..2).for_each(|_| Frame::Feedback(feedback(0)).write(&mut twice));
    bad.push(twice);
    for datagram in &bad {
        victim.be_honest();
        victim.session.on_datagram(victim.now, PathId::FIRST, false, datagram);
    }
    let stats = victim.session.stats();
    assert_eq!(stats.packets_malformed, bad.len() as u64);
    victim.assert_honest_flow_came();
}

/// LNK-20: who does not know a frame of a later version reads what is behind it.
#[test]
fn frames_of_a_later_version_are_passed_over() {
    let mut victim = Victim::new();
    let payload = tagged(0, 100);
    let later = |kind, body| Frame::Extension { kind, body };
    let sample = Frame::Sample(Whole { id: id(1, 0), capture_us: 0, payload: &payload });
    victim.send(&[later(128, &[]), later(255, &[7; 300]), sample, Frame::Padding(40)]);
    victim.honest = 1;
    victim.assert_honest_flow_came();
    assert_eq!(victim.session.stats().packets_malformed, 0);
}

/// LNK-22: a peer cannot acknowledge what was not sent.
#[test]
fn feedback_for_packets_never_sent_is_a_violation_and_settles_nothing() {
    let mut victim = Victim::new();
    victim.be_honest();
    let sent = victim.session.stats().packets_sent as u32;
    let before = victim.session.stats().violations;
    let lies = [sent, sent + 1, sent + 1_000, u32::MAX, u32::MAX / 2, u32::MAX / 2 + 2];
    for highest in lies {
        victim.send(&[Frame::Feedback(feedback(highest))]);
        victim.be_honest();
    }
    // Each honest turn sends packets too: the first two lies may name one of those.
    let counted = victim.session.stats().violations - before;
    assert!((lies.len() as u64 - 2..=lies.len() as u64).contains(&counted), "{counted} of {}", lies.len());
    victim.assert_honest_flow_came();
}

/// LNK-22: feedback that contradicts itself and every other, on packets that were sent.
#[test]
fn feedback_that_makes_no_sense_panics_nothing_and_keeps_the_rate_finite() {
    for seed in 1..=SEEDS {
        let mut victim = Victim::new();
        let image = victim
            .session
            .advertise(publication("view", Class::Realtime, link_qos()))
            .expect("within the limits");
        let qos = link_qos();
        victim.peer.table(
            victim.now,
            &mut victim.session,
            vec![
                entry(EndpointKind::Publication, 1, "image", qos),
                entry(EndpointKind::Subscription, 1, "command", reliable(10)),
                entry(EndpointKind::Subscription, 2, "view", qos),
            ],
        );
        let mut draw = Draw::new(seed);
        for _ in 0..300 {
            let now = victim.now;
            victim.session.publish(now, image, now, &[3; 20_000]).expect("keep last");
            victim.be_honest();
            let sent = victim.session.stats().packets_sent;
            let mut bitmap = [0; MAX_FEEDBACK_WORDS];
            bitmap.iter_mut().for_each(|word| *word = draw.below(u64::MAX));
            let lie = Feedback {
                highest: (sent - 1 - draw.below(sent.min(200))) as u32,
                highest_rx_us: draw.below(1 << 32) as u32,
                hold_us: draw.below(1 << 32) as u32 >> draw.below(32),
                received_bytes: draw.below(1 << 32) as u32,
                ce: draw.below(1 << 16) as u16,
                words: 1 + draw.below(16) as u8,
                bitmap,
            };
            victim.send(&[Frame::Feedback(lie)]);
            victim.pass(ms(draw.below(5)));
        }
        let stats = victim.session.stats();
        assert!(stats.rate_bps.is_finite() && stats.rate_bps > 0.0, "seed {seed}: {stats:?}");
        assert!((0.0..=1.0).contains(&stats.loss) && stats.dispersion.is_finite(), "seed {seed}: {stats:?}");
        victim.assert_honest_flow_came();
    }
}

/// LNK-6: shapes of samples that cannot be.
#[test]
fn fragments_of_impossible_shape_are_violations() {
    let mut victim = Victim::new();
    let big = [7; 1_400];
    let absurd: [(usize, usize, &[u8]); 8] = [
        (1, 0, &big),           // one shard is a SAMPLE
        (16_385, 0, &big),      // too many shards
        (65_535, 0, &big),      // the most that can be written
        (10, 26, &big),         // beyond k + m(k)
        (10, 65_535, &big),     // far beyond
        (16_384, 16_512, &big), // beyond the parity of the largest
        (2, 10, &[7, 7]),       // beyond k + m(k) of the smallest
        (65_535, 65_535, &[7, 7]),
    ];
    for (at, (k, index, shard)) in absurd.into_iter().enumerate() {
        let now = victim.now;
        victim.send(&[Frame::Fragment(fragment(now, id(1, 5_000 + at as u32), k, index, shard))]);
        victim.be_honest();
        assert_eq!(victim.session.stats().violations, at as u64 + 1, "k {k}, index {index}");
    }
    assert_eq!(victim.session.stats().memory_in, 0, "nothing of them is held");
    victim.assert_honest_flow_came();
}

/// LNK-21: shards of one sample that contradict each other.
#[test]
fn fragments_that_contradict_their_sample_are_violations_and_the_sample_still_completes() {
    let mut victim = Victim::new();
    let payload = tagged(0, 5_000);
    let shards = shards_of(&payload, 1_000);
    for (index, shard) in shards.iter().enumerate() {
        let now = victim.now;
        victim.send(&[Frame::Fragment(fragment(now, id(1, 0), shards.len(), index, shard))]);
        victim.send(&[Frame::Fragment(fragment(now, id(1, 0), shards.len() + 1, index, shard))]);
        // Longer than those that are there: of a cut before (LNK-87), and no fault.
        let longer = [&shard[..], &[0; 2]].concat();
        if index > 0 {
            victim.send(&[Frame::Fragment(fragment(now, id(1, 0), shards.len(), index, &longer))]);
        }
    }
    victim.honest = 1;
    // What comes behind the last shard of a sample is a duplicate, whatever it says.
    assert_eq!(victim.session.stats().violations, shards.len() as u64 - 1);
    victim.assert_honest_flow_came();
}

/// LNK-6: incomplete samples without end stay within the bound.
#[test]
fn a_flood_of_samples_that_never_complete_stays_within_the_memory_bound() {
    let mut victim = Victim::new();
    let shard = [1; 1_400];
    for sequence in 0..3_000 {
        let now = victim.now;
        victim.send(&[Frame::Fragment(fragment(now, id(2, sequence), 50, 0, &shard))]);
        if sequence % 100 == 0 {
            victim.be_honest();
        }
        let memory = victim.session.stats().memory_in;
        assert!(memory <= MEMORY, "{memory}");
    }
    victim.assert_honest_flow_came();
}

/// LNK-6: a sample larger than the bound is refused; it must not push out what is there.
#[test]
fn a_sample_larger_than_the_memory_bound_does_not_push_out_honest_ones() {
    let mut victim = Victim::new();
    let shards = shards_of(&tagged(0, 20_000), 1_000);
    for (index, shard) in shards.iter().enumerate() {
        let now = victim.now;
        victim.send(&[Frame::Fragment(fragment(now, id(1, 0), shards.len(), index, shard))]);
        victim.send(&[Frame::Fragment(fragment(now, id(2, index as u32), 16_384, 0, &[1; 1_400]))]);
    }
    victim.honest = 1;
    victim.assert_honest_flow_came();
    assert!(victim.session.stats().violations >= shards.len() as u64);
}

/// LNK-6: small shards cost more to keep track of than they hold.
#[test]
fn a_flood_of_tiny_incomplete_samples_stays_within_the_memory_bound() {
    let mut victim = Victim::reading(reliable(10));
    let least_bookkeeping = 80; // key, capture stamp, arrival, three vectors
    for sequence in 0..100_000 {
        let now = victim.now;
        victim.send(&[Frame::Fragment(fragment(now, id(1, sequence), 2, 0, &[1; 2]))]);
    }
    let held = victim.session.received_ledger(victim.reader).open() as usize * least_bookkeeping;
    assert!(held <= MEMORY, "{held} bytes and more for a bound of {MEMORY}");
}

/// LNK-13, LNK-6: an ordered reader does not hold samples without end for one that never comes.
#[test]
fn an_ordered_reader_holds_no_more_than_the_memory_bound() {
    let mut victim = Victim::reading(keep_all());
    for sequence in 1..5_000 {
        let (now, payload) = (victim.now, [1; 1_400]);
        victim.peer.sample(now, &mut victim.session, id(1, sequence), &payload);
    }
    let held = victim.session.received_ledger(victim.reader).open() as usize * 1_400;
    assert!(held <= MEMORY, "{held} bytes held for a bound of {MEMORY}");
}

/// LNK-6: more flows than a peer may have.
#[test]
fn flows_beyond_the_limit_are_violations() {
    let mut victim = Victim::new();
    for flow in 2..3_000 {
        let now = victim.now;
        victim.peer.sample(now, &mut victim.session, id(flow, 0), &[1; 10]);
        if flow % 100 == 0 {
            victim.be_honest();
        }
    }
    let violations = victim.session.stats().violations;
    assert!((1_900..3_000).contains(&violations), "{violations}");
    victim.assert_honest_flow_came();
}

/// Sequence numbers that jump, wrap and go back: each sample once at most.
#[test]
fn sequence_numbers_that_jump_deliver_nothing_twice() {
    let mut victim = Victim::reading(reliable(10));
    let jumps = [0, 1, 5_000, 2, 5_001, 4_999, 1 << 20, 5_002, (1 << 20) - 1_000, (1 << 30) + 5, 1, 0];
    for sequence in jumps.iter().chain(&jumps) {
        let now = victim.now;
        victim.peer.sample(now, &mut victim.session, id(1, *sequence), &[1; 10]);
        victim.pass(ms(1));
    }
    let mut seen = std::collections::BTreeSet::new();
    for event in &victim.events {
        if let Event::Delivered(d) = event {
            assert!(seen.insert(d.id.sequence), "{} delivered twice", d.id);
        }
    }
    assert!(seen.len() >= 3, "{seen:?}");
}

/// Packet numbers that jump ahead: what follows them is taken again.
#[test]
fn packet_numbers_that_jump_ahead_do_not_stop_what_follows() {
    let mut victim = Victim::new();
    for jump in [1, 63, 64, 4_000, 5_000, 1 << 20, (1 << 31) - 10_000] {
        victim.peer.number = victim.peer.number.wrapping_add(jump);
        victim.send(&[Frame::Probe]);
        victim.be_honest();
    }
    victim.assert_honest_flow_came();
}

/// LNK-24: floors of flows that do not exist, that jump, and that go back.
#[test]
fn floors_that_make_no_sense_stop_no_flow() {
    let mut victim = Victim::new();
    for floor in [id(0, 5), id(1, 0), id(1, u32::MAX), id(1, 7), id(77, 7), id(65_535, u32::MAX)] {
        victim.send(&[Frame::Floor(floor)]);
        victim.be_honest();
    }
    victim.assert_honest_flow_came();
}

/// LNK-30: invalid tables are counted and change nothing.
#[test]
fn invalid_tables_are_ignored_and_counted() {
    let mut victim = Victim::new();
    let table =
        |entries| Table { memory_bytes: crate::world::peer::MEMORY, next: FlowId(1), entries }.to_bytes();
    let good = table(vec![entry(EndpointKind::Publication, 1, "image", link_qos())]);
    let mut bad: Vec<Vec<u8>> = (0..good.len()).map(|cut| good[..cut].to_vec()).collect();
    bad.push([good.clone(), vec![0]].concat());
    for (at, value) in [(0, 2), (0, 9), (13, 0), (13, 3), (16, 4), (17, 2), (18, 2), (19, 2), (12, 255)] {
        let mut damaged = good.clone();
        damaged[at] = value;
        bad.push(damaged);
    }
    let twice = vec![entry(EndpointKind::Publication, 1, "image", link_qos()); 2];
    bad.push(table(twice));
    let line = |at: u16| entry(EndpointKind::Publication, at + 1, "image", link_qos());
    bad.push(table((0..1_025).map(line).collect()));
    let mut draw = Draw::new(1);
    bad.extend((0..50).map(|length| [vec![3], draw.bytes(length * 20)].concat()));
    for (at, table) in bad.iter().enumerate() {
        let now = victim.now;
        victim.peer.table_bytes(now, &mut victim.session, table);
        victim.be_honest();
        assert_eq!(victim.session.stats().violations, at as u64 + 1, "table {at} of {} bytes", table.len());
    }
    victim.assert_honest_flow_came();
}

/// LNK-30: tables as large as they may be, over and over, with the longest names.
#[test]
fn table_bombs_cost_no_memory_that_grows_and_stop_no_flow() {
    let mut victim = Victim::new();
    let bomb = |salt: u32| -> Vec<Entry> {
        let line = |at: u16| {
            let topic = format!("{:0>250}", u32::from(at) * 1_000 + salt);
            Entry {
                type_name: "t".repeat(255),
                ..entry(EndpointKind::Publication, at + 2, &topic, link_qos())
            }
        };
        (0..1_000).map(line).collect()
    };
    for round in 0..4 {
        let mut entries = bomb(round);
        entries.push(entry(EndpointKind::Publication, 1, "image", link_qos()));
        let now = victim.now;
        victim.peer.table(now, &mut victim.session, entries);
        victim.pass(ms(20));
        victim.be_honest();
        assert_eq!(victim.session.stats().memory_in, 0, "a table is not kept twice");
    }
    let events = victim.events.len();
    assert!(events < 200, "{events} events");
    victim.assert_honest_flow_came();
}

/// LNK-15: a peer that disagrees in ever new ways is heard out a few times with each table, and not remembered.
#[test]
fn disagreements_without_end_are_told_a_few_at_a_time() {
    let mut victim = Victim::new();
    for round in 0..20u32 {
        let line = |at: u32| Entry {
            type_name: format!("{}", round * 1_000 + at),
            ..entry(EndpointKind::Publication, at as u16 + 2, "typed", link_qos())
        };
        let mut entries: Vec<Entry> = (0..1_000).map(line).collect();
        entries.push(entry(EndpointKind::Publication, 1, "image", link_qos()));
        if round == 0 {
            let typed = Subscription { type_name: "t".into(), ..subscription("typed", link_qos()) };
            victim.session.subscribe(typed).expect("within the limits");
        }
        let now = victim.now;
        victim.peer.table(now, &mut victim.session, entries);
        victim.pass(ms(20));
        victim.be_honest();
    }
    let told = victim.events.iter().filter(|event| matches!(event, Event::OtherType { .. })).count();
    assert!((20..=20 * 16).contains(&told), "{told} of 20 000");
    victim.assert_honest_flow_came();
}

/// LNK-8: flows nobody announced take few of the places, and the announced ones still find theirs.
#[test]
fn flows_that_no_table_names_leave_room_for_those_it_names() {
    let mut victim = Victim::new();
    (100..1_000).for_each(|flow| {
        let now = victim.now;
        victim.peer.sample(now, &mut victim.session, id(flow, 0), &[1; 10]);
    });
    let reader = victim.session.subscribe(subscription("late", link_qos())).expect("within the limits");
    let now = victim.now;
    victim.peer.table(
        now,
        &mut victim.session,
        vec![
            entry(EndpointKind::Publication, 1, "image", link_qos()),
            entry(EndpointKind::Publication, 2, "late", link_qos()),
        ],
    );
    victim.peer.sample(now, &mut victim.session, id(2, 0), &[1; 10]);
    victim.be_honest();
    assert_eq!(victim.session.received_ledger(reader).delivered, 1);
    victim.assert_honest_flow_came();
}

/// LNK-6, LNK-30: the application's own mistakes are refused by name, and the other flows go on.
#[test]
fn too_many_flows_or_too_long_names_of_our_own_do_not_cut_off_the_others() {
    for (flows, name, told) in [(1_100, "x".to_owned(), "1024"), (1, "x".repeat(300), "255")] {
        let mut world = World::new(&named("lan"), 1);
        let flow = world.advertise(End::Vehicle, "image", Class::BestEffort, reliable(5));
        let reader = world.subscribe(End::Operator, "image", reliable(5));
        let session = world.network.session(End::Vehicle);
        let mut errors = Vec::new();
        for at in 0..flows {
            let topic = format!("{name}{at}");
            errors.extend(session.advertise(publication(&topic, Class::BestEffort, reliable(5))).err());
            errors.extend(session.subscribe(subscription(&topic, reliable(5))).err());
        }
        // 1 024 of each kind, and one publication is there already.
        assert_eq!(errors.len(), if flows == 1 { 2 } else { 77 + 76 });
        assert!(errors.iter().all(|error| error.to_string().contains(told)), "{:?}", errors[0]);
        world.run_to(at_ms(500));
        world.publish(End::Vehicle, flow, 1, 100);
        world.run_to(at_ms(1_000));
        assert_eq!(world.tags(End::Operator, reader), [1], "{flows} more flows");
    }
}

/// LNK-30: each limit at its edge.
#[test]
fn names_at_their_limits_are_taken_and_beyond_them_refused() {
    let mut victim = Victim::new();
    for (topic, type_name, taken) in
        [(0, 0, false), (1, 0, true), (255, 255, true), (256, 0, false), (9, 256, false)]
    {
        let asked = Subscription {
            type_name: "t".repeat(type_name),
            ..subscription(&"x".repeat(topic), reliable(1))
        };
        let got = victim.session.subscribe(asked);
        assert_eq!(got.is_ok(), taken, "topic of {topic}, type of {type_name}: {got:?}");
    }
    victim.be_honest();
    victim.assert_honest_flow_came();
}

/// Every valid packet a little damaged: nothing panics, and the books still close.
#[test]
fn damaged_packets_panic_nothing() {
    let mut malformed = 0;
    for seed in 1..=200 {
        // A damaged packet number makes the session deaf to all that follow, hence a new one for each seed.
        let mut victim = Victim::new();
        let mut draw = Draw::new(seed);
        let payload = tagged(0, 3_000);
        let shards = shards_of(&payload, 60);
        for round in 0..50u32 {
            let now = victim.now;
            let index = draw.below(shards.len() as u64) as usize;
            let frames = [
                Frame::Sample(Whole { id: id(1, round), capture_us: 0, payload: &payload[..100] }),
                Frame::Floor(id(1, round)),
                Frame::Feedback(feedback(draw.below(20) as u32)),
                Frame::Fragment(fragment(now, id(1, round), shards.len(), index, &shards[index])),
            ];
            let mut packet = victim.peer.packet(now, &frames);
            for _ in 0..1 + draw.below(4) {
                let at = draw.below(packet.len() as u64) as usize;
                packet[at] ^= 1 << draw.below(8);
            }
            victim.session.on_datagram(now, PathId::FIRST, false, &packet);
            victim.pass(ms(1));
        }
        malformed += victim.session.stats().packets_malformed;
        victim.session.close();
        let ledger = victim.session.received_ledger(victim.reader);
        assert!(ledger.closes(), "seed {seed}: {ledger}");
    }
    assert!(malformed > 500, "{malformed} of 10 000");
}
