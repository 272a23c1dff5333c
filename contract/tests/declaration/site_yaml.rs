//! `site.yaml`: defaults, what a good file becomes, and the exact words about a bad one (SPEC.md, CON-16 to CON-19, CON-37, CON-38).

use std::path::Path;
use std::time::Duration;

use tokkyu_contract::class::{Class, LinuxSched};
use tokkyu_contract::units::{BitRate, Bytes};
use tokkyu_contract::yaml::budget::RtosBudget;
use tokkyu_contract::yaml::fleet::{FleetAccess, FleetSite, FleetTls, RouterAddress};
use tokkyu_contract::yaml::others::{Other, Right};
use tokkyu_contract::yaml::paths::LinkPath;
use tokkyu_contract::yaml::site::{self, LinkSite, Site};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/site.yaml");

fn bad(text: &str) -> Vec<String> {
    let errors = site::parse("site.yaml", text).expect_err("must be refused");
    errors.list().iter().map(ToString::to_string).collect()
}

fn other(name: &str, host: u8, may: Right, rate: u64) -> Other {
    let (at, key) = (([10, 1, 2, host], 7447).into(), format!("keys/{name}.pub").into());
    Other { name: name.to_owned(), at, key, may, max_rate: Some(BitRate(rate)) }
}

#[test]
fn the_example_is_read_in_full() {
    let text = std::fs::read_to_string(EXAMPLE).expect("the example");
    let expected = Site {
        name: "depot-3".to_owned(),
        link: LinkSite {
            listen: ([127, 0, 0, 1], 7447).into(),
            operator: Some(([10, 1, 2, 3], 7447).into()),
            device: Some("wwan0".to_owned()),
            paths: vec![LinkPath {
                listen: Some(([127, 0, 0, 1], 7448).into()),
                operator: Some(([10, 1, 2, 3], 7448).into()),
                device: Some("wwan1".to_owned()),
                max_rate: Some(BitRate(50_000_000)),
            }],
            may: Right::Force,
            others: vec![
                other("boss", 4, Right::Force, 20_000_000),
                other("screen", 5, Right::Watch, 2_000_000),
            ],
            identity: Some("keys/rover-7.key".into()),
            trust: vec!["keys/operator.pub".into()],
            mtu: 1500,
            max_rate: Some(BitRate(200_000_000)),
            memory: Bytes(256_000_000),
        },
        max_fifo: 50,
        link_cores: vec![1],
        rtos_budgets: vec![RtosBudget {
            core: 0,
            budget: Duration::from_millis(8),
            period: Duration::from_millis(10),
        }],
        fleet: FleetSite {
            routers: vec![RouterAddress { is_tls: true, host: "fleet.example.org".to_owned(), port: 7448 }],
            tls: Some(FleetTls {
                ca: "fleet/ca.pem".into(),
                certificate: "fleet/rover-7.pem".into(),
                key: "fleet/rover-7.key".into(),
            }),
            access: Some(FleetAccess {
                vehicles: vec!["rover-7".to_owned()],
                operators: vec!["desk-1".to_owned()],
                routers: Vec::new(),
            }),
        },
    };
    assert_eq!(site::parse("site.yaml", &text), Ok(expected));
}

#[test]
fn an_empty_site_has_the_documented_defaults_and_opens_nothing() {
    for text in ["", "# nothing\n", "{}"] {
        assert_eq!(site::parse("site.yaml", text), Ok(Site::default()), "{text:?}");
    }
    let site = Site::default();
    assert!(site.link.listen.ip().is_loopback());
    assert_eq!((site.link.listen.port(), site.link.mtu, site.max_fifo), (7447, 1500, 50));
    assert_eq!((site.link.max_rate, site.link.memory), (None, Bytes(256_000_000)));
    assert!(site.link.trust.is_empty() && site.link_cores.is_empty());
    assert!(site.rtos_budgets.is_empty());
}

#[test]
fn relative_paths_count_from_the_folder_of_the_file() {
    let site = site::load(Path::new(EXAMPLE)).unwrap_or_else(|errors| panic!("{errors}"));
    let folder = Path::new(EXAMPLE).parent().expect("a folder");
    assert_eq!(site.link.identity, Some(folder.join("keys/rover-7.key")));
    assert_eq!(site.link.trust, [folder.join("keys/operator.pub")]);
    assert_eq!(site.fleet.tls.map(|tls| tls.key), Some(folder.join("fleet/rover-7.key")));
}

