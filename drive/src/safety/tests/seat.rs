//! The gate where the driver is another from now on, and where others stop the vehicle.

use super::*;

/// DRV-126: a press of the one before is no press of the one after, whatever the numbers of their commands.
#[test]
fn a_new_driver_begins_from_nothing_and_a_moving_vehicle_stops_softly() {
    let mut gate = gate_in("drives");
    gate.on_new_driver(at(1_000));
    assert_eq!((gate.state(), gate.cause()), (State::Stopping, Some(Cause::SeatTaken)));
    let mut gate = gate_in("ready");
    gate.on_new_driver(at(1_000));
    let press = command(1, enabling());
    let reaction = gate.on_command(at(1_010), aged(ms(0)), &press);
    assert_eq!((gate.state(), reaction.refused), (State::Locked, Some(Refusal::NotEnabled)));
    send_until(&mut gate, 1_700, 11, 9, held());
    gate.on_command(at(1_750), aged(ms(0)), &command(12, enabling()));
    assert_eq!((gate.state(), gate.log().counts().drivers), (State::Driving, 1));
}

/// DRV-122: the driver's reset lasts until the next command of who still asks for the stop.
#[test]
fn an_emergency_stop_that_another_end_holds_outlasts_a_reset() {
    let mut gate = gate_in("drives");
    gate.on_other_stop(at(1_000));
    gate.on_command(at(1_010), aged(ms(0)), &command(11, Controls::release()));
    assert_eq!(gate.state(), State::Locked);
    gate.on_other_stop(at(1_020));
    assert_eq!((gate.state(), gate.log().counts().other_stops), (State::Emergency, 2));
}

/// A gate whose stop for a released dead-man is softer than the others, and drives.
fn softly_driving() -> Gate {
    let soft = Profile { brake: 0.2, ..Stops::default().released };
    let stops = Stops { released: soft, ..Stops::default() };
    let mut gate = Gate::new(Settings { stops, ..Settings::default() });
    send_until(&mut gate, 810, 8, 9, held());
    send_until(&mut gate, 880, 9, 1, enabling());
    send_until(&mut gate, 950, 10, 1, forward());
    assert_eq!(gate.state(), State::Driving);
    gate
}

/// DRV-126: of the new driver nothing can have been heard yet, and that is no reason to brake harder.
#[test]
fn a_stop_for_a_new_driver_is_soft_until_that_one_is_silent_for_the_deadline() {
    let mut gate = softly_driving();
    gate.on_new_driver(at(1_000));
    for ms in [1_000, 1_050, 1_100] {
        assert_eq!(gate.on_tick(at(ms)), None);
    }
    assert_eq!(gate.cause(), Some(Cause::SeatTaken));
    gate.on_tick(at(1_101));
    assert_eq!((gate.state(), gate.cause()), (State::Stopping, Some(Cause::Lost)));
}

/// DRV-92: also where the driver, whose pedal it was, is another from then on.
#[test]
fn the_brake_of_a_stop_under_way_never_falls_with_a_new_driver_or_session() {
    for anew in [Gate::on_new_driver, Gate::on_new_session] {
        let mut gate = softly_driving();
        for (ms, sequence) in (1_000..1_400).step_by(20).zip(11..) {
            gate.on_command(at(ms), aged(Duration::ZERO), &command(sequence, Controls::released(1.0, 0.0)));
        }
        let before = gate.output().brake();
        assert!(before > 0.9, "{before}");
        anew(&mut gate, at(1_400));
        for ms in (1_400..1_800).step_by(20) {
            gate.on_tick(at(ms));
            assert!(gate.output().brake() >= before, "{} after {ms}", gate.output().brake());
        }
    }
}
