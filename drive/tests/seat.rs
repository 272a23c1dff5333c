//! One vehicle and several ends, real programs over real sockets of this machine: who drives, who sees, who stops it.

mod yard;

use std::net::SocketAddr;
use std::sync::mpsc::Sender;

use tokkyu_contract::yaml::others::{Other, Right};
use tokkyu_drive::operator::{OperatorOptions, SeatRequest};
use tokkyu_drive::program::display::Shown;
use tokkyu_drive::program::{Driver, ExitCode};
use tokkyu_drive::vehicle::VehicleOptions;
use yard::keys::start_at_keyboard;
use yard::{Driven, ROBOT, Running, Yard, drive, start_operator, start_vehicle, wait_for, with};

/// Neutral, a press, and driving, again and again: whoever comes to drive does so within two rounds.
const ROUND: [(u64, &str); 4] =
    [(0, "0,0,0,0,0,1"), (800, "0,0,0,1,0,1"), (1_000, "0,0,0,1,1,1"), (1_100, "0.3,0,0.1,1,0,1")];
const ROUND_MS: u64 = 2_000;

/// Ends of a yard, each with an operator's program.
struct Ends {
    yard: Yard,
    others: Vec<Other>,
}

impl Ends {
    fn new() -> Ends {
        Ends { yard: Yard::new(), others: Vec::new() }
    }

    /// Options of the end called `name`, which drives round after round.
    fn options(&self, name: &str, seat: Option<SeatRequest>) -> OperatorOptions {
        let mut drive = String::from("time_ms,throttle,brake,steering,dead_man,enable,gear\n");
        for round in 0..60 {
            ROUND
                .iter()
                .for_each(|(ms, controls)| drive += &format!("{},{controls}\n", ms + round * ROUND_MS));
        }
        let file = self.yard.path(&format!("{name}-drive.csv"));
        std::fs::write(&file, drive).unwrap();
        let link = self.yard.link(name, "vehicle.pub");
        let options =
            OperatorOptions { control: Some(Driver::File(file)), seat, ..self.yard.operator(ROBOT) };
        with(options, |end| (end.link, end.records, end.summary) = (link, None, None))
    }

    fn add(&mut self, name: &str, may: Right, at: SocketAddr) {
        let key = self.yard.path(&format!("{name}.pub"));
        self.others.push(Other { name: name.into(), at, key, may, max_rate: None });
    }

    fn vehicle(&self, operator: &Running, first_may: Right) -> VehicleOptions {
        with(self.yard.vehicle(ROBOT, operator.local), |end| {
            (end.site.link.others, end.site.link.may) = (self.others.clone(), first_may);
        })
    }
}

/// What the end last heard of the seat: who drives, and who asks.
fn seat(end: &Running) -> (String, Option<String>) {
    let heard = end.heard.lock().unwrap();
    let gate = heard.statuses.last().and_then(|status| status.gate.clone());
    gate.and_then(|gate| gate.seat).map_or_else(Default::default, |seat| (seat.driver, seat.asker))
}

/// Who holds the emergency stop, as the end last heard.
fn holder(end: &Running) -> Option<String> {
    let heard = end.heard.lock().unwrap();
    heard.statuses.last().and_then(|status| status.gate.clone()?.seat?.stop_held_by)
}

fn told(end: &Running, words: &str) -> bool {
    end.heard.lock().unwrap().events.iter().any(|text| text.contains(words))
}

fn sees_both_cameras(end: &Running) -> bool {
    let heard = end.heard.lock().unwrap();
    heard.statuses.last().is_some_and(|status| status.cameras.iter().all(|camera| camera.rate_hz > 10.0))
}

/// Whether the motors drive now.
fn drives(vehicle: &Driven) -> bool {
    vehicle.motors.lock().unwrap().last().is_some_and(|controls| controls.throttle() > 0.0)
}

fn brakes(vehicle: &Driven) -> bool {
    vehicle.motors.lock().unwrap().last().is_some_and(|controls| controls.brake() == 1.0)
}

fn end(vehicle: Driven, ends: impl IntoIterator<Item = Running>) {
    vehicle.stop.set();
    vehicle.thread.join().unwrap().unwrap();
    for end in ends {
        end.stop.set();
        end.thread.join().unwrap().unwrap();
    }
}

