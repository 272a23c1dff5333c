//! `tokkyu check`: tables, derived settings and warnings (SPEC.md, CON-27 to CON-36, CON-53).

use tokkyu_contract::check::{Report, check};
use tokkyu_contract::yaml::{robot, site};

fn report(flows: &str, site: &str) -> Report {
    let robot = robot::parse("robot.yaml", &format!("robot: rover-7\nflows:\n{flows}"));
    let robot = robot.unwrap_or_else(|errors| panic!("{errors}"));
    let site = site::parse("site.yaml", site).unwrap_or_else(|errors| panic!("{errors}"));
    check(&robot, &site)
}

fn warnings(flows: &str, site: &str) -> Vec<String> {
    report(flows, site).warnings.iter().map(ToString::to_string).collect()
}

const CAMERA: &str = "  camera: {class: realtime, rate: 10 Hz, size: 374 kB, depth: 1, lifespan: 500 ms, source: {test: picture}}\n";
const DRIVE: &str = "  drive: {class: control, rate: 50 Hz, size: 64 B, lifespan: 150 ms, deadline: 100 ms, toward: vehicle}\n";
const UPLOAD: &str = "  upload: {class: background, match: {dst_port: 443}}\n";

#[test]
fn the_tables_show_what_each_layer_gets() {
    let text =
        report(&[CAMERA, DRIVE, UPLOAD].concat(), "site: depot-3\npriorities: {max_fifo: 35}\n").to_string();
    let expected = "\
robot rover-7 at site depot-3

class        RTOS task  Linux          skb  band  DSCP     GIC
control      4          SCHED_FIFO 35  6    0     40 CS5   0xa0
realtime     8          SCHED_FIFO 30  4    1     34 AF41  0xb0
best_effort  12         SCHED_OTHER    0    2     0 CS0    0xc0
background   16         SCHED_IDLE     1    3     1 LE     0xd0

flow    toward    rate   size    bit rate      lifespan  deadline  class       RTOS task  Linux          skb  band  DSCP     GIC
camera  operator  10 Hz  374 kB  29.92 Mbit/s  500 ms    -         realtime    8          SCHED_FIFO 30  4    1     34 AF41  0xb0
drive   vehicle   50 Hz  64 B    25.6 kbit/s   150 ms    100 ms    control     4          SCHED_FIFO 35  6    0     40 CS5   0xa0
upload  operator  -      -       -             -         -         background  16         SCHED_IDLE     1    3     1 LE     0xd0

stop from 50 km/h  when            deceleration  jerk      takes  goes
comfort            -               1.5 m/s2      1.5 m/s3  9.8 s  71.2 m
service            released, lost  4 m/s2        10 m/s3   3.7 s  26.9 m
emergency          emergency stop  8 m/s2        80 m/s3   1.8 s  12.7 m
";
    assert_eq!(text, expected);
}

#[test]
fn the_json_says_the_same_with_units_in_its_names() {
    let json = report(&[CAMERA, UPLOAD].concat(), "priorities: {max_fifo: 20}\n").to_json();
    assert_eq!(json["format"], "tokkyu-check/1");
    assert_eq!(json["classes"].as_array().map(Vec::len), Some(4));
    let camera = &json["flows"][0];
    assert_eq!((&camera["id"], &camera["name"]), (&1.into(), &"camera".into()));
    assert_eq!(camera["bit_rate_bits_per_second"], 29_920_000);
    assert_eq!(camera["lifespan_ns"], 500_000_000);
    assert_eq!(camera["deadline_ns"], serde_json::Value::Null);
    assert_eq!(camera["settings"]["linux_policy"], "SCHED_FIFO");
    assert_eq!(camera["settings"]["linux_fifo_priority"], 20);
    assert_eq!(json["flows"][1]["matched"], true);
    assert_eq!(json["warnings"][0]["path"], "priorities.max_fifo");
}

#[test]
fn a_sound_declaration_has_no_warnings() {
    assert_eq!(warnings(&[CAMERA, DRIVE, UPLOAD].concat(), "link: {max_rate: 200 Mbit/s}\n"), [""; 0]);
}

#[test]
fn an_urgent_flow_without_a_lifespan_is_warned_of_unless_it_is_matched_traffic() {
    let flows = "  a: {class: control, source: {test: picture}}\n  b: {class: best_effort, source: {test: picture}}\n  c: {class: realtime, match: {dst_port: 1}}\n";
    let expected = "flows.a.lifespan: a control flow without a lifespan delivers samples of any age; \
                    add the longest age a sample may have, such as lifespan: 500 ms";
    assert_eq!(warnings(flows, ""), [expected]);
}

#[test]
fn a_deadline_below_the_period_is_warned_of() {
    let flow = |deadline| {
        format!("  a: {{class: best_effort, rate: 10 Hz, deadline: {deadline}, source: {{test: picture}}}}\n")
    };
    let expected = "flows.a.deadline: 99 ms is shorter than 100 ms, the gap between two samples at 10 Hz: always missed; \
                    write more than 100 ms or raise the rate";
    assert_eq!(warnings(&flow("99 ms"), ""), [expected]);
    assert_eq!(warnings(&flow("100 ms"), ""), [""; 0]);
}

