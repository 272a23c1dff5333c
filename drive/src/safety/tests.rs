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
const HAPPENINGS: [&str; 10] = [
    "fresh command",
    "old command",
    "repeated command",
    "fresh reset",
    "old reset",
    "fresh e-stop",
    "old, overtaken e-stop",
    "tick in time",
    "tick too late",
    "new session",
];

fn make_happen(gate: &mut Gate, happening: &str) {
    let (now, young, old) = (at(1_000), ms(150), ms(151));
    let mut send = |sequence, age, controls| {
        gate.on_command(now, aged(age), &command(sequence, controls));
    };
    match happening {
        "fresh command" => send(11, young, forward()),
        "old command" => send(11, old, forward()),
        "repeated command" => send(10, young, forward()),
        "fresh reset" => send(11, young, Controls::release()),
        "old reset" => send(11, old, Controls::release()),
        "fresh e-stop" => send(11, young, Controls::emergency()),
        "old, overtaken e-stop" => send(5, ms(9_000), Controls::emergency()),
        "tick in time" => drop(gate.on_tick(at(1_050))),
        "tick too late" => drop(gate.on_tick(MonoTime::from_nanos(1_050_000_001))),
        "new session" => drop(gate.on_new_session(now)),
        other => panic!("{other} is not in the table"),
    }
}

/// A gate in `state` whose newest command has number 10 and came at 950 ms (none came where it waits).
fn gate_in(state: State) -> Gate {
    let mut gate = Gate::new(Limits::default());
    let mut send = |time, sequence, controls| {
        gate.on_command(time, aged(Duration::ZERO), &command(sequence, controls));
    };
    match state {
        State::Waiting => {}
        State::Driving => send(at(950), 10, forward()),
        State::SafeStop => {
            send(at(800), 10, forward());
            gate.on_tick(at(950));
        }
        State::EmergencyStop => send(at(950), 10, Controls::emergency()),
    }
    assert_eq!(gate.state(), state);
    gate
}

#[test]
fn every_state_meets_every_happening_as_the_table_says() {
    let mut table = String::new();
    for happening in HAPPENINGS {
        table += &format!("{happening:<22}");
        for state in State::ALL {
            let mut gate = gate_in(state);
            make_happen(&mut gate, happening);
            table += &format!(" {:<14}", gate.state().as_str());
        }
        table = table.trim_end().to_owned() + "\n";
    }
    let expected = "\
fresh command          driving        driving        driving        EMERGENCY STOP
old command            waiting        driving        SAFE STOP      EMERGENCY STOP
repeated command       driving        driving        SAFE STOP      EMERGENCY STOP
fresh reset            driving        driving        driving        driving
old reset              waiting        driving        SAFE STOP      EMERGENCY STOP
fresh e-stop           EMERGENCY STOP EMERGENCY STOP EMERGENCY STOP EMERGENCY STOP
old, overtaken e-stop  EMERGENCY STOP EMERGENCY STOP EMERGENCY STOP EMERGENCY STOP
tick in time           waiting        driving        SAFE STOP      EMERGENCY STOP
tick too late          waiting        SAFE STOP      SAFE STOP      EMERGENCY STOP
new session            waiting        waiting        waiting        EMERGENCY STOP
";
    assert_eq!(table, expected, "\nthe gate does:\n{table}");
}

#[test]
fn the_vehicle_moves_in_driving_alone() {
    for state in State::ALL {
        let output = gate_in(state).output();
        if state == State::Driving {
            assert_eq!(output, forward());
        } else {
            assert_eq!((output.throttle(), output.brake()), (0.0, 1.0), "{state:?}");
        }
    }
}

#[test]
fn every_stop_leaves_the_wheels_where_the_driver_had_them() {
    assert_eq!(gate_in(State::SafeStop).output().steering(), 0.25);
    for happening in ["fresh e-stop", "old, overtaken e-stop", "new session"] {
        let mut gate = gate_in(State::Driving);
        make_happen(&mut gate, happening);
        assert_eq!(gate.output(), Controls::new(0.0, 1.0, 0.25).unwrap(), "{happening}");
    }
}

#[test]
fn a_command_of_exactly_the_lifespan_passes_and_one_nanosecond_more_does_not() {
    let mut gate = Gate::new(Limits::default());
    let over = DEFAULT_LIFESPAN + Duration::from_nanos(1);
    let refused = gate.on_command(at(0), aged(over), &command(0, forward())).refused;
    assert_eq!(refused, Some(Refusal::TooOld));
    assert_eq!(gate.on_command(at(0), aged(DEFAULT_LIFESPAN), &command(0, forward())).refused, None);
}

