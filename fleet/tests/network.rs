//! One router, three vehicles, two operators: who is seen when, and what a drive has of the router (FLT-30 to FLT-35,
//! FLT-20 to FLT-26).

mod yard;

use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_fleet::FleetError;
use tokkyu_fleet::protocol::call::Refusal;
use tokkyu_fleet::protocol::roster::Roster;
use tokkyu_fleet::protocol::state::{Doing, State};
use tokkyu_fleet::watch::Watch;
use yard::{PATIENCE, Yard, wait_for};

#[test]
fn router_process() {
    yard::become_router_if_told();
}

fn names(roster: &Roster) -> Vec<&str> {
    roster.present().map(|(vehicle, _)| vehicle.robot()).collect()
}

fn state<'a>(roster: &'a Roster, robot: &str) -> Option<&'a State> {
    let (_, known) = roster.called(robot).pop()?;
    known.state.as_ref()?.1.as_ref().ok()
}

#[track_caller]
fn sees(watch: &Watch, expected: &[&str]) {
    let seen = watch.wait_for(PATIENCE, |roster| names(roster) == expected && roster.is_complete());
    assert!(seen, "sees {:?} and not {expected:?}", names(&watch.roster()));
}

#[track_caller]
fn sees_doing(watch: &Watch, robot: &str, doing: Doing) {
    let seen =
        watch.wait_for(PATIENCE, |roster| state(roster, robot).is_some_and(|state| state.doing == doing));
    assert!(seen, "{robot} is not {doing:?}: {:?}", state(&watch.roster(), robot));
}

#[test]
fn all_operators_see_all_vehicles_and_again_after_the_router_was_killed() {
    let yard = Yard::plain();
    let router = yard.router(None);
    let watches = ["desk-1", "desk-2"].map(|name| yard.watch(name));
    let [one, two, three] = ["rover-1", "rover-2", "rover-3"].map(|name| yard.serve(name, &["desk-1"]));
    for watch in &watches {
        sees(watch, &["rover-1", "rover-2", "rover-3"]);
        let roster = watch.roster();
        let flows = &state(&roster, "rover-2").expect("told").flows;
        assert_eq!(
            flows.iter().map(|flow| flow.name.as_str()).collect::<Vec<_>>(),
            ["camera/front", "drive/command"]
        );
    }
    two.end().expect("in order");
    watches.iter().for_each(|watch| sees(watch, &["rover-1", "rover-3"]));

    router.kill();
    for watch in &watches {
        wait_for("the router's end to be noticed", || !watch.is_connected());
        sees(watch, &[]);
    }
    let _router = yard.router(None);
    watches.iter().for_each(|watch| sees(watch, &["rover-1", "rover-3"]));
    wait_for("the vehicle to tell it", || one.told().contains("a router is reached again"));
    // Also to one who comes now, and asks.
    let late = yard.watch("desk-3");
    late.ask().expect("the router answers");
    assert_eq!(names(&late.roster()), ["rover-1", "rover-3"]);
    assert!(late.roster().is_complete());
    drop(three);
    sees(&late, &["rover-1"]);
}

#[test]
fn a_vehicle_comes_to_one_trusted_operator_at_a_time_and_the_drive_needs_no_router() {
    let yard = Yard::plain();
    let router = yard.router(None);
    let vehicle = yard.serve("rover-1", &["desk-1", "desk-2"]);
    let watch = yard.watch("desk-9");
    sees(&watch, &["rover-1"]);

    let unknown = yard.open("desk-1", "rover-9").result().unwrap_err();
    assert!(matches!(&unknown, FleetError::Unknown { others, .. } if others == "rover-1"), "{unknown}");

    let stranger = yard.open("desk-3", "rover-1").result().unwrap_err();
    assert!(matches!(stranger, FleetError::Refused { refusal: Refusal::Untrusted, .. }), "{stranger}");
    assert_eq!(stranger.exit_code(), ExitCode::Refused);

    let first = yard.open("desk-1", "rover-1");
    first.sees(3);
    sees_doing(&watch, "rover-1", Doing::Driven);
    let roster = watch.roster();
    let driver = state(&roster, "rover-1").and_then(|state| state.driver.as_ref()).expect("somebody drives");
    assert_eq!(driver.operator, "desk-1");
    let second = yard.open("desk-2", "rover-1").result().unwrap_err();
    assert!(matches!(second, FleetError::Refused { refusal: Refusal::Busy, .. }), "{second}");
    assert!(second.to_string().contains("desk-1"), "{second}");

    router.kill();
    wait_for("the router's end to be noticed", || vehicle.told().contains("no router is reached"));
    first.sees(10);
    assert_eq!(first.end().expect("the drive went well"), 1, "one session, which nothing broke");
    let _router = yard.router(None);
    sees_doing(&watch, "rover-1", Doing::Idle);
    let told = watch.wait_for(PATIENCE, |roster| {
        state(roster, "rover-1")
            .and_then(|state| state.last.as_ref())
            .is_some_and(|last| last.operator == "desk-1")
    });
    assert!(told, "how the last session went");

    let second = yard.open("desk-2", "rover-1");
    second.sees(3);
    second.end().expect("the drive went well");
    vehicle.end().expect("in order");
    sees(&watch, &[]);
}