#[test]
fn a_flow_that_alone_is_over_the_limit_is_warned_of_by_name() {
    let expected = "flows.camera.rate: 374 kB at 10 Hz is 29.92 Mbit/s, more than the site's max_rate of 29 Mbit/s; \
                    lower the rate or the size, or raise link.max_rate in the site's file";
    assert_eq!(warnings(CAMERA, "link: {max_rate: 29 Mbit/s}\n"), [expected]);
    assert_eq!(warnings(CAMERA, "link: {max_rate: 29.92 Mbit/s}\n"), [""; 0], "the limit itself is allowed");
    assert_eq!(warnings(CAMERA, ""), [""; 0], "a site without a limit");
}

#[test]
fn flows_that_are_over_the_limit_together_are_warned_of_once_for_each_way() {
    let flows = [CAMERA, &CAMERA.replace("camera", "back"), DRIVE].concat();
    let expected = "flows: the flows toward the operator need 59.84 Mbit/s together, \
                    more than the site's max_rate of 30 Mbit/s; \
                    lower rates or sizes, or raise link.max_rate in the site's file";
    assert_eq!(warnings(&flows, "link: {max_rate: 30 Mbit/s}\n"), [expected]);
}

#[test]
fn a_sample_of_more_packets_than_the_link_numbers_is_warned_of() {
    let flow = "  a: {class: realtime, size: 25 MB, lifespan: 1 s, source: {test: picture}}\n";
    let told = warnings(flow, "link: {mtu: 1500}\n");
    let expected = "flows.a.size: 25 MB is more than the link takes as one sample, 21.95456 MB at an mtu of 1500: none is sent; \
                    lower size:, write encoding: mjpeg, or raise link.mtu at both ends";
    assert_eq!(told, [expected]);
    assert_eq!(warnings(flow, "link: {mtu: 9000}\n"), [""; 0]);
}

#[test]
fn a_history_that_does_not_fit_into_memory_is_warned_of() {
    let flow = "  a: {class: best_effort, size: 1 MB, depth: 300, source: {test: picture}}\n";
    let expected = "flows.a.depth: 300 samples of 1 MB are 300 MB, more than the site's memory of 256 MB; \
                    lower the depth, or raise link.memory in the site's file";
    assert_eq!(warnings(flow, ""), [expected]);
    assert_eq!(warnings(flow, "link: {memory: 300 MB}\n"), [""; 0]);
}

#[test]
fn a_site_that_makes_control_and_realtime_equal_is_warned_of() {
    let with_cap = |cap| warnings(UPLOAD, &format!("priorities: {{max_fifo: {cap}}}\n"));
    let expected = "priorities.max_fifo: control and realtime threads both get SCHED_FIFO 30; \
                    allow more than 30 to keep control ahead";
    assert_eq!(with_cap(30), [expected]);
    assert_eq!(with_cap(31), [""; 0]);
    assert!(with_cap(0)[0].contains("both get SCHED_OTHER"));
}

#[test]
fn a_port_open_to_the_network_that_trusts_nobody_is_warned_of() {
    let expected = "link.trust: the link listens on 0.0.0.0:7447 but trusts nobody, so no vehicle can connect; \
                    add the vehicle's public key";
    assert_eq!(warnings(UPLOAD, "link: {listen: 0.0.0.0:7447}\n"), [expected]);
    assert_eq!(warnings(UPLOAD, "link: {listen: 0.0.0.0:7447, trust: [rover.pub]}\n"), [""; 0]);
}

#[test]
fn a_flow_that_no_program_carries_is_warned_of_unless_it_is_matched_traffic() {
    let flows = "  lidar: {class: best_effort}\n  map: {class: best_effort, toward: vehicle}\n";
    let expected = [
        "flows.lidar.source: no program carries a flow toward the operator without a source or a type; \
         add one such as source: {v4l2: /dev/video0}, type: pkg/msg/Type for a ROS 2 topic, or match for packets of an \
         existing program",
        "flows.map.class: no program carries a flow toward the vehicle that has no type and is not of class control; \
         write class: control for the driving commands, type: pkg/msg/Type for a ROS 2 topic, or match for packets of an \
         existing program",
    ];
    assert_eq!(warnings(flows, ""), expected);
    let bridged =
        "  scan: {type: sensor_msgs/msg/LaserScan, class: best_effort}\n  status/*: {class: best_effort}\n";
    assert_eq!(warnings(bridged, ""), [""; 0]);
    assert_eq!(warnings(&[CAMERA, DRIVE, UPLOAD].concat(), ""), [""; 0]);
}

#[test]
fn budgets_of_an_rtos_are_printed_and_what_leaves_linux_nothing_is_warned_of() {
    let site = |budget| format!("cores: {{rtos: [{{core: 1, budget: {budget}, period: 10 ms}}]}}\n");
    let told = report(CAMERA, &site("8 ms"));
    let table = "\ncore  RTOS at most  of each  Linux at least\n1     8 ms          10 ms    2 ms\n";
    assert!(told.to_string().ends_with(table), "{told}");
    let row = &told.to_json()["rtos_budgets"][0];
    assert_eq!(
        (&row["core"], &row["budget_ns"], &row["period_ns"]),
        (&1.into(), &8_000_000.into(), &10_000_000.into())
    );
    assert_eq!(warnings(CAMERA, &site("9500 us")), [""; 0]);
    let expected = "cores.rtos[0].budget: Linux may have no more than 499 us in 10 ms of processor 1; \
                    write 9.5 ms or less: a twentieth keeps Linux alive";
    assert_eq!(warnings(CAMERA, &site("9501 us")), [expected]);
}