#[test]
fn each_wrong_field_is_told_with_its_place_and_a_remedy() {
    let cases = [
        (
            "link: {listen: localhost}",
            "1:16: link.listen: \"localhost\" is not valid; \
             write an address with a port, such as 10.1.2.3:7447 or \"[fd00::1]:7447\"",
        ),
        ("link: {lisen: 127.0.0.1:1}", "1:8: link.lisen: unknown field; did you mean \"listen\"?"),
        (
            "link: {mtu: 576}",
            "1:13: link.mtu: \"576\" is not a whole number from 1280 to 9000; write a whole number from 1280 to 9000",
        ),
        (
            "link: {max_rate: 200}",
            "1:18: link.max_rate: \"200\" is not a bit rate: the unit is missing; \
             add bit/s, kbit/s, Mbit/s or Gbit/s, as in \"50 Mbit/s\"",
        ),
        (
            "link: {max_rate: 0 bit/s}",
            "1:18: link.max_rate: nothing can be sent at 0 bit/s; leave it out for no limit",
        ),
        ("fleet: {router: [tls/a:1]}", "1:9: fleet.router: unknown field; did you mean \"routers\"?"),
        (
            "fleet: {routers: [udp/a:1]}",
            "1:19: fleet.routers[0]: \"udp/a:1\" is not valid; write tls/HOST:PORT, or tcp/127.0.0.1:PORT on one machine",
        ),
        (
            "fleet: {tls: {ca: a, key: b}}",
            "1:9: fleet.tls.certificate: the field is missing; give the path of this machine's certificate",
        ),
        (
            "fleet: {access: {vehicles: [\"a/*\"]}}",
            "1:29: fleet.access.vehicles[0]: \"a/*\" cannot be a name; \
             use at most 64 of a-z, A-Z, 0-9, _, - and ., a letter or digit first",
        ),
        ("link: {memory: 0 B}", "1:16: link.memory: no sample fits into 0 B; write a size such as 256 MB"),
        (
            "link: {trust: a.pub}",
            "1:15: link.trust: a single value does not fit here; write a list in brackets",
        ),
        (
            "link: {trust: [a.pub, {}]}",
            "1:23: link.trust[1]: a mapping does not fit here; write the path of a public key",
        ),
        (
            "priorities: {max_fifo: 100}",
            "1:24: priorities.max_fifo: \"100\" is not a whole number from 0 to 99; write a whole number from 0 to 99",
        ),
        (
            "cores: {link: [0, -1]}",
            "1:19: cores.link[1]: \"-1\" is not a whole number from 0 to 1023; write a whole number from 0 to 1023",
        ),
        ("cores: {lnk: [0]}", "1:9: cores.lnk: unknown field; did you mean \"link\"?"),
        (
            "cores: {rtos: [{core: 8, budget: 1 ms, period: 2 ms}]}",
            "1:23: cores.rtos[0].core: \"8\" is not a whole number from 0 to 7; write a whole number from 0 to 7",
        ),
        (
            "cores: {rtos: [{core: 0, budget: 1 ms, period: 2 ms}, {core: 0, budget: 1 ms, period: 2 ms}]}",
            "1:62: cores.rtos[1].core: processor 0 has a budget already; name each processor once",
        ),
        (
            "cores: {rtos: [{core: 0, budget: 3 ms, period: 2 ms}]}",
            "1:34: cores.rtos[0].budget: 3 ms is not from 100 us to 2 ms; a budget has at most its period",
        ),
        (
            "cores: {rtos: [{core: 0, budget: 1 ms, period: 2 s}]}",
            "1:48: cores.rtos[0].period: 2 s is not from 1 ms to 1 s; choose a period in which Linux can wait for the rest of it",
        ),
        (
            "cores: {rtos: [{core: 0, budget: 100.5 us, period: 2 ms}]}",
            "1:34: cores.rtos[0].budget: 100.5 us is no whole number of microseconds; round it",
        ),
        (
            "cores: {rtos: [{core: 0, period: 2 ms}]}",
            "1:16: cores.rtos[0].budget: the field is missing; give it, such as budget: 10 ms",
        ),
        ("core: here", "1:1: core: unknown field; did you mean \"cores\"?"),
        (
            "site: a/b",
            "1:7: site: \"a/b\" cannot be a name; \
             use at most 64 of a-z, A-Z, 0-9, _, - and ., a letter or digit first",
        ),
        ("just text", "1:1: a single value does not fit here; write a mapping"),
    ];
    for (text, expected) in cases {
        assert_eq!(bad(text), [format!("site.yaml:{expected}")], "{text}");
    }
}

#[test]
fn a_cap_lowers_real_time_priorities_and_touches_nothing_else() {
    let capped = |max_fifo| {
        let site = Site { max_fifo, ..Site::default() };
        Class::ALL.map(|class| site.allowed(class.priorities().linux))
    };
    use LinuxSched::{Fifo, Idle, Other};
    assert_eq!(capped(50), [Fifo(40), Fifo(30), Other, Idle]);
    assert_eq!(capped(35), [Fifo(35), Fifo(30), Other, Idle]);
    assert_eq!(capped(0), [Other, Other, Other, Idle], "0 allows no SCHED_FIFO thread");
}

#[test]
fn a_routers_address_is_a_place_and_nothing_else() {
    for good in ["tls/fleet.example.org:7448", "tcp/127.0.0.1:1", "tls/[fd00::1]:7448", "tcp/[::1]:65535"] {
        assert_eq!(good.parse::<RouterAddress>().map(|address| address.to_string()), Ok(good.to_owned()));
    }
    let bad = [
        "",
        "tls/a",
        "tls/:1",
        "tls/a:0",
        "tls/a:70000",
        "tls/a:+1",
        "tls/a:1#x=y",
        "tls/a?x:1",
        "tls/[a]:1",
        "tls/[127.0.0.1]:1",
        "tls/::1:1",
        "udp/a:1",
        "TLS/a:1",
    ];
    for bad in bad {
        assert!(bad.parse::<RouterAddress>().is_err(), "{bad}");
    }
    let loopback = |text: &str| text.parse::<RouterAddress>().expect("an address").is_loopback();
    assert!(loopback("tcp/127.0.0.9:1") && loopback("tls/[::1]:1") && loopback("tls/localhost:1"));
    assert!(!loopback("tls/0.0.0.0:1") && !loopback("tls/127.example.org:1"));
}
