//! `tokkyu fleet list`: which vehicles are there, what they do, who drives them.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tokkyu_contract::MonoTime;
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_drive::text::printable;
use tokkyu_fleet::protocol::keys::Vehicle;
use tokkyu_fleet::protocol::roster::{Known, Roster};
use tokkyu_fleet::protocol::state::State;
use tokkyu_fleet::watch::Watch;
use tokkyu_link::carrier::clock;

use crate::command::ends;
use crate::exit::{CODES, Done, Failure};
use crate::output::{self, Json, JsonTo};

const EXAMPLES: &str = "\
Examples:
  tokkyu fleet list --site site.yaml
  tokkyu fleet list --watch
  tokkyu fleet list --json | jq '.vehicles[].robot'";

/// Lists the vehicles that are present, with what each says of itself.
///
/// `age` is how long ago it said so. What a vehicle says is its own word. A list with no vehicle in it is no failure.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct List {
    /// Routers and certificates; site.yaml if not given
    #[arg(long, value_name = "FILE")]
    site: Option<PathBuf>,
    /// Go on, and print again every second
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    json: Json,
}

const EVERY: Duration = Duration::from_secs(1);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Longest text of a column.
const CELL_LETTERS: usize = 64;

impl List {
    pub fn run(self, stop: &StopFlag) -> Done {
        let watch = Watch::open(&ends::site(self.site.as_deref())?.fleet)?;
        watch.ask()?;
        loop {
            let (roster, now) = (watch.roster(), clock::now());
            self.tell(&roster, watch.is_connected(), now)?;
            if !self.watch {
                return Ok(ExitCode::Ok);
            }
            let next = now + EVERY;
            while clock::now() < next {
                if stop.is_set() {
                    return Ok(ExitCode::Interrupted);
                }
                std::thread::sleep(LOOK_EVERY);
            }
        }
    }
}

impl List {
    /// On standard output JSON is one object in a line each time.
    fn tell(&self, roster: &Roster, is_connected: bool, now: MonoTime) -> Result<(), Failure> {
        match self.json.to() {
            Some(JsonTo::Stdout) => output::print(&line(roster, is_connected, now)),
            _ => {
                let value: Value = serde_json::from_str(&line(roster, is_connected, now)).unwrap_or_default();
                self.json.show(&table(roster, is_connected, now), &value)
            }
        }
    }
}

fn line(roster: &Roster, is_connected: bool, now: MonoTime) -> String {
    let entry = |(vehicle, known): (&Vehicle, &Known)| {
        let age_ms = known.state.as_ref().map(|(at, _)| now.since(*at).as_millis() as u64);
        let (state, fault) = match known.state.as_ref().map(|(_, state)| state) {
            Some(Ok(state)) => (json!(state), Value::Null),
            Some(Err(fault)) => (Value::Null, json!(fault.to_string())),
            None => (Value::Null, Value::Null),
        };
        json!({"robot": vehicle.robot(), "age_ms": age_ms, "state": state, "fault": fault})
    };
    let vehicles: Vec<Value> = roster.present().map(entry).collect();
    let list = json!({"format": "tokkyu-fleet/1", "router": is_connected, "left_out": roster.left_out(), "vehicles": vehicles});
    format!("{list}\n")
}

fn table(roster: &Roster, is_connected: bool, now: MonoTime) -> String {
    let mut rows =
        vec![["vehicle", "state", "age", "driver", "up", "flows", "last drive"].map(str::to_owned)];
    rows.extend(roster.present().map(|(vehicle, known)| row(vehicle, known, now)));
    let mut widths = [0; 7];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text.push_str(match (rows.len(), is_connected) {
        (_, false) => "(no router is reached)\n",
        (1, true) => "(no vehicle is present)\n",
        _ => "",
    });
    if roster.left_out() > 0 {
        text.push_str("(there are more vehicles than are listed)\n");
    }
    text
}

fn row(vehicle: &Vehicle, known: &Known, now: MonoTime) -> [String; 7] {
    let name = vehicle.robot().to_owned();
    let dash = || "–".to_owned();
    match &known.state {
        None => [name, "unknown".to_owned(), dash(), dash(), dash(), dash(), dash()],
        Some((_, Err(fault))) => [name, cell(&fault.to_string()), dash(), dash(), dash(), dash(), dash()],
        Some((at, Ok(state))) => [
            name,
            state.doing.word().to_owned(),
            format!("{:.1} s", now.since(*at).as_secs_f64()),
            state.driver.as_ref().map_or_else(dash, |driver| cell(&driver.operator)),
            span(state.up_s),
            (state.flows.len() as u64 + u64::from(state.flows_left_out)).to_string(),
            state.last.as_ref().map_or_else(dash, |_| last(state)),
        ],
    }
}

fn last(state: &State) -> String {
    let Some(last) = &state.last else { return String::new() };
    let share = if last.offered == 0 {
        String::new()
    } else {
        format!(", {}/{} pictures", last.delivered, last.offered)
    };
    cell(&format!("{} {} ago{share}, {}", last.operator, span(last.ago_s), last.ended))
}

fn cell(text: &str) -> String {
    printable(text, CELL_LETTERS)
}

fn span(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_fleet::protocol::keys::Kind;

    #[test]
    fn a_table_has_a_line_for_each_vehicle_and_no_control_characters_of_theirs() {
        let mut roster = Roster::default();
        let vehicle = Vehicle::new("rover-7", "1").unwrap();
        roster.on_token(&vehicle.key(Kind::Alive), true);
        assert!(table(&roster, true, MonoTime::ZERO).contains("rover-7  unknown"));
        roster.on_state(&vehicle.key(Kind::State), b"{\"version\":1,\"\x1b[2J\":0}", MonoTime::ZERO);
        let text = table(&roster, false, MonoTime::ZERO);
        assert!(text.contains("rover-7  it cannot be read") && !text.contains('\x1b'), "{text:?}");
        assert!(text.ends_with("(no router is reached)\n"), "{text}");
        let empty: Value = serde_json::from_str(&line(&Roster::default(), true, MonoTime::ZERO)).unwrap();
        assert_eq!((&empty["format"], &empty["vehicles"]), (&json!("tokkyu-fleet/1"), &json!([])));
    }
}