/// DRV-128, DRV-129: the commands of the others are as good as the driver's, and move nothing.
#[test]
fn three_ends_see_and_the_first_drives() {
    let mut ends = Ends::new();
    let operator = start_operator(ends.options("operator", None));
    let boss = start_operator(ends.options("boss", None));
    let screen = start_operator(ends.options("screen", None));
    ends.add("boss", Right::Force, boss.local);
    ends.add("screen", Right::Watch, screen.local);
    let vehicle = start_vehicle(ends.vehicle(&operator, Right::Drive));
    for one in [&operator, &boss, &screen] {
        wait_for(|| sees_both_cameras(one) && seat(one) == ("operator".into(), None));
    }
    wait_for(|| drives(&vehicle));
    let not_seated = || {
        let heard = vehicle.heard.lock().unwrap();
        heard
            .statuses
            .last()
            .and_then(|status| status.control.clone())
            .map_or(0, |gate| gate.commands.not_seated)
    };
    wait_for(|| not_seated() > 100);
    operator.stop.set();
    wait_for(|| brakes(&vehicle));
    let given = vehicle.motors.lock().unwrap().len();
    wait_for(|| not_seated() > 400);
    assert!(vehicle.motors.lock().unwrap()[given..].iter().all(|controls| controls.throttle() == 0.0));
    let seat = vehicle.heard.lock().unwrap().statuses.last().unwrap().seat.clone().unwrap();
    let here: Vec<(&str, bool)> = seat.ends.iter().map(|end| (end.name.as_str(), end.is_here)).collect();
    assert_eq!(here, [("operator", false), ("boss", true), ("screen", true)]);
    end(vehicle, [operator, boss, screen]);
}

/// DRV-125, DRV-126.
#[test]
fn who_may_force_takes_a_driving_vehicle_which_stops_and_drives_for_it_alone() {
    let mut ends = Ends::new();
    let operator = start_operator(ends.options("operator", None));
    let (boss, keys) = start_at_keyboard(ends.options("boss", None));
    ends.add("boss", Right::Force, boss.local);
    let vehicle = start_vehicle(ends.vehicle(&operator, Right::Drive));
    wait_for(|| drives(&vehicle) && seat(&boss).0 == "operator");
    wait_for(|| {
        keys.send('F').unwrap();
        vehicle.told("boss drives from now on: it took the seat from operator")
    });
    wait_for(|| vehicle.told("STOPPING: another end has the seat"));
    wait_for(|| brakes(&vehicle) && seat(&operator).0 == "boss" && told(&operator, "boss drives"));
    let given = vehicle.motors.lock().unwrap().len();
    press_until_it_drives(&boss, &keys);
    let of_operator = |throttle: f32| (throttle - 0.3).abs() < 0.001;
    let motors = vehicle.motors.lock().unwrap()[given..].to_vec();
    assert!(!motors.iter().any(|controls| of_operator(controls.throttle())), "the operator's throttle");
    end(vehicle, [operator, boss]);
}

/// Enables at the keyboard as often as the vehicle waits for it.
fn press_until_it_drives(end: &Running, keys: &Sender<char>) {
    let state = || {
        let heard = end.heard.lock().unwrap();
        let gate = heard.statuses.last().and_then(|status| status.gate.clone());
        gate.map_or_else(Default::default, |gate| (gate.state, gate.waits_for))
    };
    wait_for(|| {
        let (state, waits_for) = state();
        if waits_for.contains("dead-man") || waits_for.contains("enable") {
            keys.send('e').unwrap();
        }
        state == "driving"
    });
}

/// DRV-123, DRV-124.
#[test]
fn who_asks_gets_the_seat_when_the_driver_presses_the_key() {
    let mut ends = Ends::new();
    let (operator, keys) = start_at_keyboard(ends.options("operator", None));
    let boss = start_operator(ends.options("boss", Some(SeatRequest::Ask)));
    ends.add("boss", Right::Drive, boss.local);
    let vehicle = start_vehicle(ends.vehicle(&operator, Right::Drive));
    wait_for(|| seat(&operator).1.as_deref() == Some("boss") && told(&operator, "boss asks for the seat"));
    assert!(!vehicle.told("boss drives from now on"));
    keys.send('y').unwrap();
    wait_for(|| vehicle.told("boss drives from now on: operator gave it the seat"));
    wait_for(|| drives(&vehicle) && told(&boss, "YOU DRIVE"));
    end(vehicle, [operator, boss]);
}

#[test]
fn a_vehicle_whose_driver_left_goes_to_who_asks_once_it_stands() {
    let mut ends = Ends::new();
    let operator = start_operator(ends.options("operator", None));
    let boss = start_operator(ends.options("boss", Some(SeatRequest::Ask)));
    ends.add("boss", Right::Drive, boss.local);
    let vehicle = start_vehicle(ends.vehicle(&operator, Right::Force));
    wait_for(|| drives(&vehicle));
    operator.stop.set();
    wait_for(|| vehicle.told("boss drives from now on: operator was silent, and the vehicle stood"));
    wait_for(|| drives(&vehicle));
    end(vehicle, [operator, boss]);
}

