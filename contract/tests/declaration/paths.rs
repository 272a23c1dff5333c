//! Further paths: `link.paths` and `link.device` of `site.yaml` (SPEC.md, CON-80, CON-81).

use tokkyu_contract::check::check;
use tokkyu_contract::units::BitRate;
use tokkyu_contract::yaml::paths::LinkPath;
use tokkyu_contract::yaml::{robot, site};

fn bad(link: &str) -> Vec<String> {
    let errors = site::parse("site.yaml", &format!("link: {link}\n")).expect_err("must be refused");
    errors.list().iter().map(ToString::to_string).collect()
}

fn refused(link: &str, words: &str) {
    let errors = bad(link);
    assert!(errors.len() == 1 && errors[0].contains(words), "{link}: {errors:?}");
}

#[test]
fn both_ends_name_further_paths() {
    let vehicle = "link: {operator: 10.0.0.2:7447, device: wwan0, paths: [{operator: 10.0.0.2:7448, device: wwan1, \
                   max_rate: 8 Mbit/s}, {operator: \"[fd00::2]:7449\"}]}";
    let link = site::parse("site.yaml", vehicle).expect("it is right").link;
    let path = |operator: &str, device: Option<&str>, rate: Option<u64>| LinkPath {
        listen: None,
        operator: Some(operator.parse().expect("an address")),
        device: device.map(str::to_owned),
        max_rate: rate.map(BitRate),
    };
    assert_eq!(link.device.as_deref(), Some("wwan0"));
    assert_eq!(
        link.paths,
        [path("10.0.0.2:7448", Some("wwan1"), Some(8_000_000)), path("[fd00::2]:7449", None, None)]
    );
    let operator = "link: {listen: 0.0.0.0:7447, paths: [{listen: 0.0.0.0:7448}]}";
    let link = site::parse("site.yaml", operator).expect("it is right").link;
    assert_eq!(link.paths[0].listen, Some("0.0.0.0:7448".parse().expect("an address")));
}

#[test]
fn what_is_missing_twice_or_too_much_is_refused() {
    refused("{paths: [{device: wwan1}]}", "link.paths[0]: it goes nowhere");
    refused("{paths: [{operator: 10.0.0.2:1}]}", "there is no first path");
    refused("{operator: 10.0.0.2:1, paths: [{operator: 10.0.0.2:1}]}", "another path has this address");
    refused("{listen: 10.0.0.2:1, paths: [{listen: 10.0.0.2:1}]}", "another path has this address");
    refused("{paths: [{listen: 10.0.0.2:1}, {listen: 10.0.0.2:1}]}", "another path has this address");
    refused("{paths: [{listen: nowhere}]}", "an address with a port");
    refused("{paths: [{listen: 10.0.0.2:1, max_rate: 0 bit/s}]}", "nothing can be sent");
    refused("{paths: [{listen: 10.0.0.2:1, gate: 1}]}", "gate");
    let many: Vec<String> = (1..5).map(|port| format!("{{listen: 10.0.0.2:{port}}}")).collect();
    refused(&format!("{{paths: [{}]}}", many.join(", ")), "4 further paths");
    for device in ["sixteen_letters_", "a/b", "a:b", "\"a b\"", ".."] {
        refused(&format!("{{device: {device}}}"), "is no name of a network device");
        refused(
            &format!("{{paths: [{{listen: 10.0.0.2:1, device: {device}}}]}}"),
            "is no name of a network device",
        );
    }
}

/// CON-31, CON-82.
#[test]
fn the_report_lists_the_paths_and_what_does_not_fit_them() {
    let robot = |rates: &[u32]| {
        let camera = |(n, rate): (usize, &u32)| {
            format!("  camera/c{n}: {{rate: {rate} Hz, size: 125 kB, class: realtime, lifespan: 1 s}}\n")
        };
        let flows: String = rates.iter().enumerate().map(camera).collect();
        robot::parse("robot.yaml", &format!("robot: rover\nflows:\n{flows}")).expect("a robot")
    };
    let at = |text: &str| site::parse("site.yaml", text).expect("right");
    let two = at("link: {operator: 10.0.0.2:7447, device: wwan0, max_rate: 8 Mbit/s, trust: [k], \
                  paths: [{operator: 10.0.0.2:7448, max_rate: 12 Mbit/s}]}");
    let about_rates = |rates: &[u32], site| {
        let warnings = check(&robot(rates), site).warnings.into_iter();
        warnings.map(|one| one.what).filter(|what| what.contains("max_rate")).collect::<Vec<String>>()
    };
    // 1 Mbit each time.
    assert_eq!(about_rates(&[12, 8], &two), [] as [&str; 0]);
    let alone = about_rates(&[13], &two);
    assert!(alone.len() == 1 && alone[0].contains("12 Mbit/s"), "{alone:?}");
    let together = about_rates(&[12, 9], &two);
    assert!(together.len() == 1 && together[0].contains("20 Mbit/s"), "{together:?}");
    let open = at(
        "link: {operator: 10.0.0.2:7447, trust: [k], paths: [{operator: 10.0.0.2:7448, max_rate: 1 Mbit/s}]}",
    );
    assert_eq!(about_rates(&[90], &open), [] as [&str; 0]);
    let report = check(&robot(&[1]), &two);
    let text = report.to_string();
    let row = text.lines().find(|line| line.starts_with("2 ")).expect("a row");
    assert!(["10.0.0.2:7448", "12 Mbit/s"].iter().all(|part| row.contains(part)), "{text}");
    let paths = &report.to_json()["paths"];
    assert_eq!(
        (&paths[0]["device"], &paths[1]["max_rate_bits_per_second"]),
        (&"wwan0".into(), &12_000_000.into())
    );
    let one = at("link: {operator: 10.0.0.2:7447}");
    assert!(check(&robot(&[1]), &one).paths.is_empty());
}
