//! Who else a vehicle serves: `link.others` and `link.may` of `site.yaml` (SPEC.md, CON-64, CON-65).

use tokkyu_contract::check::check;
use tokkyu_contract::units::BitRate;
use tokkyu_contract::yaml::others::{Other, Right};
use tokkyu_contract::yaml::{robot, site};

fn link(rest: &str) -> String {
    format!("link:\n  operator: 10.0.0.2:7447\n  {rest}\n")
}

fn bad(rest: &str) -> Vec<String> {
    let errors = site::parse("site.yaml", &link(rest)).expect_err("must be refused");
    errors.list().iter().map(ToString::to_string).collect()
}

fn refused(rest: &str, words: &str) {
    let errors = bad(rest);
    assert!(errors.len() == 1 && errors[0].contains(words), "{rest}: {errors:?}");
}

#[test]
fn an_end_is_read_in_full_and_one_that_watches_gets_two_megabit_where_nothing_is_said() {
    let full = "others: [{name: boss, at: 10.0.0.3:7447, key: boss.pub, may: force, max_rate: 8 Mbit/s}, \
                {name: screen_2, at: \"[fd00::1]:7447\", key: screen.pub}, \
                {name: desk, at: 10.0.0.4:7447, key: desk.pub, may: drive}]";
    let link = site::parse("site.yaml", &link(full)).expect("it is right").link;
    let other = |name: &str, at: &str, key: &str, may, rate: Option<u64>| Other {
        name: name.into(),
        at: at.parse().expect("an address"),
        key: key.into(),
        may,
        max_rate: rate.map(BitRate),
    };
    assert_eq!(
        link.others,
        [
            other("boss", "10.0.0.3:7447", "boss.pub", Right::Force, Some(8_000_000)),
            other("screen_2", "[fd00::1]:7447", "screen.pub", Right::Watch, Some(2_000_000)),
            other("desk", "10.0.0.4:7447", "desk.pub", Right::Drive, None),
        ]
    );
    assert_eq!(link.may, Right::Force);
}

#[test]
fn keys_count_from_the_files_folder() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("others.yaml");
    std::fs::write(&file, link("others: [{name: boss, at: 10.0.0.3:7447, key: boss.pub}]")).expect("written");
    assert_eq!(site::load(&file).expect("right").link.others[0].key, folder.join("boss.pub"));
}

#[test]
fn the_first_end_drives_and_may_be_kept_from_force() {
    let may = |word: &str| site::parse("site.yaml", &link(&format!("may: {word}"))).map(|site| site.link.may);
    assert_eq!((may("drive"), may("force")), (Ok(Right::Drive), Ok(Right::Force)));
    refused("may: watch", "unknown value \"watch\"");
}

#[test]
fn what_is_missing_twice_or_too_much_is_refused() {
    let end = |name: &str, port: u16| format!("{{name: {name}, at: 10.0.0.3:{port}, key: k}}");
    let others = |ends: &[String]| format!("others: [{}]", ends.join(", "));
    refused("others: [{at: 10.0.0.3:1, key: k}]", "link.others[0].name: the field is missing");
    refused("others: [{name: a, key: k}]", "link.others[0].at: the field is missing");
    refused("others: [{name: a, at: 10.0.0.3:1}]", "link.others[0].key: the field is missing");
    refused(&others(&[end("a", 1), end("a", 2)]), "another end is called a");
    refused(&others(&[end("operator", 1)]), "another end is called operator");
    refused(&others(&[end("a", 1), end("b", 1)]), "another end is at 10.0.0.3:1");
    refused("others: [{name: a, at: 10.0.0.2:7447, key: k}]", "another end is at 10.0.0.2:7447");
    refused(
        "paths: [{operator: 10.0.0.3:1}]\n  others: [{name: a, at: 10.0.0.3:1, key: k}]",
        "another end is at 10.0.0.3:1",
    );
    refused(&others(&[end("seventeen_letters", 1)]), "cannot be shown");
    refused(&others(&[end("a.b", 1)]), "cannot be shown");
    refused("others: [{name: a, at: 10.0.0.3:1, key: k, max_rate: 0 bit/s}]", "nothing can be sent");
    refused(&others(&(1..9).map(|n| end(&format!("n{n}"), n)).collect::<Vec<_>>()), "8 ends");
    let errors = site::parse("site.yaml", "link: {others: [{name: a, at: 10.0.0.3:1, key: k}]}").unwrap_err();
    assert!(errors.to_string().contains("there is no first end"), "{errors}");
}

