//! Further paths: `link.paths` and `link.device` of `site.yaml` (SPEC.md, CON-80, CON-81).

use tokkyu_contract::units::BitRate;
use tokkyu_contract::yaml::paths::LinkPath;
use tokkyu_contract::yaml::site;

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
