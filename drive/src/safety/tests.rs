//! The gate: every state with every event against a table, then the rules one by one.

use super::*;
use proptest::prelude::*;

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
    Command { controls, sequence, issued: PeerTime::ZERO }
}

fn forward() -> Controls {
    Controls::new(0.5, 0.0, 0.25).unwrap()
}

/// What can happen, as the caller sees it, each with how it is brought about at 1 000 ms on a gate whose newest
/// command has number 10 and came at 950 ms.
const HAPPENINGS: [&str; 14] = [
    "fresh throttle",
    "fresh, no throttle",
    "fresh, dead-man let go",
    "old command",
    "repeated command",
    "fresh reset",
    "old reset",
    "fresh e-stop",
    "old, overtaken e-stop",
    "tick in time",
    "tick too late",
    "link closed",
    "blind",
    "new session",
];

fn make_happen(gate: &mut Gate, happening: &str) {
    let (now, young, old) = (at(1_000), ms(150), ms(151));
    let mut send = |sequence, age, controls| {
        gate.on_command(now, aged(age), &command(sequence, controls));
    };
    match happening {
        "fresh throttle" => send(11, young, forward()),
        "fresh, no throttle" => send(11, young, Controls::new(0.0, 0.2, 0.5).unwrap()),
        "fresh, dead-man let go" => send(11, young, Controls::not_enabled(0.2, 0.5)),
        "old command" => send(11, old, forward()),
        "repeated command" => send(10, young, forward()),
        "fresh reset" => send(11, young, Controls::release()),
        "old reset" => send(11, old, Controls::release()),
        "fresh e-stop" => send(11, young, Controls::emergency()),
        "old, overtaken e-stop" => send(5, ms(9_000), Controls::emergency()),
        "tick in time" => drop(gate.on_tick(at(1_050))),
        "tick too late" => drop(gate.on_tick(MonoTime::from_nanos(1_050_000_001))),
        "link closed" => drop(gate.on_link_closed(now)),
        "blind" => drop(gate.on_blind(now)),
        "new session" => drop(gate.on_new_session(now)),
        other => panic!("{other} is not in the table"),
    }
}

/// Commands of `controls`, each 70 ms, the last with `newest` at `until`.
fn send_until(gate: &mut Gate, until: u64, newest: u64, count: u64, controls: Controls) {
    for back in (0..count).rev() {
        gate.on_command(at(until - back * 70), aged(Duration::ZERO), &command(newest - back, controls));
    }
}

/// Gates as the columns of the table have them: newest command number 10 at 950 ms (none came where it waits).
const SITUATIONS: [&str; 7] =
    ["waits", "waits, press due", "drives", "let go", "stopped", "stopped, press due", "e-stop"];

fn gate_in(situation: &str) -> Gate {
    let mut gate = Gate::new(Limits::default());
    match situation {
        "waits" => {}
        "waits, press due" => send_until(&mut gate, 950, 10, 9, Controls::NEUTRAL),
        "drives" => {
            send_until(&mut gate, 880, 9, 9, Controls::NEUTRAL);
            send_until(&mut gate, 950, 10, 1, forward());
        }
        "let go" => {
            send_until(&mut gate, 810, 8, 9, Controls::NEUTRAL);
            send_until(&mut gate, 880, 9, 1, forward());
            send_until(&mut gate, 950, 10, 1, Controls::NEUTRAL);
        }
        "stopped" => {
            send_until(&mut gate, 880, 9, 9, Controls::NEUTRAL);
            send_until(&mut gate, 950, 10, 1, forward());
            gate.on_tick(MonoTime::from_nanos(1_050_000_001));
        }
        "stopped, press due" => {
            gate.on_blind(at(300));
            gate.on_sight();
            send_until(&mut gate, 950, 10, 9, Controls::NEUTRAL);
        }
        "e-stop" => send_until(&mut gate, 950, 10, 1, Controls::emergency()),
        other => panic!("{other} is not in the table"),
    }
    gate
}

#[test]
fn every_state_meets_every_happening_as_the_table_says() {
    let mut table = format!("{:<24}", "");
    SITUATIONS.iter().for_each(|situation| table += &format!("{situation:<20}"));
    table = table.trim_end().to_owned() + "\n";
    for happening in HAPPENINGS {
        table += &format!("{happening:<24}");
        for situation in SITUATIONS {
            let mut gate = gate_in(situation);
            make_happen(&mut gate, happening);
            table += &format!("{:<20}", gate.state().as_str());
        }
        table = table.trim_end().to_owned() + "\n";
    }
    println!("{table}");
    assert_eq!(table, include_str!("states.txt"), "\nthe gate does:\n{table}");
}