/// CON-70.
#[test]
fn pictures_that_are_more_than_an_end_may_get_are_warned_of_for_each_end() {
    let camera = |name: &str, toward: &str, source: &str| {
        format!(
            "  {name}: {{class: realtime, rate: 10 Hz, size: 25 kB, lifespan: 1 s, toward: {toward}{source}}}\n"
        )
    };
    let pictures = ", source: {test: picture}";
    let flows = [
        camera("front", "operator", pictures),
        camera("rear", "operator", pictures),
        camera("scan", "operator", ", type: sensor_msgs/msg/LaserScan"),
        "  drive: {class: control, rate: 1 kHz, size: 1 MB, lifespan: 1 s, toward: vehicle}\n".into(),
    ];
    let robot = format!("robot: rover\nflows:\n{}", flows.concat());
    let robot = robot::parse("robot.yaml", &robot).unwrap_or_else(|errors| panic!("{errors}"));
    let others = "others: [{name: boss, at: 10.0.0.3:1, key: k, may: force, max_rate: 4 Mbit/s}, \
                  {name: screen, at: 10.0.0.3:2, key: k}, \
                  {name: desk, at: 10.0.0.3:3, key: k, may: drive}, \
                  {name: phone, at: 10.0.0.3:4, key: k, max_rate: 300 kbit/s}]";
    let report = check(&robot, &site::parse("site.yaml", &link(others)).expect("right"));
    let told: Vec<String> = report.warnings.iter().map(ToString::to_string).collect();
    let expected = [
        "link.others[1].max_rate: the pictures for screen need 4 Mbit/s, more than its max_rate of 2 Mbit/s: it gets some \
         of them; write max_rate: 4 Mbit/s or more in the site's file, or lower rates or sizes of the cameras to 1/2 in \
         the robot's",
        "link.others[3].max_rate: the pictures for phone need 4 Mbit/s, more than its max_rate of 300 kbit/s: it gets \
         some of them; write max_rate: 4 Mbit/s or more in the site's file, or lower rates or sizes of the cameras to \
         1/14 in the robot's",
    ];
    assert_eq!(
        told, expected,
        "the limit itself is allowed, and what the site lets is the first end's matter"
    );
}

/// CON-33.
#[test]
fn the_report_says_who_may_what() {
    let robot = robot::parse("robot.yaml", "robot: rover\nflows: {a: {rate: 1 Hz, class: background}}\n")
        .expect("a robot");
    let alone = site::parse("site.yaml", &link("may: drive")).expect("right");
    assert!(check(&robot, &alone).ends.is_empty());
    let others = "others: [{name: boss, at: 10.0.0.3:7447, key: boss.pub}]";
    let report = check(&robot, &site::parse("site.yaml", &link(others)).expect("right"));
    let text = report.to_string();
    let row = text.lines().find(|line| line.starts_with("boss")).expect("a row");
    assert!(["10.0.0.3:7447", "watch", "2 Mbit/s"].iter().all(|part| row.contains(part)), "{text}");
    let ends = &report.to_json()["ends"];
    assert_eq!((&ends[0]["name"], &ends[0]["max_rate_bits_per_second"]), (&"operator".into(), &().into()));
    assert_eq!((&ends[1]["may"], &ends[1]["max_rate_bits_per_second"]), (&"watch".into(), &2_000_000.into()));
}
