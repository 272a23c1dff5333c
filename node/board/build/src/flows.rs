//! What `robot.yaml` declares, as a table in Rust.

use std::fmt::Write;
use std::path::Path;

use tokkyu_contract::Durability;
use tokkyu_contract::yaml::robot::{self, Flow, Robot};

/// Reads the file at `robot`, and writes its flows as an expression that `tokkyu_board::flows!()` includes.
pub(crate) fn build_in(robot: &Path, out: &Path) {
    println!("cargo:rerun-if-changed={}", robot.display());
    let robot = robot::load(robot).unwrap_or_else(|errors| panic!("{errors}"));
    if let Err(error) = std::fs::write(out, table(&robot)) {
        panic!("{}: {error}", out.display());
    }
}

/// Topics alone: packets of other programs are none.
fn table(robot: &Robot) -> String {
    let mut text = "&[\n".to_owned();
    for flow in robot.flows.iter().filter(|flow| flow.matching.is_none()) {
        let _ = writeln!(text, "    {},", expression(flow));
    }
    text + "]\n"
}

fn expression(flow: &Flow) -> String {
    let depth = flow.qos.depth();
    let is_reliable = flow.qos.is_lossless();
    let is_latched = flow.qos.durability == Durability::TransientLocal;
    let bytes = flow.size.map_or(0, |size| size.0);
    format!(
        "::tokkyu_board::Flow {{ name: {:?}, class: ::tokkyu_board::Class::{:?}, is_reliable: {is_reliable}, \
         depth: {depth:?}, is_latched: {is_latched}, bytes: {bytes} }}",
        flow.name, flow.class
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROBOT: &str = "\
robot: r
flows:
  camera: {class: realtime, size: 300 kB, history: keep_last, depth: 1}
  map: {class: best_effort, history: keep_all, durability: transient_local, reliability: reliable}
  arm/*: {class: control, size: 64 B, history: keep_last, depth: 10}
  upload: {class: background, match: {dst_port: 443}}
";

    #[test]
    fn topics_become_a_table_with_what_nodes_go_by() {
        let robot = robot::parse("robot.yaml", ROBOT).expect("it is right");
        let table = table(&robot);
        let lines: Vec<&str> = table.lines().map(str::trim).collect();
        let flow = |name: &str, class: &str, rest: &str| {
            format!(
                "::tokkyu_board::Flow {{ name: \"{name}\", class: ::tokkyu_board::Class::{class}, {rest} }},"
            )
        };
        let expected = [
            "&[".to_owned(),
            flow(
                "camera",
                "Realtime",
                "is_reliable: false, depth: Some(1), is_latched: false, bytes: 300000",
            ),
            flow("map", "BestEffort", "is_reliable: true, depth: None, is_latched: true, bytes: 0"),
            flow("arm/*", "Control", "is_reliable: false, depth: Some(10), is_latched: false, bytes: 64"),
            "]".to_owned(),
        ];
        assert_eq!(lines, expected);
    }
}
