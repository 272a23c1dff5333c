//! A report as aligned text for people, and as JSON for programs (CON-33).

use core::fmt;
use core::time::Duration;

use serde_json::{Value, json};

use super::{ClassRow, EndRow, FlowRow, OutputRow, PathRow, Report, SpeedRow, StopRow};
use crate::class::{Class, LinuxSched};
use crate::units::{DurationText, Rate};
use crate::yaml::budget::RtosBudget;
use crate::yaml::robot::Toward;

/// Names the shape of the JSON; it changes when a field changes its meaning or goes away.
const FORMAT: &str = "tokkyu-check/1";

/// Stands in a cell that has no value.
const NONE: &str = "-";

const CLASS_COLUMNS: [&str; 6] = ["RTOS task", "Linux", "skb", "band", "DSCP", "GIC"];
const BUDGET_COLUMNS: [&str; 3] = ["RTOS at most", "of each", "Linux at least"];
const END_COLUMNS: [&str; 3] = ["at", "may", "at most"];
const PATH_COLUMNS: [&str; 4] = ["to operator", "operator listens", "device", "at most"];
const STOP_COLUMNS: [&str; 5] = ["when", "deceleration", "jerk", "takes", "goes"];
const FLOW_COLUMNS: [&str; 7] = ["toward", "rate", "size", "bit rate", "lifespan", "deadline", "class"];

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "robot {} at site {}\n", self.robot, self.site)?;
        let classes = self.classes.iter().map(|row| cells(row.class.as_str(), class_cells(row).into()));
        write_table(f, header("class", &CLASS_COLUMNS), classes.collect())?;
        writeln!(f)?;
        let columns = [&FLOW_COLUMNS[..], &CLASS_COLUMNS[..]].concat();
        write_table(f, header("flow", &columns), self.flows.iter().map(flow_cells).collect())?;
        let is_driven = |row: &FlowRow| row.class.class == Class::Control && row.toward == Toward::Vehicle;
        if self.flows.iter().any(is_driven) {
            let first = format!("stop from {}", self.stops[0].from);
            writeln!(f)?;
            write_table(f, header(&first, &STOP_COLUMNS), self.stops.iter().map(stop_cells).collect())?;
        }
        if !self.speeds.is_empty() {
            writeln!(f)?;
            write_table(f, header("latency", &["at most"]), self.speeds.iter().map(speed_cells).collect())?;
        }
        if let Some(first) = self.output.first() {
            let topic = format!("ROS {} topic", first.ros);
            writeln!(f)?;
            write_table(
                f,
                header(&topic, &["of the output", "type"]),
                self.output.iter().map(output_cells).collect(),
            )?;
        }
        if !self.ends.is_empty() {
            writeln!(f)?;
            write_table(f, header("end", &END_COLUMNS), self.ends.iter().map(end_cells).collect())?;
        }
        if !self.paths.is_empty() {
            writeln!(f)?;
            write_table(f, header("path", &PATH_COLUMNS), self.paths.iter().map(path_cells).collect())?;
        }
        if !self.rtos_budgets.is_empty() {
            writeln!(f)?;
            write_table(
                f,
                header("core", &BUDGET_COLUMNS),
                self.rtos_budgets.iter().map(budget_cells).collect(),
            )?;
        }
        if !self.warnings.is_empty() {
            writeln!(f, "\nwarnings")?;
        }
        self.warnings.iter().try_for_each(|warning| writeln!(f, "  {warning}"))
    }
}

fn header(first: &str, columns: &[&str]) -> Vec<String> {
    cells(first, columns.iter().map(|column| (*column).to_owned()).collect())
}

fn cells(first: &str, rest: Vec<String>) -> Vec<String> {
    let mut row = vec![first.to_owned()];
    row.extend(rest);
    row
}

fn class_cells(row: &ClassRow) -> [String; 6] {
    let asked = &row.asked;
    [
        asked.itron_task.to_string(),
        row.linux.to_string(),
        asked.skb_priority.to_string(),
        asked.band.to_string(),
        match dscp_name(asked.dscp) {
            Some(name) => format!("{} {name}", asked.dscp),
            None => asked.dscp.to_string(),
        },
        format!("{:#04x}", asked.gic),
    ]
}

fn flow_cells(row: &FlowRow) -> Vec<String> {
    let duration = |span: Option<Duration>| or_none(span.map(DurationText));
    let own = [
        row.toward.as_str().to_owned(),
        or_none(row.rate),
        or_none(row.size),
        or_none(row.bit_rate),
        duration(row.lifespan),
        duration(row.deadline),
        row.class.class.to_string(),
    ];
    cells(&row.name, own.into_iter().chain(class_cells(&row.class)).collect())
}

fn budget_cells(row: &RtosBudget) -> Vec<String> {
    let times = [row.budget, row.period, row.left()];
    cells(&row.core.to_string(), times.map(|time| DurationText(time).to_string()).into())
}

fn stop_cells(row: &StopRow) -> Vec<String> {
    let used = row.used.join(", ");
    let own = [
        if used.is_empty() { NONE.to_owned() } else { used },
        row.braking.deceleration.to_string(),
        row.braking.jerk.to_string(),
        format!("{:.1} s", row.time.as_secs_f64()),
        format!("{}.{} m", row.distance_dm / 10, row.distance_dm % 10),
    ];
    cells(row.profile.as_str(), own.into())
}

fn speed_cells(row: &SpeedRow) -> Vec<String> {
    cells(&DurationText(row.latency).to_string(), vec![format!("{:.1} km/h", row.most.mps() * 3.6)])
}

fn output_cells(row: &OutputRow) -> Vec<String> {
    cells(&row.topic, vec![row.part.as_str().to_owned(), row.type_name.to_owned()])
}