#[test]
fn the_vehicle_moves_in_driving_alone() {
    for situation in SITUATIONS {
        let gate = gate_in(situation);
        let output = gate.output();
        if gate.state() == State::Driving {
            assert_eq!(output, forward());
        } else {
            assert_eq!(
                (output.throttle(), output.brake(), output.enabled()),
                (0.0, 1.0, false),
                "{situation}"
            );
        }
    }
}

#[test]
fn every_stop_leaves_the_wheels_where_the_driver_had_them() {
    assert_eq!(gate_in("stopped").output().steering(), 0.25);
    let stops = [
        "fresh, dead-man let go",
        "fresh reset",
        "fresh e-stop",
        "old, overtaken e-stop",
        "blind",
        "new session",
    ];
    for happening in stops {
        let mut gate = gate_in("drives");
        make_happen(&mut gate, happening);
        assert_eq!(gate.output(), Controls::not_enabled(1.0, 0.25), "{happening}");
    }
}

/// What a rearming meets, and whether a second without any command was before it.
const STEPS: [(&str, bool); 4] =
    [("throttle", false), ("no throttle", false), ("let go", false), ("let go after a gap", true)];

#[test]
fn a_rearming_goes_step_by_step_as_the_table_says() {
    let enabled = |throttle| Controls::new(throttle, 0.0, 0.0).unwrap();
    let stages: [(&str, &[(u64, Controls)]); 4] = [
        ("anew", &[]),
        ("neutral 0.49 s", &[(8, Controls::NEUTRAL)]),
        ("neutral 0.56 s, held", &[(8, Controls::NEUTRAL), (1, enabled(0.0))]),
        ("neutral 0.56 s, let go", &[(9, Controls::NEUTRAL)]),
    ];
    let mut table = String::new();
    for (stage, commands) in stages {
        table += &format!("{stage:<24}");
        for (step, is_gap) in STEPS {
            let mut gate = Gate::new(Limits::default());
            let mut sent = 0;
            for (count, controls) in commands {
                sent += count;
                send_until(&mut gate, 100 + sent * 70, sent, *count, *controls);
            }
            let controls = match step {
                "throttle" => enabled(0.5),
                "no throttle" => enabled(0.0),
                _ => Controls::NEUTRAL,
            };
            let now = at(100 + (sent + 1) * 70 + if is_gap { 1_000 } else { 0 });
            gate.on_command(now, aged(Duration::ZERO), &command(sent + 1, controls));
            let shown = if gate.state() == State::Driving {
                "drives".into()
            } else {
                format!("{:?}", gate.need(now))
            };
            table += &format!("{shown:<20}");
        }
        table = table.trim_end().to_owned() + "\n";
    }
    let head = STEPS.iter().fold(format!("{:<24}", ""), |head, (step, ..)| head + &format!("{step:<20}"));
    let table = format!("{}\n{table}", head.trim_end());
    println!("{table}");
    assert_eq!(table, include_str!("rearming.txt"), "\nthe gate does:\n{table}");
}

#[test]
fn full_throttle_held_through_an_outage_or_a_new_session_does_not_drive_again() {
    let mut gate = gate_in("drives");
    gate.on_tick(at(9_000));
    let hold = |from: u64, sequence: u64, gate: &mut Gate| {
        for step in 0..500 {
            gate.on_command(at(from + step * 20), aged(ms(1)), &command(sequence + step, forward()));
            assert_eq!(gate.output().throttle(), 0.0, "{} ms after the outage", step * 20);
        }
    };
    hold(10_950, 11, &mut gate);
    assert_eq!(gate.need(at(20_930)), Need::Neutral);
    gate.on_new_session(at(21_000));
    hold(21_000, 0, &mut gate);
    assert_eq!(gate.state(), State::Waiting);
}

