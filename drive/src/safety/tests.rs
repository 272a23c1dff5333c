//! The gate: every situation with every happening against a table, then the rules one by one.

use super::*;
use crate::control::{Command, Controls, Equipment, Fittings, SeatWish};
use proptest::prelude::*;
use std::time::Duration;
use tokkyu_contract::{MonoTime, PeerTime};

mod seat;
mod slower;

fn at(ms: u64) -> MonoTime {
    MonoTime::from_millis(ms)
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// An age that is known exactly.
fn aged(estimate: Duration) -> Age {
    Age { estimate, error: Duration::ZERO }
}

fn command(sequence: u64, controls: Controls) -> Command<PeerTime> {
    Command { controls, sequence, issued: PeerTime::ZERO, pictures: None, seat: SeatWish::default() }
}

fn forward() -> Controls {
    Controls::new(0.5, 0.0, 0.25).unwrap()
}

fn held() -> Controls {
    Controls::new(0.0, 0.0, 0.0).unwrap()
}

fn enabling() -> Controls {
    held().with_enable(true)
}

fn gate() -> Gate {
    Gate::new(Settings::default())
}

/// Stops that are over after 50 ms.
fn brief() -> Stops {
    let Stops { released, lost, emergency } = Stops::default();
    let [released, lost, emergency] =
        [released, lost, emergency].map(|profile| Profile { longest: ms(50), ..profile });
    Stops { released, lost, emergency }
}

/// What can happen, as the caller sees it, each with how it is brought about at 1 000 ms on a gate whose newest
/// command has number 10 and came at 950 ms.
const HAPPENINGS: [&str; 23] = [
    "throttle",
    "no throttle",
    "enable",
    "enable, unread",
    "held, unread",
    "let go",
    "old command",
    "repeated command",
    "fresh reset",
    "old reset",
    "fresh e-stop",
    "old, overtaken e-stop",
    "tick in time",
    "tick too late",
    "link closed",
    "suspended",
    "blind",
    "motors late",
    "program ends",
    "new session",
    "new driver",
    "another's e-stop",
    "not seated",
];

fn make_happen(gate: &mut Gate, happening: &str) {
    let (now, young, old) = (at(1_000), ms(150), ms(151));
    let mut send = |sequence, age, controls| {
        gate.on_command(now, aged(age), &command(sequence, controls));
    };
    match happening {
        "throttle" => send(11, young, forward()),
        "no throttle" => send(11, young, held()),
        "enable" => send(11, young, enabling()),
        "enable, unread" => send(11, young, enabling().with_read_age(ms(150))),
        "held, unread" => send(11, young, forward().with_read_age(ms(150))),
        "let go" => send(11, young, Controls::released(0.2, 0.5)),
        "old command" => send(11, old, forward()),
        "repeated command" => send(10, young, forward()),
        "fresh reset" => send(11, young, Controls::release()),
        "old reset" => send(11, old, Controls::release()),
        "fresh e-stop" => send(11, young, Controls::emergency()),
        "old, overtaken e-stop" => send(5, ms(9_000), Controls::emergency()),
        "tick in time" => drop(gate.on_tick(at(1_050))),
        "tick too late" => drop(gate.on_tick(MonoTime::from_nanos(1_050_000_001))),
        "link closed" => drop(gate.on_link_closed(now)),
        "suspended" => drop(gate.on_suspended(now)),
        "blind" => drop(gate.on_blind(now)),
        "motors late" => drop(gate.on_motors_late(now)),
        "program ends" => drop(gate.on_end(now)),
        "new session" => drop(gate.on_new_session(now)),
        "new driver" => drop(gate.on_new_driver(now)),
        "another's e-stop" => drop(gate.on_other_stop(now)),
        "not seated" => gate.on_not_seated(),
        other => panic!("{other} is not in the table"),
    }
}

/// Between two commands of a driver: within the deadline, and eight of them are half a second of neutral.
const EVERY_MS: u64 = 75;

/// Commands of `controls`, the last with `newest` at `until`.
fn send_until(gate: &mut Gate, until: u64, newest: u64, count: u64, controls: Controls) {
    for back in (0..count).rev() {
        gate.on_command(at(until - back * EVERY_MS), aged(Duration::ZERO), &command(newest - back, controls));
    }
}

/// Gates as the columns of the table have them: newest command number 10 at 950 ms (none came where it is anew).
const SITUATIONS: [&str; 7] = ["anew", "neutral", "ready", "drives", "stops", "stopped", "e-stop"];

fn gate_in(situation: &str) -> Gate {
    let mut gate = match situation {
        "stopped" => Gate::new(Settings { stops: brief(), ..Settings::default() }),
        _ => gate(),
    };
    match situation {
        "anew" => {}
        "neutral" => send_until(&mut gate, 950, 10, 5, held()),
        "ready" => send_until(&mut gate, 950, 10, 9, held()),
        "drives" => {
            send_until(&mut gate, 810, 8, 9, held());
            send_until(&mut gate, 880, 9, 1, enabling());
            send_until(&mut gate, 950, 10, 1, forward());
        }
        "stops" => {
            send_until(&mut gate, 740, 7, 8, held());
            send_until(&mut gate, 810, 8, 1, enabling());
            send_until(&mut gate, 880, 9, 1, forward());
            send_until(&mut gate, 950, 10, 1, Controls::NEUTRAL);
        }
        "stopped" => {
            send_until(&mut gate, 740, 7, 8, held());
            send_until(&mut gate, 810, 8, 1, enabling());
            gate.on_link_closed(at(820));
            gate.on_tick(at(870));
            send_until(&mut gate, 950, 10, 1, forward());
        }
        "e-stop" => send_until(&mut gate, 950, 10, 1, Controls::emergency()),
        other => panic!("{other} is not in the table"),
    }
    gate
}

#[test]
fn every_situation_meets_every_happening_as_the_table_says() {
    let mut table = format!("{:<24}", "");
    SITUATIONS.iter().for_each(|situation| table += &format!("{situation:<16}"));
    table = table.trim_end().to_owned() + "\n";
    for happening in HAPPENINGS {
        table += &format!("{happening:<24}");
        for situation in SITUATIONS {
            let mut gate = gate_in(situation);
            make_happen(&mut gate, happening);
            table += &format!("{:<16}", gate.state().as_str());
        }
        table = table.trim_end().to_owned() + "\n";
    }
    println!("{table}");
    assert_eq!(table, include_str!("states.txt"), "\nthe gate does:\n{table}");
}

#[test]
fn the_vehicle_moves_in_driving_alone() {
    for situation in SITUATIONS {
        let mut gate = gate_in(situation);
        for now in (960..=1_040).step_by(10).map(at) {
            gate.on_tick(now);
        }
        let output = gate.output();
        // DRV-112: motors that get controls alone see whether it drives.
        assert_eq!(output.dead_man(), gate.state() == State::Driving, "{situation}");
        match gate.state() {
            State::Driving => assert!(output.throttle() > 0.0 && output.dead_man()),
            State::Stopping | State::Emergency => {
                assert!(output.throttle() == 0.0 && output.brake() > 0.0, "{situation}: {output:?}");
            }
            _ => assert_eq!((output.throttle(), output.brake(), output.dead_man()), (0.0, 1.0, false)),
        }
    }
}

#[test]
fn every_stop_leaves_the_wheels_where_the_driver_had_them() {
    let stops = [
        "let go",
        "held, unread",
        "fresh reset",
        "fresh e-stop",
        "old, overtaken e-stop",
        "tick too late",
        "link closed",
        "suspended",
        "blind",
        "motors late",
        "new session",
    ];
    for happening in stops {
        let mut gate = gate_in("drives");
        make_happen(&mut gate, happening);
        for now in (1_060..6_000).step_by(10).map(at) {
            gate.on_tick(now);
        }
        let output = gate.output();
        assert_eq!(output, Controls::released(1.0, 0.25).with_fittings(output.fittings()), "{happening}");
    }
}

#[test]
fn a_stop_brakes_as_its_profile_says_and_never_less_than_the_driver() {
    let mut gate = gate_in("drives");
    gate.on_command(at(1_000), aged(ms(0)), &command(11, Controls::released(0.0, 0.0)));
    let mut brakes = Vec::new();
    for ms_in in [100, 200, 400, 1_000, 3_671, 3_673] {
        for now in (brakes.len() as u64 * 10..ms_in).step_by(10).map(|ms| at(1_000 + ms)) {
            gate.on_tick(now);
        }
        gate.on_tick(at(1_000 + ms_in));
        brakes.push((gate.output().brake() * 1e3).round());
    }
    assert_eq!(brakes, [125.0, 250.0, 500.0, 500.0, 500.0, 1_000.0]);
    assert_eq!((gate.state(), gate.cause()), (State::Stopped, Some(Cause::Released)));

    let mut gate = gate_in("stops");
    gate.on_command(at(1_000), aged(ms(1)), &command(11, Controls::released(0.9, 0.0)));
    assert_eq!(gate.output().brake(), 0.9);
    gate.on_tick(at(1_101));
    assert!(gate.output().brake() < 0.9, "what the driver wanted once counts as long as commands do");
}

#[test]
fn a_vehicle_that_says_it_stands_has_stopped_and_one_that_says_it_moves_has_not() {
    let mut gate = gate_in("stops");
    for now in (960..1_300).step_by(20) {
        gate.on_speed(at(now), 0.0);
        gate.on_tick(at(now));
    }
    assert_eq!(gate.state(), State::Stopped);

    let mut gate = gate_in("stops");
    for now in (960..9_000).step_by(20) {
        gate.on_speed(at(now), -1.0);
        gate.on_tick(at(now));
    }
    assert_eq!((gate.state(), gate.cause()), (State::Stopping, Some(Cause::Overrun)));
    assert_eq!((gate.output().brake(), gate.log().counts().overruns), (1.0, 1));
    assert_eq!(gate.wake_at(at(9_000)), None, "nothing is due but a look at its speed");
}

#[test]
fn a_soft_stop_becomes_the_harder_one_of_a_further_reason() {
    let soft = Profile { brake: 0.2, ..Stops::default().released };
    let stops = Stops { released: soft, ..Stops::default() };
    let released_at_950 = || {
        let mut gate = Gate::new(Settings { stops, ..Settings::default() });
        send_until(&mut gate, 800, 8, 9, held());
        send_until(&mut gate, 875, 9, 1, enabling());
        send_until(&mut gate, 950, 10, 1, Controls::NEUTRAL);
        gate
    };
    let brake_after_a_second = |gate: &mut Gate| {
        (1_051..2_051).step_by(10).map(at).for_each(|now| {
            gate.on_tick(now);
        });
        (gate.cause(), gate.output().brake())
    };
    let mut silent = released_at_950();
    silent.on_tick(at(1_050));
    assert_eq!(silent.cause(), Some(Cause::Released));
    assert_eq!(brake_after_a_second(&mut silent), (Some(Cause::Lost), 0.5));
    let mut blind = released_at_950();
    assert_eq!(blind.on_blind(at(960)), None);
    assert_eq!(blind.cause(), Some(Cause::Blind));
}

#[test]
fn an_emergency_stop_brakes_harder_and_its_ramp_does_not_begin_anew() {
    let mut gate = gate_in("drives");
    for (ms_in, sequence) in (0..=5).map(|n| (n * 20, n)) {
        gate.on_command(at(960 + ms_in), aged(ms(1)), &command(11 + sequence, Controls::emergency()));
    }
    assert_eq!(gate.output().brake(), 1.0);
    assert_eq!(gate.cause(), Some(Cause::EmergencyStop));
}

/// What a driver does before a stand ends, and what a second without any command does to it.
const STEPS: [(&str, bool); 6] = [
    ("throttle", false),
    ("no throttle", false),
    ("enable", false),
    ("enable, not held", false),
    ("unread enable", false),
    ("enable after a gap", true),
];

#[test]
fn enabling_goes_step_by_step_as_the_table_says() {
    let stages: [(&str, &[(u64, Controls)]); 5] = [
        ("anew", &[]),
        ("neutral 0.45 s", &[(7, held())]),
        ("neutral, enable hangs", &[(9, enabling())]),
        ("neutral, let go", &[(9, Controls::NEUTRAL)]),
        ("neutral, held", &[(9, held())]),
    ];
    let mut table =
        STEPS.iter().fold(format!("{:<24}", ""), |head, (step, ..)| head + &format!("{step:<20}"));
    table = table.trim_end().to_owned() + "\n";
    for (stage, commands) in stages {
        table += &format!("{stage:<24}");
        for (step, is_gap) in STEPS {
            let mut gate = gate();
            let mut sent = 0;
            for (count, controls) in commands {
                sent += count;
                send_until(&mut gate, 100 + sent * EVERY_MS, sent, *count, *controls);
            }
            let controls = match step {
                "throttle" => forward().with_enable(true),
                "no throttle" => held(),
                "enable, not held" => Controls::NEUTRAL.with_enable(true),
                "unread enable" => enabling().with_read_age(ms(150)),
                _ => enabling(),
            };
            let now = at(100 + (sent + 1) * EVERY_MS + if is_gap { 1_000 } else { 0 });
            gate.on_command(now, aged(Duration::ZERO), &command(sent + 1, controls));
            let drives = gate.state() == State::Driving;
            let shown = if drives { "drives".into() } else { format!("{:?}", gate.need(now)) };
            table += &format!("{shown:<20}");
        }
        table = table.trim_end().to_owned() + "\n";
    }
    println!("{table}");
    assert_eq!(table, include_str!("enabling.txt"), "\nthe gate does:\n{table}");
}

#[test]
fn whatever_was_held_through_an_outage_or_a_new_session_does_not_drive_again() {
    let mut gate = gate_in("drives");
    gate.on_tick(at(9_000));
    let hold = |from: u64, sequence: u64, gate: &mut Gate| {
        for step in 0..500 {
            let controls = if step % 50 < 25 { forward() } else { enabling() };
            let held = if sequence == 0 { forward().with_enable(true) } else { controls };
            gate.on_command(at(from + step * 20), aged(ms(1)), &command(sequence + step, held));
            assert_eq!(gate.output().throttle(), 0.0, "{} ms after the outage", step * 20);
        }
    };
    hold(10_950, 11, &mut gate);
    assert_ne!(gate.state(), State::Driving);
    gate.on_new_session(at(21_000));
    hold(21_000, 0, &mut gate);
    assert_eq!((gate.state(), gate.need(at(30_980))), (State::Locked, Need::Neutral));
}

#[test]
fn the_gate_says_what_it_waits_for() {
    let need = |situation| gate_in(situation).need(at(960));
    assert_eq!(
        SITUATIONS.map(need),
        [
            Need::FreshCommand,
            Need::Neutral,
            Need::Enable,
            Need::Nothing,
            Need::Standstill,
            Need::Neutral,
            Need::Reset,
        ]
    );
    assert_eq!(gate_in("stops").need(at(1_051)), Need::FreshCommand, "commands ceased");
    let mut gate = gate_in("stopped");
    gate.on_command(at(1_200), aged(ms(151)), &command(11, forward()));
    assert_eq!(gate.need(at(1_200)), Need::YoungerCommand);
    gate.on_command(at(1_210), Age { estimate: ms(1), error: Duration::MAX }, &command(12, forward()));
    assert_eq!(gate.need(at(1_210)), Need::Clock);
    gate.on_command(at(1_220), aged(ms(1)), &command(13, forward()));
    assert_eq!(gate.need(at(1_220)), Need::Neutral);
    let mut gate = super::tests::gate();
    send_until(&mut gate, 950, 10, 9, Controls::NEUTRAL);
    assert_eq!((gate.state(), gate.need(at(950))), (State::Ready, Need::DeadMan));
}

#[test]
fn a_driver_who_is_ready_and_falls_silent_is_not_ready() {
    let mut gate = gate_in("ready");
    assert_eq!(gate.on_tick(at(1_050)), None);
    let change = gate.on_tick(MonoTime::from_nanos(1_050_000_001));
    assert_eq!(change, Some(Change { from: State::Ready, to: State::Locked }));
    assert_eq!(gate.log().counts().deadlines_missed, 0, "nothing moved, so nothing was stopped");
}

#[test]
fn a_driver_who_sees_nothing_cannot_enable() {
    let mut gate = gate_in("drives");
    assert_eq!(gate.on_blind(at(960)), Some(Change { from: State::Driving, to: State::Stopping }));
    assert_eq!(gate.on_blind(at(970)), None);
    gate.on_tick(at(6_000));
    send_until(&mut gate, 7_000, 26, 16, held());
    assert_eq!((gate.state(), gate.need(at(7_000))), (State::Stopped, Need::Pictures));
    send_until(&mut gate, 7_020, 27, 1, enabling());
    assert_eq!(gate.state(), State::Stopped);
    gate.on_sight();
    send_until(&mut gate, 7_040, 28, 1, held());
    assert_eq!((gate.state(), gate.need(at(7_040))), (State::Stopped, Need::Neutral), "it begins anew");
    send_until(&mut gate, 7_670, 38, 10, held());
    send_until(&mut gate, 7_690, 39, 1, enabling());
    assert_eq!(gate.state(), State::Driving);
}

#[test]
fn motors_that_took_nothing_cannot_be_enabled_until_they_do() {
    let mut gate = gate_in("ready");
    gate.on_given(false);
    send_until(&mut gate, 1_020, 11, 1, enabling());
    assert_ne!(gate.state(), State::Driving);
    send_until(&mut gate, 2_000, 24, 13, held());
    assert_eq!((gate.state(), gate.need(at(2_000))), (State::Locked, Need::Motors));
    gate.on_given(true);
    send_until(&mut gate, 2_020, 25, 1, enabling());
    assert_ne!(gate.state(), State::Driving, "what the driver did before does not count");
    send_until(&mut gate, 2_900, 37, 12, held());
    send_until(&mut gate, 2_920, 38, 1, enabling());
    assert_eq!((gate.state(), gate.log().counts().motors_late), (State::Driving, 0));
}

#[test]
fn a_command_of_exactly_the_lifespan_passes_and_one_nanosecond_more_does_not() {
    let mut gate = gate_in("drives");
    let over = DEFAULT_LIFESPAN + Duration::from_nanos(1);
    let refused = gate.on_command(at(960), aged(over), &command(11, forward())).refused;
    assert_eq!(refused, Some(Refusal::TooOld));
    assert_eq!(gate.on_command(at(960), aged(DEFAULT_LIFESPAN), &command(11, forward())).refused, None);
}

#[test]
fn a_command_whose_age_may_be_wrong_by_more_than_the_lifespan_is_refused_for_that() {
    let mut gate = gate_in("drives");
    let before = gate.log().counts().commands();
    let mut react = |error, controls| {
        let age = Age { estimate: ms(1), error };
        gate.on_command(at(950), age, &command(11, controls)).refused
    };
    for error in [DEFAULT_LIFESPAN + Duration::from_nanos(1), Duration::MAX] {
        assert_eq!(react(error, forward()), Some(Refusal::AgeUnknown));
        assert_eq!(react(error, Controls::release()), Some(Refusal::AgeUnknown));
    }
    assert_eq!(react(DEFAULT_LIFESPAN, forward()), None);
    assert_eq!(react(Duration::MAX, Controls::emergency()), None, "a stop counts at any age");
    let counts = gate.log().counts();
    assert_eq!((counts.age_unknown, counts.e_stops, counts.commands() - before), (4, 1, 6));
}

#[test]
fn commands_that_do_not_count_do_not_put_off_the_stop() {
    let stop = Some(Change { from: State::Driving, to: State::Stopping });
    for age in [aged(ms(151)), Age { estimate: ms(1), error: Duration::MAX }] {
        let mut gate = gate_in("drives");
        for step in 0..10 {
            gate.on_command(at(951 + step * 10), age, &command(11 + step, forward()));
        }
        assert_eq!(gate.on_tick(at(1_051)), stop);
    }
}

#[test]
fn a_gap_is_noticed_even_if_the_command_after_it_is_seen_before_the_tick() {
    let mut gate = gate_in("drives");
    let reaction = gate.on_command(at(1_200), aged(ms(10)), &command(11, forward()));
    assert_eq!(reaction.missed, Some(Change { from: State::Driving, to: State::Stopping }));
    assert_eq!((reaction.refused, reaction.change), (Some(Refusal::NotEnabled), None));
    assert_eq!((gate.state(), gate.log().counts().deadlines_missed), (State::Stopping, 1));
}

#[test]
fn a_dead_man_that_nobody_reads_is_let_go_whatever_the_command_says() {
    let mut gate = gate_in("drives");
    gate.on_command(at(960), aged(ms(1)), &command(11, forward().with_read_age(ms(149))));
    assert_eq!(gate.state(), State::Driving);
    gate.on_command(at(980), aged(ms(1)), &command(12, forward().with_read_age(ms(150))));
    assert_eq!((gate.state(), gate.cause()), (State::Stopping, Some(Cause::Released)));
}

#[test]
fn the_gate_says_when_it_must_be_woken() {
    let missed = Some(MonoTime::from_nanos(1_050_000_001));
    for situation in ["anew", "neutral", "stopped", "e-stop"] {
        let mut gate = gate_in(situation);
        for now in (960..1_500).step_by(10).map(at) {
            gate.on_tick(now);
        }
        let due = gate.wake_at(at(1_500));
        let expected = (situation == "e-stop").then(|| gate.wake_at(at(1_499))).flatten();
        assert_eq!(due, expected, "{situation}");
    }
    assert_eq!(gate_in("ready").wake_at(at(950)), missed);
    let mut gate = gate_in("drives");
    assert_eq!(gate.wake_at(at(950)), Some(at(960)), "the wheels still turn");
    for (step, now) in (960..1_200).step_by(20).enumerate() {
        gate.on_command(at(now), aged(ms(1)), &command(11 + step as u64, forward()));
    }
    assert_eq!(gate.wake_at(at(1_180)), Some(MonoTime::from_nanos(1_280_000_001)));
}

#[test]
fn a_horn_is_heard_as_long_as_commands_come_and_lamps_stay() {
    let mut gate = gate_in("drives");
    let both = Equipment::HORN.and(Equipment::LOW_BEAM);
    let fittings = Fittings { equipment: both, mode: 7, ..Fittings::default() };
    gate.on_command(at(960), aged(ms(1)), &command(11, forward().with_fittings(fittings)));
    assert_eq!(gate.output().fittings(), fittings);
    gate.on_tick(at(1_100));
    assert_eq!(gate.output().fittings(), Fittings { equipment: Equipment::LOW_BEAM, ..fittings });
}

#[test]
fn an_emergency_stop_from_before_the_reset_does_not_stop_again() {
    let mut gate = gate_in("e-stop");
    gate.on_command(at(960), aged(ms(10)), &command(11, Controls::release()));
    assert_eq!(gate.state(), State::Locked);
    let wandered = gate.on_command(at(970), aged(ms(20)), &command(9, Controls::emergency()));
    assert_eq!(wandered.refused, Some(Refusal::OutOfOrder));
    assert_eq!(gate.state(), State::Locked);
}

#[test]
fn a_reset_sent_before_the_emergency_stop_does_not_release_it() {
    let mut gate = gate_in("drives");
    gate.on_command(at(960), aged(ms(1)), &command(12, Controls::emergency()));
    let overtaken = gate.on_command(at(961), aged(ms(5)), &command(11, Controls::release()));
    assert_eq!((overtaken.refused, gate.state()), (Some(Refusal::OutOfOrder), State::Emergency));
}

#[test]
fn commands_during_an_emergency_stop_are_refused_as_latched() {
    let mut gate = gate_in("e-stop");
    let reaction = gate.on_command(at(960), aged(ms(1)), &command(11, forward()));
    assert_eq!(reaction.refused, Some(Refusal::Latched));
    assert_eq!(gate.output().throttle(), 0.0);
}

#[test]
fn a_new_session_may_count_from_zero_again() {
    let mut gate = gate_in("ready");
    gate.on_new_session(at(960));
    send_until(&mut gate, 1_590, 9, 10, held());
    assert_eq!(gate.on_command(at(1_600), aged(ms(1)), &command(10, enabling())).refused, None);
    assert_eq!(gate.state(), State::Driving);
}

/// Half a second of neutral, by and large, or a press, or anything else.
fn any_controls() -> impl Strategy<Value = Controls> {
    prop_oneof![
        6 => Just(forward()),
        1 => Just(Controls::emergency()),
        1 => Just(Controls::release()),
        3 => Just(Controls::NEUTRAL),
        12 => Just(held()),
        3 => Just(enabling()),
        1 => Just(enabling().with_read_age(ms(200))),
    ]
}

/// What the driver did since the last stop, kept apart from the gate: every fresh command with its time.
#[derive(Default)]
struct SinceStop(Vec<(MonoTime, Controls)>);

impl SinceStop {
    /// Whether it holds half a second of commands without throttle and gap, the last but one without the enable button,
    /// then one with it, under a dead-man.
    fn is_enabling(&self) -> bool {
        let Some(((pressed, press), before)) = self.0.split_last() else { return false };
        let is_calm = |pair: &[(MonoTime, Controls)]| pair[1].0.since(pair[0].0) <= DEFAULT_DEADLINE;
        let begun = (0..before.len()).find(|from| {
            let run = &before[*from..];
            run.iter().all(|(_, controls)| controls.throttle() == 0.0) && run.windows(2).all(is_calm)
        });
        let Some(run) = begun.map(|from| &before[from..]) else { return false };
        let (Some((first, _)), Some((last, newest))) = (run.first(), run.last()) else { return false };
        press.enable()
            && press.dead_man()
            && press.read_age() < ms(150)
            && press.throttle() == 0.0
            && !newest.enable()
            && pressed.since(*last) <= DEFAULT_DEADLINE
            && last.since(*first) >= NEUTRAL_FOR
    }
}

proptest! {
    #[test]
    fn in_any_history_throttle_comes_only_from_fresh_commands_after_a_new_enabling(
        history in proptest::collection::vec((0u64..60, (0u64..160, 0u64..160), 0u64..9, any_controls(), 0u8..40), 1..300),
        short in any::<bool>(),
    ) {
        let stops = if short { brief() } else { Stops::default() };
        let mut gate = Gate::new(Settings { stops, ..Settings::default() });
        let (mut now, mut commands, mut fresh_at, mut sequence) = (MonoTime::ZERO, 0, None, 5);
        let mut since_stop = SinceStop::default();
        for (passed, (age, error), step, controls, other) in history {
            now += ms(passed);
            let stood = gate.state() != State::Driving;
            match other {
                0 => {
                    gate.on_new_session(now);
                    since_stop.0.clear();
                }
                1 => drop(gate.on_tick(now)),
                _ => {
                    commands += 1;
                    // Mostly rising, sometimes overtaken.
                    sequence = (sequence + step).saturating_sub(1);
                    let known = Age { estimate: ms(age), error: ms(error) };
                    let reaction = gate.on_command(now, known, &command(sequence, controls));
                    if reaction.refused.is_none() && (controls.e_stop() || controls.reset()) {
                        since_stop.0.clear();
                    } else if matches!(reaction.refused, None | Some(Refusal::NotEnabled)) {
                        prop_assert!(age <= 150 && error <= 150);
                        fresh_at = Some(now);
                        since_stop.0.push((now, controls));
                    }
                    if gate.state() == State::Driving && (stood || reaction.missed.is_some()) {
                        prop_assert!(since_stop.is_enabling(), "{:?}", since_stop.0);
                    }
                }
            }
            if matches!(gate.state(), State::Stopping | State::Emergency | State::Driving) {
                since_stop.0.clear();
            }
            let output = gate.output();
            if output.throttle() > 0.0 {
                let fresh_at = fresh_at.expect("no throttle without a fresh command");
                prop_assert!(now.since(fresh_at) <= DEFAULT_DEADLINE && gate.state() == State::Driving);
            }
            prop_assert!(output.throttle() == 0.0 || output.brake() == 0.0);
            prop_assert_eq!(gate.log().counts().commands(), commands);
        }
    }
}
