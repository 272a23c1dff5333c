//! The behaviour of a whole direction, in virtual time.
use core::time::Duration;
use std::sync::Arc;

use tokkyu_contract::time::MonoTime;

use super::*;

const FRAME: usize = 1_514;
const MBIT: u64 = 1_000_000;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Takes everything out, in order, with the time of exit.
fn drain<P: Clone>(path: &mut Path<P>) -> Vec<Due<P>> {
    std::iter::from_fn(|| path.take_due(MonoTime::MAX)).collect()
}

/// Offers `count` numbered frames `gap` apart and returns the numbers that arrive with their exits.
fn send(path: &mut Path<usize>, count: usize, gap: Duration) -> Vec<Due<usize>> {
    for number in 0..count {
        path.offer(MonoTime::ZERO + gap * number as u32, FRAME, number);
    }
    drain(path)
}

fn numbers(arrived: &[Due<usize>]) -> Vec<usize> {
    arrived.iter().map(|due| due.packet).collect()
}

fn assert_closed(counters: &Counters) {
    assert_eq!(counters.in_flight(), 0, "offered + duplicated = delivered + gone: {counters:?}");
}

/// Everything at once, so that the impairments could disturb one another if they shared a stream.
fn everything() -> DirectionProfile {
    DirectionProfile {
        jitter: ms(3),
        loss: Loss::Bursts { share: 0.05, length: 4 },
        reorder: Reorder { share: 0.02, extra_delay: ms(2) },
        duplicate_share: 0.03,
        corrupt_share: 0.04,
        ..DirectionProfile::link(1_000 * MBIT, ms(5), 8_000_000)
    }
}

#[test]
fn a_seed_gives_the_same_run_again_and_another_seed_another() {
    let run = |seed| send(&mut Path::new(&everything(), seed), 5_000, Duration::from_micros(20));
    assert_eq!(run(7), run(7));
    assert_ne!(numbers(&run(7)), numbers(&run(8)));
}

#[test]
fn the_verdict_on_the_kth_packet_does_not_depend_on_timing_or_on_other_impairments() {
    let arrived = |profile: &DirectionProfile, gap| {
        let mut got = numbers(&send(&mut Path::new(profile, 11), 5_000, gap));
        got.sort_unstable();
        got.dedup();
        got
    };
    let slow = arrived(&everything(), ms(10));
    assert_eq!(slow, arrived(&everything(), Duration::from_micros(13)), "the sender's speed");
    let only_loss = DirectionProfile { loss: everything().loss, ..DirectionProfile::default() };
    assert_eq!(slow, arrived(&only_loss, ms(1)), "the other impairments");
    let narrow = DirectionProfile { queue_bytes: 3_000, ..everything() };
    let of_narrow = arrived(&narrow, Duration::from_micros(11));
    assert!(
        of_narrow.len() < slow.len() && of_narrow.iter().all(|number| slow.contains(number)),
        "tail drop"
    );
}

#[test]
fn the_two_directions_of_a_network_do_not_lose_the_same_packets() {
    let profile = Profile::named("wan-loss5").expect("known");
    let arrived = |direction| numbers(&send(&mut profile.path(direction, 3, MonoTime::ZERO), 2_000, ms(1)));
    assert_ne!(arrived(Direction::Up), arrived(Direction::Down));
}

#[test]
fn loss_takes_its_share_of_a_hundred_thousand_packets() {
    for name in ["lan-loss5", "wan-loss1", "wan-burst5"] {
        let profile = Profile::named(name).expect("known").up;
        let mut path = Path::new(&profile, 5);
        let arrived = send(&mut path, 100_000, Duration::from_micros(70)).len();
        let lost = 1.0 - arrived as f64 / 100_000.0;
        assert!((lost - profile.loss.average()).abs() < 0.08 * profile.loss.average(), "{name}: {lost}");
        assert_closed(&path.counters());
    }
}

#[test]
fn frames_leave_spaced_by_exactly_their_time_on_the_wire() {
    // (1514 + 24) B · 8 at 1 Gbit/s is 12304 ns; at 200 Mbit/s five times that.
    for (rate, spacing_ns) in [(1_000 * MBIT, 12_304), (200 * MBIT, 61_520)] {
        let profile = DirectionProfile::link(rate, ms(25), u64::MAX);
        let arrived = send(&mut Path::new(&profile, 0), 1_000, Duration::ZERO);
        for (number, due) in arrived.iter().enumerate() {
            let wanted = MonoTime::ZERO + ms(25) + Duration::from_nanos(spacing_ns * (number as u64 + 1));
            assert_eq!(due.at, wanted);
        }
    }
}