#[test]
fn the_gate_says_what_it_waits_for() {
    let need = |situation| gate_in(situation).need(at(960));
    assert_eq!(
        SITUATIONS.map(need),
        [
            Need::FreshCommand,
            Need::Press,
            Need::Nothing,
            Need::Press,
            Need::Neutral,
            Need::Press,
            Need::Reset,
        ]
    );
    assert_eq!(gate_in("stopped").need(at(1_051)), Need::FreshCommand, "commands ceased");
    let mut gate = gate_in("stopped");
    gate.on_command(at(1_200), aged(ms(151)), &command(11, forward()));
    assert_eq!(gate.need(at(1_200)), Need::YoungerCommand);
    gate.on_command(at(1_210), Age { estimate: ms(1), error: Duration::MAX }, &command(12, forward()));
    assert_eq!(gate.need(at(1_210)), Need::Clock);
    gate.on_command(at(1_220), aged(ms(1)), &command(13, forward()));
    assert_eq!(gate.need(at(1_220)), Need::Neutral);
}

#[test]
fn a_driver_who_sees_nothing_cannot_rearm() {
    let mut gate = gate_in("drives");
    assert_eq!(gate.on_blind(at(960)), Some(Change { from: State::Driving, to: State::SafeStop }));
    assert_eq!(gate.on_blind(at(970)), None);
    send_until(&mut gate, 1_910, 26, 16, Controls::NEUTRAL);
    assert_eq!(gate.need(at(1_910)), Need::Pictures);
    send_until(&mut gate, 1_930, 27, 1, forward());
    assert_eq!(gate.state(), State::SafeStop);
    gate.on_sight();
    send_until(&mut gate, 1_950, 28, 1, forward());
    assert_eq!((gate.state(), gate.need(at(1_950))), (State::SafeStop, Need::Neutral), "it begins anew");
    send_until(&mut gate, 2_550, 38, 10, Controls::NEUTRAL);
    send_until(&mut gate, 2_570, 39, 1, forward());
    assert_eq!(gate.state(), State::Driving);
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
    assert_eq!((counts.age_unknown, counts.accepted, counts.commands() - before), (4, 2, 6));
}

#[test]
fn commands_of_unknown_age_do_not_put_off_the_safe_stop() {
    let mut gate = gate_in("drives");
    let age = Age { estimate: ms(1), error: Duration::MAX };
    gate.on_command(at(1_000), age, &command(11, forward()));
    assert_eq!(gate.on_tick(at(1_051)), Some(Change { from: State::Driving, to: State::SafeStop }));
}

#[test]
fn old_commands_do_not_put_off_the_safe_stop() {
    let mut gate = gate_in("drives");
    for step in 0..10 {
        gate.on_command(at(960 + step * 10), aged(ms(151)), &command(11 + step, forward()));
    }
    assert_eq!(gate.on_tick(at(1_051)), Some(Change { from: State::Driving, to: State::SafeStop }));
}

#[test]
fn a_gap_is_noticed_even_if_the_command_after_it_is_seen_before_the_tick() {
    let mut gate = gate_in("drives");
    let reaction = gate.on_command(at(1_200), aged(ms(10)), &command(11, forward()));
    assert_eq!(reaction.missed, Some(Change { from: State::Driving, to: State::SafeStop }));
    assert_eq!((reaction.refused, reaction.change), (Some(Refusal::NotRearmed), None));
    assert_eq!((gate.state(), gate.log().counts().deadlines_missed), (State::SafeStop, 1));
}

#[test]
fn the_gate_says_when_it_must_be_woken() {
    assert_eq!(gate_in("drives").wake_at(), Some(at(1_050)));
    assert_eq!(gate_in("let go").wake_at(), Some(at(1_050)));
    for situation in ["waits", "waits, press due", "stopped", "stopped, press due", "e-stop"] {
        assert_eq!(gate_in(situation).wake_at(), None, "{situation}");
    }
}

#[test]
fn an_emergency_stop_from_before_the_reset_does_not_stop_again() {
    let mut gate = gate_in("e-stop");
    gate.on_command(at(960), aged(ms(10)), &command(11, Controls::release()));
    assert_eq!(gate.state(), State::Waiting);
    let wandered = gate.on_command(at(970), aged(ms(20)), &command(9, Controls::emergency()));
    assert_eq!(wandered.refused, Some(Refusal::OutOfOrder));
    assert_eq!(gate.state(), State::Waiting);
}

