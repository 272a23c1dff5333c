//! Who gets in and who may be what: certificates and the router's list (FLT-41 to FLT-44).

mod yard;

use tokkyu_contract::yaml::fleet::{FleetAccess, FleetSite};
use tokkyu_fleet::FleetError;
use tokkyu_fleet::protocol::keys::{Kind, Vehicle};
use tokkyu_fleet::protocol::roster::Roster;
use tokkyu_fleet::watch::Watch;
use yard::{PATIENCE, Yard};
use zenoh::{Config, Session, Wait};

#[test]
fn router_process() {
    yard::become_router_if_told();
}

fn names(roster: &Roster) -> Vec<&str> {
    roster.present().map(|(vehicle, _)| vehicle.robot()).collect()
}

/// A client of Zenoh's own, as somebody would write who means no good.
fn client(yard: &Yard, certificate: Option<&str>) -> Result<Session, zenoh::Error> {
    let mut config = Config::default();
    let text = |path: std::path::PathBuf| format!("\"{}\"", path.display());
    let mut set = |key: &str, value: &str| config.insert_json5(key, value).unwrap();
    set("mode", "\"client\"");
    set("scouting/multicast/enabled", "false");
    set("connect/endpoints", &format!("[\"{}\"]", yard.address));
    set("transport/link/tls/root_ca_certificate", &text(yard.path("ca.pem")));
    if let Some(name) = certificate {
        let tls = yard.tls(name);
        set("transport/link/tls/connect_certificate", &text(tls.certificate));
        set("transport/link/tls/connect_private_key", &text(tls.key));
        set("transport/link/tls/enable_mtls", "true");
    }
    zenoh::open(config).wait()
}

#[track_caller]
fn sees(watch: &Watch, expected: &[&str]) {
    let seen = watch.wait_for(PATIENCE, |roster| names(roster) == expected);
    assert!(seen, "sees {:?} and not {expected:?}", names(&watch.roster()));
}

#[test]
fn whoever_has_no_certificate_of_the_authority_gets_nothing() {
    let yard = Yard::certified();
    ["rover-1", "desk-1"].iter().for_each(|name| yard.certify(name));
    let _router = yard.router(None);
    let vehicle = yard.serve("rover-1", &["desk-1"]);
    sees(&yard.watch("desk-1"), &["rover-1"]);

    assert!(client(&yard, None).is_err(), "a client without a certificate");
    let other = Yard::certified();
    other.certify("desk-1");
    let mut tls = other.tls("desk-1");
    tls.ca = yard.path("ca.pem");
    let site = FleetSite { tls: Some(tls), ..yard.fleet("desk-1") };
    let refused = Watch::open(&site).map(|_| ()).unwrap_err();
    assert!(matches!(refused, FleetError::NoRouter { .. }), "{refused}");
    // And nobody takes a router of another authority for ours.
    let site = FleetSite { tls: Some(other.tls("desk-1")), ..yard.fleet("desk-1") };
    assert!(Watch::open(&site).is_err());
    vehicle.end().expect("in order");
}

#[test]
fn a_vehicle_announces_itself_under_its_own_name_alone() {
    let yard = Yard::certified();
    ["rover-1", "rover-2", "desk-1", "guest"].iter().for_each(|name| yard.certify(name));
    let listed = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let access = FleetAccess {
        vehicles: listed(&["rover-1", "rover-2"]),
        operators: listed(&["desk-1"]),
        routers: Vec::new(),
    };
    let _router = yard.router(Some(access));
    let watch = yard.watch("desk-1");
    let vehicle = yard.serve("rover-1", &["desk-1"]);
    sees(&watch, &["rover-1"]);
    assert!(watch.wait_for(PATIENCE, Roster::is_complete), "its state comes too");

    let thief = client(&yard, Some("rover-2")).expect("it has a certificate");
    let declare = |robot: &str| {
        let key = Vehicle::new(robot, "abc").expect("a name").key(Kind::Alive);
        thief.liveliness().declare_token(key).wait().expect("declared here")
    };
    // One connection keeps the order: when its own name is seen, the stolen ones have been refused.
    let _tokens = [declare("rover-1"), declare("rover-3"), declare("rover-2")];
    sees(&watch, &["rover-1", "rover-2"]);
    // It hears nothing of the others either; what it declared it knows.
    let heard = thief.liveliness().get(Kind::Alive.of_all()).wait().expect("asked");
    let heard: Vec<String> =
        heard.into_iter().filter_map(|reply| Some(reply.result().ok()?.key_expr().to_string())).collect();
    assert!(heard.iter().all(|key| key.ends_with("/abc")), "no vehicle is told to a vehicle: {heard:?}");

    let guest = yard.watch("guest");
    guest.ask().expect("asked");
    assert_eq!(names(&guest.roster()), Vec::<&str>::new(), "who is in no list sees nobody");

    let drive = yard.open("desk-1", "rover-1");
    drive.sees(3);
    drive.end().expect("the drive went well");
    vehicle.end().expect("in order");
}
