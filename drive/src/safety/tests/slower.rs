//! The gate over a link that gets worse: DRV-104 to DRV-108.

use super::*;

/// 50 km/h at 200 ms, of a vehicle that goes no faster; pictures are worth 500 ms.
fn degraded() -> Settings {
    let comfort = Profile { brake: 0.2, rise_per_s: 0.2, longest: ms(9_000) };
    let (blind_m, reaction, top_mps) = (50.0 / 3.6 * 0.2, Duration::ZERO, 50.0 / 3.6);
    let pictures = Some(ms(500));
    let rule =
        Degraded { blind_m, reaction, top_mps, comfort, period: ms(75), pictures, throttle_is_speed: false };
    Settings { degraded: Some(rule), ..Settings::default() }
}

/// As [`send_until`], of a driver who sees pictures so old.
fn send_seeing(
    gate: &mut Gate,
    until: u64,
    newest: u64,
    count: u64,
    controls: Controls,
    pictures: Option<Age>,
) {
    for back in (0..count).rev() {
        let command = Command { pictures, ..command(newest - back, controls) };
        gate.on_command(at(until - back * EVERY_MS), aged(ms(50)), &command);
    }
}

/// A gate of such a vehicle that drives at 1 000 ms, with command 11.
fn degraded_and_driving(pictures: Age) -> Gate {
    let mut gate = Gate::new(degraded());
    send_seeing(&mut gate, 850, 9, 9, held(), Some(pictures));
    send_seeing(&mut gate, 925, 10, 1, enabling(), Some(pictures));
    send_seeing(&mut gate, 1_000, 11, 1, forward(), Some(pictures));
    assert_eq!(gate.state(), State::Driving);
    gate
}

#[test]
fn a_worse_link_means_less_throttle_where_no_speed_is_measured() {
    let throttle = |pictures: u64| {
        let mut gate = degraded_and_driving(aged(ms(pictures)));
        send_seeing(&mut gate, 1_975, 24, 13, forward(), Some(aged(ms(pictures))));
        ((gate.output().throttle() * 1e3).round(), gate.log().counts().slowed)
    };
    assert_eq!(throttle(150), (500.0, 0), "200 ms with the command's age");
    assert_eq!(throttle(200), (400.0, 0));
    assert_eq!(throttle(350), (250.0, 0));
}

#[test]
fn a_link_that_gets_worse_on_the_way_is_in_the_log_once() {
    let mut gate = degraded_and_driving(aged(ms(40)));
    assert_eq!(gate.cap(at(1_000)).unwrap().most_mps, None);
    send_seeing(&mut gate, 1_300, 15, 4, forward(), Some(Age { estimate: ms(200), error: ms(150) }));
    let cap = gate.cap(at(1_300)).unwrap();
    assert_eq!((cap.most_mps.unwrap() * 36.0).round(), 250.0);
    assert_eq!((cap.latency, cap.pictures, cap.commands), (Some(ms(400)), Some(ms(350)), Some(ms(50))));
    assert_eq!((gate.state(), gate.log().counts().slowed), (State::Driving, 1));
}

#[test]
fn a_vehicle_that_is_too_fast_for_the_link_brakes_as_if_for_comfort_and_drives_on() {
    let mut gate = degraded_and_driving(aged(ms(350)));
    for n in 0..40 {
        gate.on_speed(at(1_000 + n * EVERY_MS), 10.0);
        send_seeing(&mut gate, 1_000 + n * EVERY_MS, 12 + n, 1, forward(), Some(aged(ms(350))));
    }
    let given = gate.output();
    assert_eq!((given.throttle(), (given.brake() * 100.0).round()), (0.0, 20.0));
    assert_eq!(gate.state(), State::Driving);
}

#[test]
fn a_driver_who_sees_nothing_in_time_is_blind_and_enables_nothing() {
    for blind in [None, Some(aged(ms(501))), Some(Age { estimate: ms(300), error: ms(201) })] {
        let mut gate = degraded_and_driving(aged(ms(100)));
        send_seeing(&mut gate, 1_050, 12, 1, forward(), blind);
        assert_eq!((gate.state(), gate.cause()), (State::Stopping, Some(Cause::Blind)));
        assert_eq!((gate.need(at(1_050)), gate.log().counts().blind), (Need::Pictures, 1));
        let mut gate = Gate::new(degraded());
        send_seeing(&mut gate, 900, 9, 9, held(), blind);
        send_seeing(&mut gate, 975, 10, 1, enabling(), blind);
        assert_eq!((gate.state(), gate.need(at(975))), (State::Locked, Need::Pictures));
    }
}

#[test]
fn what_another_session_saw_is_forgotten() {
    let mut gate = degraded_and_driving(aged(ms(100)));
    gate.on_new_session(at(1_050));
    let cap = gate.cap(at(1_050)).unwrap();
    assert_eq!((cap.most_mps, cap.latency), (Some(0.0), None));
}

/// DRV-107: whatever such motors measure, what they are given is no more than the bound.
#[test]
fn motors_whose_throttle_is_a_speed_never_get_more_of_it_than_the_bound() {
    let settings = degraded();
    let rule = settings.degraded.unwrap().of_speed(true);
    for measured in (0..=140).map(|tenths| tenths as f32 / 10.0) {
        let mut gate = Gate::new(Settings { degraded: Some(rule), ..settings });
        let pictures = Some(aged(ms(350)));
        send_seeing(&mut gate, 850, 9, 9, held(), pictures);
        send_seeing(&mut gate, 925, 10, 1, enabling(), pictures);
        let full = Controls::new(1.0, 0.0, 0.0).unwrap();
        for n in 0..20 {
            gate.on_speed(at(1_000 + 75 * n), measured);
            send_seeing(&mut gate, 1_000 + 75 * n, 11 + n, 1, full, pictures);
        }
        let most = gate.cap(at(2_425)).unwrap().most_mps.unwrap();
        let given = gate.output().throttle() * rule.top_mps;
        assert_eq!(gate.output().brake(), 0.0, "{measured} m/s: speed 0 would be a jerk");
        assert!(given <= most * 1.001 && given >= most * 0.99, "{measured} m/s: {given} of {most}");
    }
}