#[test]
fn a_command_whose_age_may_be_wrong_by_more_than_the_lifespan_is_refused_for_that() {
    let mut gate = Gate::new(Limits::default());
    let mut react = |error, controls| {
        let age = Age { estimate: ms(1), error };
        gate.on_command(at(0), age, &command(0, controls)).refused
    };
    for error in [DEFAULT_LIFESPAN + Duration::from_nanos(1), Duration::MAX] {
        assert_eq!(react(error, forward()), Some(Refusal::AgeUnknown));
        assert_eq!(react(error, Controls::release()), Some(Refusal::AgeUnknown));
    }
    assert_eq!(react(DEFAULT_LIFESPAN, forward()), None);
    assert_eq!(react(Duration::MAX, Controls::emergency()), None, "a stop counts at any age");
    let counts = gate.log().counts();
    assert_eq!((counts.age_unknown, counts.accepted, counts.commands()), (4, 1, 6));
}

#[test]
fn commands_of_unknown_age_do_not_put_off_the_safe_stop() {
    let mut gate = gate_in(State::Driving);
    let age = Age { estimate: ms(1), error: Duration::MAX };
    gate.on_command(at(1_000), age, &command(11, forward()));
    assert_eq!(gate.on_tick(at(1_051)), Some(Change { from: State::Driving, to: State::SafeStop }));
}

#[test]
fn old_commands_do_not_put_off_the_safe_stop() {
    let mut gate = gate_in(State::Driving);
    for step in 0..10 {
        gate.on_command(at(960 + step * 10), aged(ms(151)), &command(11 + step, forward()));
    }
    assert_eq!(gate.on_tick(at(1_051)), Some(Change { from: State::Driving, to: State::SafeStop }));
}

#[test]
fn a_gap_is_noticed_even_if_the_command_after_it_is_seen_before_the_tick() {
    let mut gate = gate_in(State::Driving);
    let reaction = gate.on_command(at(1_200), aged(ms(10)), &command(11, forward()));
    assert_eq!(reaction.missed, Some(Change { from: State::Driving, to: State::SafeStop }));
    assert_eq!(reaction.change, Some(Change { from: State::SafeStop, to: State::Driving }));
    assert_eq!(gate.log().counts().deadlines_missed, 1);
}

#[test]
fn the_gate_says_when_it_must_be_woken() {
    assert_eq!(gate_in(State::Driving).wake_at(), Some(at(1_050)));
    for state in [State::Waiting, State::SafeStop, State::EmergencyStop] {
        assert_eq!(gate_in(state).wake_at(), None, "{state:?}");
    }
}

#[test]
fn an_emergency_stop_from_before_the_reset_does_not_stop_again() {
    let mut gate = gate_in(State::EmergencyStop);
    gate.on_command(at(960), aged(ms(10)), &command(11, Controls::release()));
    assert_eq!(gate.output(), Controls::release());
    let wandered = gate.on_command(at(970), aged(ms(20)), &command(9, Controls::emergency()));
    assert_eq!(wandered.refused, Some(Refusal::OutOfOrder));
    assert_eq!(gate.state(), State::Driving);
}

#[test]
fn a_reset_sent_before_the_emergency_stop_does_not_release_it() {
    let mut gate = gate_in(State::Driving);
    gate.on_command(at(960), aged(ms(1)), &command(12, Controls::emergency()));
    let overtaken = gate.on_command(at(961), aged(ms(5)), &command(11, Controls::release()));
    assert_eq!((overtaken.refused, gate.state()), (Some(Refusal::OutOfOrder), State::EmergencyStop));
}

#[test]
fn commands_during_an_emergency_stop_are_refused_as_latched() {
    let mut gate = gate_in(State::EmergencyStop);
    let reaction = gate.on_command(at(960), aged(ms(1)), &command(11, forward()));
    assert_eq!(reaction.refused, Some(Refusal::Latched));
    assert_eq!(gate.output().throttle(), 0.0);
}

#[test]
fn a_new_session_may_count_from_zero_again() {
    let mut gate = gate_in(State::Driving);
    gate.on_new_session(at(960));
    assert_eq!(gate.on_command(at(970), aged(ms(1)), &command(0, forward())).refused, None);
    assert_eq!(gate.state(), State::Driving);
}

fn any_controls() -> impl Strategy<Value = Controls> {
    prop_oneof![4 => Just(forward()), 1 => Just(Controls::emergency()), 1 => Just(Controls::release())]
}

proptest! {
    #[test]
    fn in_any_history_throttle_comes_only_from_a_fresh_command_within_the_deadline(
        history in proptest::collection::vec((0u64..80, (0u64..300, 0u64..300), 0u64..40, any_controls(), any::<bool>()), 1..80),
    ) {
        let mut gate = Gate::new(Limits::default());
        let (mut now, mut commands, mut fresh_at) = (MonoTime::ZERO, 0, None);
        for (passed, (age, error), sequence, controls, tick) in history {
            now += ms(passed);
            if tick {
                gate.on_tick(now);
            } else {
                commands += 1;
                let known = Age { estimate: ms(age), error: ms(error) };
                let reaction = gate.on_command(now, known, &command(sequence, controls));
                if reaction.refused.is_none() && !controls.e_stop() {
                    prop_assert!(age <= 150 && error <= 150);
                    fresh_at = Some(now);
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
