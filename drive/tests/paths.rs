//! A vehicle with two network devices (link's SPEC, LNK-90 to LNK-96), in two network namespaces with a cable for each
//! path: while it drives, one cable after the other is pulled.

mod yard;

use std::process::Command;
use std::sync::mpsc::channel;
use std::thread;

use tokkyu_contract::yaml::site;
use tokkyu_drive::program::{PathStatus, StopFlag};
use yard::{Driven, ROBOT, Running, Yard, start_operator, start_vehicle, wait_for, with};

/// Long enough for a busy machine to be late, and much shorter than a cable is out.
fn robot() -> String {
    ROBOT.replace("lifespan: 150 ms, deadline: 100 ms", "lifespan: 800 ms, deadline: 1 s")
}

fn ip(words: &str) -> bool {
    Command::new("ip").args(words.split(' ')).status().is_ok_and(|status| status.success())
}

fn must(words: &str) {
    assert!(ip(words), "ip {words}");
}

/// A namespace of its own for this thread, and those that it starts. False where that cannot be.
fn own_network() -> bool {
    // SAFETY: it concerns this thread alone.
    unsafe { libc::unshare(libc::CLONE_NEWNET) == 0 && ip("link set lo up") }
}

/// The operator in a namespace of its own, which `cables` leads to. None, and why, where that cannot be.
fn operator_beyond(cables: [&str; 2], start: impl FnOnce() -> Running + Send + 'static) -> Option<Running> {
    let ((here, threads), (go, plugged), (ready, running)) = (channel(), channel(), channel());
    let beyond = thread::spawn(move || {
        // SAFETY: it asks for the number of this thread.
        let _ = here.send(own_network().then(|| unsafe { libc::gettid() }));
        if plugged.recv() != Ok(()) {
            return;
        }
        for (cable, host) in [("far0", "10.97.1.2/24"), ("far1", "10.97.2.2/24")] {
            must(&format!("addr add {host} dev {cable}"));
            must(&format!("link set {cable} up"));
        }
        let _ = ready.send(start());
    });
    let thread = threads.recv().unwrap()?;
    for (near, far) in cables.into_iter().zip(["far0", "far1"]) {
        if !ip(&format!("link add {near} type veth peer name {far}")) {
            return None;
        }
        must(&format!("link set {far} netns {thread}"));
    }
    for (near, host) in cables.into_iter().zip(["10.97.1.1/24", "10.97.2.1/24"]) {
        must(&format!("addr add {host} dev {near}"));
        must(&format!("link set {near} up"));
    }
    go.send(()).unwrap();
    let running = running.recv().unwrap();
    beyond.join().unwrap();
    Some(running)
}

fn told(operator: &Running, words: &str) -> bool {
    operator.heard.lock().unwrap().events.iter().any(|text| text.contains(words))
}

fn pictures(operator: &Running) -> u64 {
    let heard = operator.heard.lock().unwrap();
    heard
        .statuses
        .last()
        .map_or(0, |status| status.cameras.iter().map(|camera| camera.ledger.delivered).sum())
}

/// The newest status has such a path.
fn shown(operator: &Running, is_it: impl Fn(&PathStatus) -> bool) -> bool {
    let heard = operator.heard.lock().unwrap();
    heard.statuses.last().is_some_and(|status| status.link.paths.iter().any(is_it))
}

/// Nothing stopped the vehicle, and it has throttle.
fn drives(vehicle: &Driven) -> bool {
    !vehicle.told("STOPPING") && vehicle.motors.lock().unwrap().last().is_some_and(|now| now.brake() == 0.0)
}

#[test]
fn a_vehicle_whose_cables_are_pulled_in_turn_drives_on() {
    let thread = thread::spawn(|| {
        let yard = Yard::new();
        let at_operator = "link: {listen: 0.0.0.0:7447, paths: [{listen: 0.0.0.0:7448}]}\n";
        let at_vehicle = "link: {operator: 10.97.1.2:7447, device: near0, \
                          paths: [{operator: 10.97.2.2:7448, device: near1}]}\n";
        let of = |text| site::parse("site.yaml", text).unwrap();
        let mut options = with(yard.operator(&robot()), |end| end.site = of(at_operator));
        options.listen = None;
        let operator = own_network()
            .then(|| operator_beyond(["near0", "near1"], move || start_operator(options)))
            .flatten();
        let Some(operator) = operator else {
            eprintln!("skipped: no network namespace or no ip; run as root, apt-get install iproute2");
            return;
        };
        let options = with(yard.vehicle(&robot(), operator.local), |end| end.site = of(at_vehicle));
        let vehicle = start_vehicle(tokkyu_drive::vehicle::VehicleOptions { operator: None, ..options });
        wait_for(|| vehicle.told("path 2 to the other end is up") && vehicle.moved(0.01));
        for (cable, path) in [("near0", 1), ("near1", 2)] {
            let seen = pictures(&operator);
            must(&format!("link set {cable} down"));
            let silent = format!("path {path} does not answer");
            wait_for(|| vehicle.told(&silent) && told(&operator, &silent));
            wait_for(|| shown(&operator, |one| one.number == path && one.is_silent));
            wait_for(|| pictures(&operator) > seen + 100);
            assert!(drives(&vehicle), "{:?}", vehicle.heard.lock().unwrap().events);
            must(&format!("link set {cable} up"));
            wait_for(|| vehicle.told(&format!("path {path} answers again")));
            wait_for(|| shown(&operator, |one| one.number == path && !one.is_silent));
        }
        assert!(drives(&vehicle), "{:?}", vehicle.heard.lock().unwrap().events);
        [&vehicle.stop, &operator.stop].into_iter().for_each(StopFlag::set);
        let summary = operator.thread.join().unwrap().unwrap();
        assert_eq!(summary.sessions, 1);
        vehicle.thread.join().unwrap().unwrap();
    });
    thread.join().unwrap();
}
