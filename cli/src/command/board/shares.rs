//! What processors of a machine with two systems were used for between two looks, for people and for programs.

use std::fmt::Write;

use serde_json::{Value, json};
use tokkyu_monitor_statistics::{Between, Look};

/// It.
#[derive(Debug)]
pub struct Shares {
    seconds: Option<f64>,
    /// One for each processor.
    processors: Vec<Between>,
    notes: Vec<&'static str>,
}

const NO_LINUX: &str = "Linux does not tell what it counts: start `companion count &` there, as root (target/monitor/companion; \
    the shell of the initrd that comes with it does)";
const NO_RTOS: &str = "the RTOS does not tell of its tasks: tokkyu-monitor-statistics writes what is wanted \
    (examples/dualos/src/control.rs)";

/// The mean of a processor's activations, after the time that they were meant for.
fn late_us(between: &Between) -> Option<f64> {
    let tasks = between.tasks.filter(|tasks| tasks.activations > 0)?;
    Some(tasks.late_us as f64 / tasks.activations as f64)
}

impl Shares {
    /// Of the first `processors`.
    pub fn between(before: &Look, now: &Look, processors: usize) -> Shares {
        let missing = [(!now.has_tasks(), NO_RTOS), (!now.has_counted(), NO_LINUX)];
        Shares {
            seconds: now.us_since(before).map(|us| us as f64 * 1e-6),
            processors: now.since(before).into_iter().take(processors).collect(),
            notes: missing.into_iter().filter_map(|(is_missing, note)| is_missing.then_some(note)).collect(),
        }
    }

    /// What is not known is "-".
    pub fn table(&self) -> String {
        let mut text = format!(
            "{:>9} {:>7} {:>7} {:>7} {:>7} {:>12} {:>10} {:>7} {:>9} {:>10} {:>8}\n",
            "processor",
            "rtos %",
            "user %",
            "system %",
            "idle %",
            "activations",
            "elsewhere",
            "missed",
            "late us",
            "latest us",
            "used up"
        );
        for (number, between) in (1..).zip(&self.processors) {
            let _ = writeln!(text, "{number:>9}{}", row(between));
        }
        for note in &self.notes {
            let _ = writeln!(text, "{note}");
        }
        text.push('\n');
        text
    }

    /// What is not known is null.
    pub fn to_json(&self) -> Value {
        let row = |(number, between): (usize, &Between)| {
            let (linux, tasks) = (between.linux, between.tasks);
            json!({ "processor": number, "rtos_percent": between.rtos,
                "user_percent": linux.map(|linux| linux.user), "system_percent": linux.map(|linux| linux.system),
                "idle_percent": linux.map(|linux| linux.idle), "activations": tasks.map(|tasks| tasks.activations),
                "elsewhere": tasks.map(|tasks| tasks.elsewhere), "missed": tasks.map(|tasks| tasks.missed),
                "late_us": late_us(between), "latest_us": tasks.map(|tasks| tasks.latest_us),
                "used_up": tasks.map(|tasks| tasks.used_up) })
        };
        let rows: Vec<Value> = (1..).zip(&self.processors).map(row).collect();
        json!({ "seconds": self.seconds, "processors": rows, "notes": self.notes })
    }
}

fn row(between: &Between) -> String {
    let dash = || "-".to_owned();
    let real = |value: Option<f64>| value.map_or_else(dash, |value| format!("{value:.1}"));
    let (linux, tasks) = (between.linux, between.tasks);
    let shares =
        [between.rtos, linux.map(|all| all.user), linux.map(|all| all.system), linux.map(|all| all.idle)];
    let count = |value: Option<u64>| value.map_or_else(dash, |value| value.to_string());
    let [rtos, user, system, idle] = shares.map(real);
    let [activations, elsewhere, missed] =
        [tasks.map(|all| all.activations), tasks.map(|all| all.elsewhere), tasks.map(|all| all.missed)]
            .map(count);
    let [latest, used_up] = [tasks.map(|all| all.latest_us), tasks.map(|all| all.used_up)].map(count);
    let late = real(late_us(between));
    format!(
        " {rtos:>7} {user:>7} {system:>8} {idle:>7} {activations:>12} {elsewhere:>10} {missed:>7} {late:>9} {latest:>10} {used_up:>8}"
    )
}

#[cfg(test)]
mod tests {
    use tokkyu_monitor_statistics::{Counted, Tasks};

    use super::*;

    /// Of two processors, of which Linux tells of the first alone.
    fn look(seconds: u64) -> Look {
        let mut memory = vec![0; 0x1_0000];
        let mut write =
            |at: u64, value: u64| memory[at as usize..at as usize + 8].copy_from_slice(&value.to_le_bytes());
        write(8, seconds * 100_000_000);
        let (late_us, at_us) = (seconds * 20_000, seconds * 1_000_000);
        let told = Tasks {
            activations: seconds * 1000,
            elsewhere: seconds * 3,
            latest_us: 77,
            late_us,
            at_us,
            ..Tasks::default()
        };
        told.write(0, &mut write);
        let ticks = |percent: u64| seconds * percent;
        let (user, system, idle, stolen) = (ticks(30), ticks(15), ticks(45), ticks(10));
        Counted { time_ns: seconds * 1_000_000_000, ticks_a_second: 100, user, system, idle, stolen }
            .write(0, seconds, &mut write);
        Look::read(&memory)
    }

    #[test]
    fn a_row_has_what_was_between_two_looks() {
        let shares = Shares::between(&look(1), &look(3), 2);
        let table = shares.table();
        let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows[1], ["1", "10.0", "30.0", "15.0", "45.0", "2000", "6", "0", "20.0", "77", "0"]);
        assert_eq!(rows[2], ["2", "0.0", "-", "-", "-", "-", "-", "-", "-", "-", "-"]);
        let widths: Vec<usize> = table.lines().take(3).map(str::len).collect();
        assert_eq!((widths[1], widths[2]), (widths[0], widths[0]), "{table}");
        let told = shares.to_json();
        assert_eq!(told["processors"][0]["activations"], 2000);
        assert!((told["processors"][0]["idle_percent"].as_f64().expect("a share") - 45.0).abs() < 1e-9);
        assert!(told["processors"][1]["user_percent"].is_null() && told["notes"] == json!([]));
    }

    #[test]
    fn what_is_not_told_has_a_remedy() {
        let none = Look::read(&[]);
        let table = Shares::between(&none, &none, 1).table();
        assert!(table.contains("companion count") && table.contains("tokkyu-monitor-statistics"), "{table}");
    }
}