fn or_none(value: Option<impl fmt::Display>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| value.to_string())
}

/// The name a code point has in the RFCs, for people who know it by that.
const fn dscp_name(dscp: u8) -> Option<&'static str> {
    match dscp {
        0 => Some("CS0"),
        1 => Some("LE"),
        34 => Some("AF41"),
        40 => Some("CS5"),
        46 => Some("EF"),
        _ => None,
    }
}

/// Writes rows under a header, each column as wide as its widest cell.
fn write_table(f: &mut fmt::Formatter<'_>, header: Vec<String>, rows: Vec<Vec<String>>) -> fmt::Result {
    let mut widths = vec![0; header.len()];
    for row in std::iter::once(&header).chain(&rows) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for row in std::iter::once(&header).chain(&rows) {
        let padded: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        writeln!(f, "{}", padded.join("  ").trim_end())?;
    }
    Ok(())
}

impl Report {
    /// The report for programs. Units stand in the names; what is not declared is `null`. Shape: SPEC.md, CON-33.
    pub fn to_json(&self) -> Value {
        let warning = |warning: &super::Warning| json!({ "path": warning.path, "what": warning.what, "remedy": warning.remedy });
        json!({
            "format": FORMAT,
            "robot": self.robot,
            "site": self.site,
            "classes": self.classes.iter().map(class_json).collect::<Vec<_>>(),
            "flows": self.flows.iter().map(flow_json).collect::<Vec<_>>(),
            "stops": self.stops.iter().map(stop_json).collect::<Vec<_>>(),
            "speeds": self.speeds.iter().map(speed_json).collect::<Vec<_>>(),
            "output": self.output.iter().map(output_json).collect::<Vec<_>>(),
            "ends": self.ends.iter().map(end_json).collect::<Vec<_>>(),
            "paths": self.paths.iter().map(path_json).collect::<Vec<_>>(),
            "rtos_budgets": self.rtos_budgets.iter().map(budget_json).collect::<Vec<_>>(),
            "warnings": self.warnings.iter().map(warning).collect::<Vec<_>>(),
        })
    }
}

fn end_cells(row: &EndRow) -> Vec<String> {
    let most = row.max_rate.map_or_else(|| NONE.to_owned(), |rate| rate.to_string());
    cells(&row.name, vec![row.at.to_string(), row.may.as_str().to_owned(), most])
}

fn end_json(row: &EndRow) -> Value {
    json!({
        "name": row.name,
        "at": row.at.to_string(),
        "may": row.may.as_str(),
        "max_rate_bits_per_second": row.max_rate.map(|rate| rate.0),
    })
}

fn path_cells(row: &PathRow) -> Vec<String> {
    let address = |at: Option<std::net::SocketAddr>| at.map_or_else(|| NONE.to_owned(), |at| at.to_string());
    let most = row.max_rate.map_or_else(|| NONE.to_owned(), |rate| rate.to_string());
    let device = row.device.clone().unwrap_or_else(|| NONE.to_owned());
    cells(&row.number.to_string(), vec![address(row.operator), address(row.listen), device, most])
}

fn path_json(row: &PathRow) -> Value {
    json!({
        "number": row.number,
        "operator": row.operator.map(|at| at.to_string()),
        "listen": row.listen.map(|at| at.to_string()),
        "device": row.device,
        "max_rate_bits_per_second": row.max_rate.map(|rate| rate.0),
    })
}

fn class_json(row: &ClassRow) -> Value {
    let fifo_priority = match row.linux {
        LinuxSched::Fifo(priority) => Some(priority),
        LinuxSched::Other | LinuxSched::Idle => None,
    };
    json!({
        "class": row.class.as_str(),
        "itron_task": row.asked.itron_task,
        "linux_policy": match row.linux {
            LinuxSched::Fifo(_) => "SCHED_FIFO",
            LinuxSched::Other => "SCHED_OTHER",
            LinuxSched::Idle => "SCHED_IDLE",
        },
        "linux_fifo_priority": fifo_priority,
        "skb_priority": row.asked.skb_priority,
        "band": row.asked.band,
        "dscp": row.asked.dscp,
        "gic": row.asked.gic,
    })
}

fn flow_json(row: &FlowRow) -> Value {
    json!({
        "id": row.id.0,
        "name": row.name,
        "toward": row.toward.as_str(),
        "matched": row.matched,
        "rate_millihertz": row.rate.map(Rate::millihertz),
        "size_bytes": row.size.map(|size| size.0),
        "bit_rate_bits_per_second": row.bit_rate.map(|rate| rate.0),
        "lifespan_ns": row.lifespan.map(nanos),
        "deadline_ns": row.deadline.map(nanos),
        "settings": class_json(&row.class),
    })
}

fn stop_json(row: &StopRow) -> Value {
    json!({
        "profile": row.profile.as_str(),
        "used": row.used,
        "deceleration_mps2": row.braking.deceleration.mps2(),
        "jerk_mps3": row.braking.jerk.mps3(),
        "from_mps": row.from.mps(),
        "time_ns": nanos(row.time),
        "distance_dm": row.distance_dm,
    })
}

fn speed_json(row: &SpeedRow) -> Value {
    json!({ "latency_ns": nanos(row.latency), "most_mps": row.most.mps() })
}

fn output_json(row: &OutputRow) -> Value {
    json!({ "ros": row.ros, "what": row.part.as_str(), "topic": row.topic, "type": row.type_name })
}

fn budget_json(row: &RtosBudget) -> Value {
    json!({ "core": row.core, "budget_ns": nanos(row.budget), "period_ns": nanos(row.period) })
}

/// JSON numbers hold 584 years of nanoseconds; a longer span is as good as endless.
fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}