#[test]
fn a_rate_that_divides_badly_does_not_drift() {
    let profile = DirectionProfile::link(700_000_001, Duration::ZERO, u64::MAX);
    let arrived = send(&mut Path::new(&profile, 0), 100_000, Duration::ZERO);
    let exact_ns = 1_538.0 * 8.0 * 1e9 / 700_000_001.0 * 100_000.0;
    let error_ns = arrived[99_999].at.as_nanos() as f64 - exact_ns;
    assert!((0.0..=101.0).contains(&error_ns), "at most a picosecond a frame: {error_ns} ns");
}

#[test]
fn a_rate_change_acts_in_the_middle_of_a_frame() {
    // A frame takes 12.304 ms at 1 Mbit/s. After 6.152 ms half of it is out; the rest goes at a quarter of the rate.
    let half = Duration::from_micros(6_152);
    let profile = DirectionProfile::link(MBIT, Duration::ZERO, u64::MAX);
    let slower = profile.clone().with_rate_between(half, ms(10_000), MBIT / 4);
    assert_eq!(send(&mut Path::new(&slower, 0), 1, ms(0))[0].at, MonoTime::ZERO + half * 5);
    let stopped = profile.with_rate_between(half, ms(1_000), 0);
    assert_eq!(send(&mut Path::new(&stopped, 0), 1, ms(0))[0].at, MonoTime::ZERO + ms(1_000) + half);
}

#[test]
fn a_link_halved_for_three_seconds_carries_half_in_them() {
    let profile = DirectionProfile::link(10 * MBIT, Duration::ZERO, 4_000).with_rate_between(
        ms(3_000),
        ms(6_000),
        5 * MBIT,
    );
    let arrived = send(&mut Path::new(&profile, 0), 9_000, ms(1));
    let between = |from: u64, to: u64| {
        let out = |due: &&Due<usize>| (from..to).contains(&(due.at.as_nanos() / 1_000_000));
        arrived.iter().filter(out).count() as f64
    };
    let full = between(0, 3_000);
    assert!((between(3_000, 6_000) / full - 0.5).abs() < 0.01);
    assert!((between(6_000, 9_000) / full - 1.0).abs() < 0.01);
}

#[test]
fn the_queue_drops_at_its_limit_and_counts_only_what_waits() {
    let profile = DirectionProfile::link(MBIT, Duration::ZERO, 3 * FRAME as u64);
    let mut path = Path::new(&profile, 0);
    let fates: Vec<Fate> = (0..6).map(|number| path.offer(MonoTime::ZERO, FRAME, number)).collect();
    let carried = Fate::Carried { copies: 1 };
    assert_eq!(
        fates,
        [carried, carried, carried, carried, Fate::Gone, Fate::Gone],
        "one in service, three wait"
    );
    assert_eq!(path.counters().queue_high_water_bytes, 3 * FRAME as u64);
    // 12.304 ms later the first is out and one that waited is begun: room for one more.
    let later = MonoTime::from_nanos(12_304_000);
    assert_eq!(path.offer(later, FRAME, 6), carried);
    assert_eq!(path.offer(later, FRAME, 7), Fate::Gone);
    assert_eq!(numbers(&drain(&mut path)), [0, 1, 2, 3, 6]);
    assert_eq!(path.counters().tail_dropped, 3);
    assert_closed(&path.counters());
}

#[test]
fn a_packet_that_need_not_wait_passes_any_queue() {
    let profile = DirectionProfile::link(MBIT, Duration::ZERO, 0);
    let arrived = send(&mut Path::new(&profile, 0), 3, ms(13));
    assert_eq!(numbers(&arrived), [0, 1, 2]);
}