#[test]
fn an_operator_who_is_told_to_stop_calls_nobody_and_ends_as_interrupted() {
    let yard = Yard::plain();
    let _router = yard.router(None);
    let (at_once, when_ready, when_called) = (StopFlag::new(), StopFlag::new(), StopFlag::new());
    let to_set = when_called.clone();
    // It trusts neither of the two who come: a call is refused.
    let vehicle = yard.serve_and("rover-1", &["desk-1"], move |words| {
        if words.contains("call of desk-3") {
            to_set.set();
        }
    });
    sees(&yard.watch("desk-9"), &["rover-1"]);

    at_once.set();
    let ended = yard.open_with("desk-2", "rover-1", &at_once, || {}).result().unwrap_err();
    assert_eq!(ended.exit_code(), ExitCode::Interrupted, "{ended}");

    let to_set = when_ready.clone();
    let ended = yard.open_with("desk-2", "rover-1", &when_ready, move || to_set.set()).result().unwrap();
    assert_eq!(ended.exit_code(), ExitCode::Interrupted);
    assert!(!vehicle.told().contains("call of"), "{}", vehicle.told());

    let ended = yard.open_with("desk-3", "rover-1", &when_called, || {}).result().unwrap();
    assert_eq!(ended.exit_code(), ExitCode::Interrupted);
    assert!(vehicle.told().contains("call of desk-3"), "{}", vehicle.told());
    vehicle.end().expect("in order");
}

#[test]
fn two_vehicles_of_one_name_are_both_listed_and_neither_is_opened() {
    let yard = Yard::plain();
    let _router = yard.router(None);
    let watch = yard.watch("desk-9");
    let one = yard.serve("rover-1", &["desk-1"]);
    sees(&watch, &["rover-1"]);
    let other = yard.serve("rover-1", &["desk-1"]);
    sees(&watch, &["rover-1", "rover-1"]);
    wait_for("the other to notice", || other.told().contains("another vehicle is called rover-1"));
    let refused = yard.open("desk-1", "rover-1").result().unwrap_err();
    assert!(matches!(refused, FleetError::Twice { count: 2, .. }), "{refused}");
    one.end().expect("in order");
    sees(&watch, &["rover-1"]);
}

/// FLT-52, LNK-76: what died once would die again, so the program ends, and whoever watches over it starts it anew.
#[test]
fn a_vehicle_whose_link_dies_in_a_drive_ends_with_the_reason_and_exit_code_1() {
    let yard = Yard::plain();
    let _router = yard.router(None);
    let vehicle = yard.serve("rover-1", &["desk-1"]);
    sees(&yard.watch("desk-9"), &["rover-1"]);
    let operator = yard.open("desk-1", "rover-1");
    operator.sees(3);
    vehicle.fault.strike();
    wait_for("the program to end by itself", || vehicle.has_ended());
    let told = vehicle.told();
    let error = vehicle.end().unwrap_err();
    assert_eq!(error.exit_code(), ExitCode::Failed);
    assert!(error.to_string().starts_with("the link's thread died: "), "{error}");
    assert!(told.contains(&format!("the drive ended: {error}")), "{told}");
    operator.end().expect("it was told to end");
}