/// DRV-122: one that may only watch stops it, and the driver cannot release that while it is asked for.
#[test]
fn an_end_that_may_only_watch_stops_the_vehicle() {
    let mut ends = Ends::new();
    let (operator, driver) = start_at_keyboard(ends.options("operator", None));
    let (screen, keys) = start_at_keyboard(ends.options("screen", None));
    ends.add("screen", Right::Watch, screen.local);
    let vehicle = start_vehicle(ends.vehicle(&operator, Right::Force));
    press_until_it_drives(&operator, &driver);
    wait_for(|| seat(&screen).0 == "operator");
    keys.send('x').unwrap();
    wait_for(|| vehicle.told("screen stops the vehicle") && vehicle.told("EMERGENCY STOP"));
    wait_for(|| brakes(&vehicle));
    let latched = || {
        let heard = vehicle.heard.lock().unwrap();
        heard
            .statuses
            .last()
            .and_then(|status| status.control.clone())
            .map_or(0, |gate| gate.commands.latched)
    };
    let before = latched();
    driver.send('r').unwrap();
    wait_for(|| latched() > before + 5);
    assert!(!vehicle.told("locked: the emergency stop was released"));
    // DRV-140
    wait_for(|| {
        holder(&operator).as_deref() == Some("screen") && holder(&screen).as_deref() == Some("screen")
    });
    let of_vehicle = || vehicle.heard.lock().unwrap().statuses.last().unwrap().clone();
    wait_for(|| of_vehicle().seat.unwrap().stop_held_by.as_deref() == Some("screen"));
    let of_operator = || operator.heard.lock().unwrap().statuses.last().unwrap().clone();
    let named = "release of the emergency stop, screen holds the stop, age";
    wait_for(|| of_vehicle().line().contains(named) && of_operator().line().contains(named));
    keys.send('r').unwrap();
    wait_for(|| {
        driver.send('r').unwrap();
        let heard = operator.heard.lock().unwrap();
        heard.statuses.last().and_then(|s| s.gate.clone()).is_some_and(|gate| gate.state == "locked")
    });
    assert_eq!(holder(&operator), None);
    press_until_it_drives(&operator, &driver);
    wait_for(|| of_vehicle().seat.unwrap().stop_held_by.is_none());
    end(vehicle, [operator, screen]);
}

/// DRV-131.
#[test]
fn ends_that_could_be_taken_for_one_another_are_refused() {
    let ends = || {
        let mut ends = Ends::new();
        ends.add("boss", Right::Force, "127.0.0.1:9".parse().unwrap());
        ends
    };
    let refused = |ends: &Ends, change: &dyn Fn(&mut VehicleOptions)| {
        let operator = "127.0.0.1:10".parse().unwrap();
        let mut options =
            with(ends.yard.vehicle(ROBOT, operator), |end| end.site.link.others = ends.others.clone());
        change(&mut options);
        let error = drive(options).unwrap_err();
        assert_eq!(error.exit_code(), ExitCode::Usage, "{error}");
        error.to_string()
    };
    let ends = ends();
    let trusted = ends.yard.path("boss.pub");
    let words = refused(&ends, &|options| options.end.link.trust.push(trusted.clone()));
    assert!(words.contains("boss has a key that operator (link.trust) has too"), "{words}");
    let words = refused(&ends, &|options| options.operator = Some("127.0.0.1:9".parse().unwrap()));
    assert!(words.contains("boss is at 127.0.0.1:9, as operator is"), "{words}");
    let twice = |options: &mut VehicleOptions| {
        let mut other = options.end.site.link.others[0].clone();
        (other.name, other.at) = ("screen".into(), "127.0.0.1:11".parse().unwrap());
        options.end.site.link.others.push(other);
    };
    let words = refused(&ends, &twice);
    assert!(words.contains("screen has a key that boss has too"), "{words}");
}

/// DRV-132: one that is not there, and later one that does not let it in, end nothing; the other sees and drives.
#[test]
fn a_vehicle_whose_first_end_refuses_it_is_driven_by_another_with_its_cameras() {
    let mut ends = Ends::new();
    let stranger = ends.yard.link("operator", "stranger.pub");
    let operator = start_operator(with(ends.options("operator", None), |end| end.link = stranger));
    let boss = start_operator(ends.options("boss", Some(SeatRequest::Force)));
    ends.add("boss", Right::Force, boss.local);
    let vehicle = start_vehicle(ends.vehicle(&operator, Right::Drive));
    wait_for(|| sees_both_cameras(&boss));
    wait_for(|| drives(&vehicle));
    end(vehicle, [operator, boss]);
}