#[test]
fn packets_leave_in_the_slots_of_a_trace_and_unused_slots_are_gone() {
    let trace = Arc::new(CapacityTrace::parse(b"0\n3\n3\n10\n").expect("a good trace"));
    let profile = DirectionProfile { capacity: Capacity::Trace(trace), ..DirectionProfile::default() };
    let mut path = Path::new(&profile, 0);
    for number in 0..6 {
        path.offer(MonoTime::from_micros(500), FRAME, number);
    }
    path.offer(MonoTime::from_millis(50), FRAME, 6);
    let exits: Vec<u64> = drain(&mut path).iter().map(|due| due.at.as_micros() / 1_000).collect();
    // 0 ms has passed; then 3, 3, 10, 10 (slot 0 of the repetition), 13, 13; the slots until 50 ms serve nobody.
    assert_eq!(exits, [3, 3, 10, 10, 13, 13, 50]);
}

#[test]
fn a_packet_beyond_a_slot_takes_part_of_the_next_and_small_ones_share_one() {
    let trace = Arc::new(CapacityTrace::parse(b"1\n2\n3\n4\n5\n").expect("a good trace"));
    let profile = DirectionProfile { capacity: Capacity::Trace(trace), ..DirectionProfile::default() };
    let mut path = Path::new(&profile, 0);
    for (number, packet_bytes) in [1_500, 1_501, 40, 1_459, 1, 1_499].into_iter().enumerate() {
        path.offer(MonoTime::ZERO, packet_bytes + 14, number);
    }
    let exits: Vec<u64> = drain(&mut path).iter().map(|due| due.at.as_micros() / 1_000).collect();
    assert_eq!(exits, [1, 3, 3, 3, 4, 4]);
}

#[test]
fn an_outage_takes_what_is_offered_in_it_and_what_would_leave_in_it() {
    let profile = DirectionProfile::link(MBIT, ms(5), u64::MAX).with_outage(ms(20), ms(40));
    let mut path = Path::new(&profile, 0);
    // A frame needs 12.3 ms: the second would leave at 24.6 ms. The first has left and arrives.
    for (number, at_ms) in [0, 1, 21, 39, 40].into_iter().enumerate() {
        path.offer(MonoTime::from_millis(at_ms), FRAME, number);
    }
    assert_eq!(numbers(&drain(&mut path)), [0, 4]);
    assert_eq!(path.counters().lost_outage, 3);
    assert_closed(&path.counters());
}

#[test]
fn schedules_count_from_the_paths_start() {
    let profile = DirectionProfile::default().with_outage(ms(0), ms(10));
    let start = MonoTime::from_millis(1_000_000);
    let mut path = Path::starting_at(&profile, 0, start);
    path.offer(start + ms(9), FRAME, 0);
    path.offer(start + ms(10), FRAME, 1);
    let arrived = drain(&mut path);
    assert_eq!((arrived.len(), arrived[0].packet, arrived[0].at), (1, 1, start + ms(10)));
}

#[test]
fn the_policer_passes_its_rate_and_delays_nothing() {
    let profile = Profile::named("policer").expect("known").up;
    let mut path = Path::new(&profile, 0);
    // 180 Mbit/s for one second: 15000 frames of 1514 B, nearly twice the policer's rate.
    let arrived = send(&mut path, 15_000, Duration::from_nanos(66_666));
    let passed_bps = arrived.len() as f64 * FRAME as f64 * 8.0;
    let wanted_bps = 100e6 + 64_000.0 * 8.0;
    assert!((passed_bps / wanted_bps - 1.0).abs() < 0.001, "{passed_bps}");
    assert_eq!(path.counters().queue_high_water_bytes, 0, "what passes does not queue");
    assert_closed(&path.counters());
}

#[test]
fn jitter_keeps_order_and_its_bounds() {
    let profile = DirectionProfile { delay: ms(20), jitter: ms(10), ..DirectionProfile::default() };
    let arrived = send(&mut Path::new(&profile, 1), 20_000, ms(1));
    assert_eq!(numbers(&arrived), (0..20_000).collect::<Vec<_>>());
    let delays = arrived.iter().map(|due| due.at.as_nanos() - due.packet as u64 * 1_000_000);
    let (least, most) =
        delays.fold((u64::MAX, 0), |(least, most), delay| (least.min(delay), most.max(delay)));
    assert!(least >= 10_000_000 && most <= 30_000_000, "{least} {most}");
    // Far apart, packets do not hold one another up and the mean is the delay itself.
    let sparse = send(&mut Path::new(&profile, 1), 20_000, ms(100));
    let mean_ns = sparse.iter().map(|due| (due.at.as_nanos() - due.packet as u64 * 100_000_000) as f64);
    let mean_ms = mean_ns.sum::<f64>() / 20_000.0 / 1e6;
    assert!((mean_ms - 20.0).abs() < 0.2, "{mean_ms}");
}

