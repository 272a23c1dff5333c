//! `tokkyu lbe status`: what is in the background here.

use clap::Args;
use tokkyu_contract::BitRate;
use tokkyu_drive::program::ExitCode;
use tokkyu_lbe::{Band, DeviceStatus, GateStatistics, Owner, Records, Status, Way, status};
use tokkyu_measure::table::{Row, Table};

use crate::exit::Done;
use crate::output::Json;

/// Show the devices, flows and programs that are in the background, with what was counted.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tokkyu lbe status\n  tokkyu lbe status --json | jq '.devices[].background'"
)]
pub struct StatusOf {
    #[command(flatten)]
    json: Json,
}

impl StatusOf {
    pub fn run(self) -> Done {
        let found = status(&Records::here())?;
        self.json.show(&text(&found), &found)?;
        Ok(ExitCode::Ok)
    }
}

fn text(status: &Status) -> String {
    let mut text = devices(&status.devices);
    for device in &status.devices {
        if let Some(gate) = &device.gate {
            text += &format!("\n{}: {}\n", device.name, of_gate(gate));
        }
    }
    if !status.module_loaded {
        text += "\nThe module sch_lbe is not loaded.\n";
    }
    text += &list("Background flows", status.flows.iter().cloned());
    let programs = status
        .programs
        .iter()
        .map(|program| format!("{:>7}  {}  ({})", program.process, program.name, program.group));
    text + &list("Background programs", programs)
}

fn list(title: &str, lines: impl Iterator<Item = String>) -> String {
    let lines: String = lines.map(|line| format!("  {line}\n")).collect();
    if lines.is_empty() { format!("\n{title}: none\n") } else { format!("\n{title}:\n{lines}") }
}

fn devices(devices: &[DeviceStatus]) -> String {
    let header = vec![
        "device",
        "way",
        "by",
        "qdisc",
        "foreground packets",
        "background packets",
        "MB",
        "waiting",
        "dropped",
    ];
    let rows = devices.iter().map(|device| Row { quoted: false, cells: cells(device) }).collect();
    if devices.is_empty() {
        "No device has a default route.\n".to_owned()
    } else {
        Table { header, rows }.to_text()
    }
}

fn cells(device: &DeviceStatus) -> Vec<String> {
    let none = || "–".to_owned();
    let counted = |band: Option<Band>, what: fn(Band) -> String| band.map_or_else(none, what);
    let way = match (device.way, device.rate_bits_per_s) {
        (Some(Way::Htb), Some(rate)) => format!("htb, {}", BitRate(rate)),
        (Some(way), _) => way.as_str().to_owned(),
        (None, _) => none(),
    };
    vec![
        device.name.clone(),
        way,
        device.by.map_or_else(none, |by| if by == Owner::Run { "run" } else { "tune" }.to_owned()),
        device.qdisc.clone().unwrap_or_else(none),
        counted(device.foreground, |band| band.packets.to_string()),
        counted(device.background, |band| band.packets.to_string()),
        counted(device.background, |band| format!("{:.1}", band.bytes as f64 / 1e6)),
        counted(device.background, |band| band.waiting.to_string()),
        counted(device.background, |band| band.dropped.to_string()),
    ]
}

fn of_gate(gate: &GateStatistics) -> String {
    let now = match (gate.no_probe, gate.is_shut) {
        (true, _) => "the gate is open: there is no probe of task switches",
        (false, true) => "the gate is shut",
        (false, false) => "the gate is open",
    };
    format!(
        "{now}; shut {} times, {:.1} ms in all, {:.1} ms the longest; {} packets by the valve, {} times released by a task \
         switch, {} by another processor; received {} at once, {} held",
        gate.shut,
        gate.shut_ns as f64 / 1e6,
        gate.shut_longest_ns as f64 / 1e6,
        gate.valve,
        gate.released,
        gate.steered,
        gate.rx_passed,
        gate.rx_held
    )
}
