//! `tokkyu lab wire`: what the laboratory's own network costs.

use clap::Args;
use serde_json::{Value, json};
use tokkyu_drive::program::ExitCode;
use tokkyu_lab::drive::RELAY_PRIORITY;
use tokkyu_lab::wire::{Lateness, OwnCost, WireSettings, measure_own_cost};
use tokkyu_link::sim::path::Profile;
use tokkyu_measure::table::{Row, Table};

use super::super::words;
use crate::exit::Done;
use crate::output::Json;

/// Measure what the wire between two namespaces adds by itself: a thousand pings over a perfect network, about two
/// seconds.
///
/// With --network the figures stand beside that network's own delay, so that it shows whether they matter there.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tokkyu lab wire\n  tokkyu lab wire --network lan --json")]
pub struct LabWire {
    /// A network to compare with
    #[arg(long, value_name = "NAME", value_parser = words::network)]
    network: Option<Profile>,
    #[command(flatten)]
    json: Json,
}

impl LabWire {
    pub fn run(&self) -> Done {
        let cost = measure_own_cost(WireSettings { relay_priority: Some(RELAY_PRIORITY) })?;
        self.json.show(&self.text(&cost), &self.to_json(&cost))?;
        Ok(ExitCode::Ok)
    }

    fn text(&self, cost: &OwnCost) -> String {
        let rows = vec![row("relay, one frame", &cost.relay), row("round trip of a ping", &cost.round_trip)];
        let table = Table {
            header: vec!["wire's own cost", "mean µs", "p50 µs", "p99 µs", "worst µs", "n"],
            rows,
        };
        let beside = self.network.as_ref().map(|network| {
            let round_trip = network.up.delay + network.down.delay;
            format!("{}: {:.1} µs round trip by itself\n", network.name, round_trip.as_secs_f64() * 1e6)
        });
        table.to_text() + &beside.unwrap_or_default()
    }

    fn to_json(&self, cost: &OwnCost) -> Value {
        let part = |lateness: &Lateness| {
            let Lateness { frames, mean_ns, p50_ns, p99_ns, worst_ns } = lateness;
            json!({"n": frames, "mean_ns": mean_ns, "p50_ns": p50_ns, "p99_ns": p99_ns, "worst_ns": worst_ns})
        };
        let network = self.network.as_ref().map(|network| {
            let round_trip = network.up.delay + network.down.delay;
            json!({"name": network.name, "round_trip_ns": round_trip.as_nanos() as u64})
        });
        json!({"format": 1, "experiment": "wire", "relay": part(&cost.relay), "round_trip": part(&cost.round_trip),
               "network": network})
    }
}

fn row(name: &str, lateness: &Lateness) -> Row {
    let us = |ns: u64| format!("{:.1}", ns as f64 / 1e3);
    let Lateness { frames, mean_ns, p50_ns, p99_ns, worst_ns } = *lateness;
    Row {
        quoted: false,
        cells: vec![name.to_owned(), us(mean_ns), us(p50_ns), us(p99_ns), us(worst_ns), frames.to_string()],
    }
}