#[test]
fn a_reset_sent_before_the_emergency_stop_does_not_release_it() {
    let mut gate = gate_in("drives");
    gate.on_command(at(960), aged(ms(1)), &command(12, Controls::emergency()));
    let overtaken = gate.on_command(at(961), aged(ms(5)), &command(11, Controls::release()));
    assert_eq!((overtaken.refused, gate.state()), (Some(Refusal::OutOfOrder), State::EmergencyStop));
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
    let mut gate = gate_in("drives");
    gate.on_new_session(at(960));
    send_until(&mut gate, 1_510, 9, 10, Controls::NEUTRAL);
    assert_eq!(gate.on_command(at(1_520), aged(ms(1)), &command(10, forward())).refused, None);
    assert_eq!(gate.state(), State::Driving);
}

/// Half a second of neutral, by and large, or a press, or anything else.
fn any_controls() -> impl Strategy<Value = Controls> {
    prop_oneof![
        8 => Just(forward()),
        1 => Just(Controls::emergency()),
        1 => Just(Controls::release()),
        12 => Just(Controls::NEUTRAL),
        2 => Just(Controls::new(0.0, 0.0, 0.5).unwrap()),
    ]
}

/// What the driver did since the last stop, kept apart from the gate: every fresh command with its time.
#[derive(Default)]
struct SinceStop(Vec<(MonoTime, Controls)>);

impl SinceStop {
    fn on_missed(&mut self, missed: Option<Change>) {
        if missed.is_some() {
            self.0.clear();
        }
    }

    /// Whether it holds half a second of commands without throttle and gap, then one that is not enabled, then only
    /// such until the one that is, which is the last.
    fn is_rearming(&self) -> bool {
        let Some(((pressed, press), before)) = self.0.split_last() else { return false };
        let is_calm = |pair: &[(MonoTime, Controls)]| pair[1].0.since(pair[0].0) <= DEFAULT_DEADLINE;
        let begun = (0..before.len()).find(|from| {
            let run = &before[*from..];
            run.iter().all(|(_, controls)| controls.throttle() == 0.0) && run.windows(2).all(is_calm)
        });
        let Some(run) = begun.map(|from| &before[from..]) else { return false };
        let (Some((first, _)), Some((last, newest))) = (run.first(), run.last()) else { return false };
        press.enabled()
            && !newest.enabled()
            && pressed.since(*last) <= DEFAULT_DEADLINE
            && last.since(*first) >= NEUTRAL_FOR
    }
}

proptest! {
    #[test]
    fn in_any_history_throttle_comes_only_from_a_fresh_command_within_the_deadline_and_after_a_rearming(
        history in proptest::collection::vec((0u64..60, (0u64..160, 0u64..160), 0u64..9, any_controls(), 0u8..40), 1..300),
    ) {
        let mut gate = Gate::new(Limits::default());
        let (mut now, mut commands, mut fresh_at, mut sequence) = (MonoTime::ZERO, 0, None, 5);
        let mut since_stop = SinceStop::default();
        for (passed, (age, error), step, controls, other) in history {
            now += ms(passed);
            let stood = matches!(gate.state(), State::Waiting | State::SafeStop);
            match other {
                0 => {
                    gate.on_new_session(now);
                    since_stop.0.clear();
                }
                1 => since_stop.on_missed(gate.on_tick(now)),
                _ => {
                    commands += 1;
                    // Mostly rising, sometimes overtaken.
                    sequence = (sequence + step).saturating_sub(1);
                    let known = Age { estimate: ms(age), error: ms(error) };
                    let reaction = gate.on_command(now, known, &command(sequence, controls));
                    since_stop.on_missed(reaction.missed);
                    match reaction.refused {
                        None if controls.e_stop() || controls.reset() => since_stop.0.clear(),
                        None | Some(Refusal::NotRearmed) => {
                            prop_assert!(age <= 150 && error <= 150);
                            fresh_at = Some(now);
                            since_stop.0.push((now, controls));
                        }
                        Some(_) => {}
                    }
                    if gate.state() == State::Driving && (stood || reaction.missed.is_some()) {
                        prop_assert!(since_stop.is_rearming(), "{:?}", since_stop.0);
                    }
                }
            }
            if gate.output().throttle() > 0.0 {
                let fresh_at = fresh_at.expect("no throttle without a fresh command");
                prop_assert!(now.since(fresh_at) <= DEFAULT_DEADLINE);
            }
            prop_assert_eq!(gate.log().counts().commands(), commands);
        }
    }
}