#[test]
fn only_reorder_lets_packets_overtake() {
    let profile = DirectionProfile {
        reorder: Reorder { share: 0.01, extra_delay: ms(5) },
        delay: ms(20),
        ..DirectionProfile::default()
    };
    let mut path = Path::new(&profile, 9);
    let arrived = send(&mut path, 10_000, ms(1));
    let late =
        arrived.iter().filter(|due| due.at.as_nanos() - due.packet as u64 * 1_000_000 == 25_000_000).count();
    assert_eq!(late as u64, path.counters().reordered);
    assert!((50..200).contains(&late), "about one in a hundred: {late}");
    assert_ne!(numbers(&arrived), (0..10_000).collect::<Vec<_>>());
}

#[test]
fn duplicates_follow_at_once_and_close_the_ledger() {
    let profile = DirectionProfile { duplicate_share: 0.1, ..DirectionProfile::default() };
    let mut path = Path::new(&profile, 4);
    let arrived = send(&mut path, 10_000, ms(1));
    let doubled = arrived.windows(2).filter(|pair| pair[0].packet == pair[1].packet).count();
    assert_eq!(doubled as u64, path.counters().duplicated);
    assert!((900..1_100).contains(&doubled), "{doubled}");
    assert_closed(&path.counters());
}

#[test]
fn corruption_marks_a_bit_beyond_the_headers_and_inside_the_frame() {
    let profile = DirectionProfile { corrupt_share: 0.5, ..DirectionProfile::default() };
    let mut path = Path::new(&profile, 4);
    for frame_bytes in [42, 43, 60, FRAME].repeat(1_000) {
        path.offer(MonoTime::ZERO, frame_bytes, ());
    }
    let mut marked = 0;
    for due in drain(&mut path) {
        if let Some(bit) = due.corrupt_bit {
            assert!((42 * 8..due.frame_bytes as u64 * 8).contains(&bit), "{bit} of {}", due.frame_bytes);
            marked += 1;
        }
    }
    assert_eq!(marked, path.counters().corrupted);
    assert!((1_350..1_650).contains(&marked), "half of those with a payload: {marked}");
}

#[test]
fn a_profile_out_of_range_is_refused_by_its_field() {
    let wire = DirectionProfile::default;
    let cases = [
        (wire().with_loss(Loss::Uniform { share: 1.5 }), "loss.share"),
        (wire().with_loss(Loss::Uniform { share: f64::NAN }), "loss.share"),
        (wire().with_loss(Loss::Bursts { share: 0.95, length: 8 }), "bursts of 8"),
        (wire().with_loss(Loss::Bursts { share: 0.1, length: 0 }), "bursts of 0"),
        (DirectionProfile { corrupt_share: -0.1, ..wire() }, "corrupt_share"),
        (DirectionProfile { jitter: ms(2), delay: ms(1), ..wire() }, "jitter"),
        (wire().with_outage(ms(5), ms(5)), "outage"),
    ];
    for (profile, field) in cases {
        let message = profile.check().expect_err(field).to_string();
        assert!(message.contains(field), "{message}");
    }
    assert!(wire().check().is_ok());
}

#[test]
fn recorded_cellular_capacity_carries_its_mean() {
    let folder = std::env::var_os("TOKKYU_TRACES").map(std::path::PathBuf::from);
    let Some(file) = folder.map(|folder| folder.join("Verizon-LTE-short.up")).filter(|file| file.exists())
    else {
        eprintln!("skipped: TOKKYU_TRACES names no folder with Verizon-LTE-short.up");
        return;
    };
    let profile = Profile::named(&format!("trace:{}", file.display())).expect("readable");
    let Capacity::Trace(trace) = &profile.up.capacity else { panic!("a trace profile has a trace") };
    // One full period, offered faster than it carries: every slot is used.
    let packets = trace.slots();
    let deep = DirectionProfile { queue_bytes: u64::MAX, ..profile.up.clone() };
    let arrived = send(&mut Path::new(&deep, 0), packets, Duration::ZERO);
    let last_ms = arrived[packets - 1].at.as_micros() / 1_000;
    assert_eq!(last_ms, trace.period_ms() + 20);
}
