//! `tokkyu node memory`: the slots with which a loan never fails, and what they take.

use std::fmt::Write;

use clap::Args;
use serde_json::{Value, json};
use tokkyu_contract::Bytes;
use tokkyu_drive::program::ExitCode;
use tokkyu_node::memory::{self, Row};

use crate::command::declaration::Declaration;
use crate::exit::Done;
use crate::output::Json;

/// What each declared topic takes in memory, and why a loan of it never fails.
///
/// A publisher's slots are its loans, and for each subscription its queue, what it holds, and one under way where the queue is
/// deeper than 1; one more each where the last message is kept (node/SPEC.md, NODE-11). Nodes that are given the same robot.yaml make them so.
/// While other processes subscribe a topic has slots in shared memory as well (NODE-73): memory is taken for those that are used.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tokkyu node memory --robot robot.yaml\n  tokkyu node memory --robot robot.yaml --links 8 --json"
)]
pub struct Memory {
    #[command(flatten)]
    declaration: Declaration,
    /// Subscriptions of each topic at once
    #[arg(long, value_name = "N", default_value_t = memory::LINKS, value_parser = clap::value_parser!(u32).range(1..=256))]
    links: u32,
    #[command(flatten)]
    json: Json,
}

impl Memory {
    pub fn run(&self) -> Done {
        let robot = self.declaration.load()?;
        let rows = memory::plan(&robot, self.links);
        self.json.show(&table(&rows), &to_json(&rows))?;
        Ok(ExitCode::Ok)
    }
}

fn to_json(rows: &[Row]) -> Value {
    let topics: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "topic": row.topic, "class": row.class.as_str(), "size_bytes": row.size, "loans": row.limits.loans,
                "links": row.limits.links, "depth": row.limits.depth, "held": row.limits.held, "latched": row.limits.latch,
                "slots": row.limits.slots, "messages_bytes": row.messages, "counts_bytes": row.counts,
                "shared_slots": row.shared, "shared_messages_bytes": row.shared_messages,
            })
        })
        .collect();
    json!({
        "topics": topics, "messages_bytes": messages(rows), "counts_bytes": counts(rows), "shared_messages_bytes": shared(rows),
    })
}

fn messages(rows: &[Row]) -> u64 {
    rows.iter().filter_map(|row| row.messages).sum()
}

fn shared(rows: &[Row]) -> u64 {
    rows.iter().filter_map(|row| row.shared_messages).sum()
}

fn counts(rows: &[Row]) -> u64 {
    rows.iter().map(|row| row.counts).sum()
}

fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.topic.len()).max().unwrap_or(0).max("topic".len());
    let mut out = format!(
        "{:width$}  {:>11}  {:>9}  slots  messages   counts  shared   because\n",
        "topic", "class", "size"
    );
    for row in rows {
        let size = row.size.map_or("not said".to_owned(), |size| Bytes(size).to_string());
        let all = row.messages.map_or("grows".to_owned(), |all| Bytes(all).to_string());
        let (class, slots) = (row.class.as_str(), row.limits.slots);
        let counts = Bytes(row.counts).to_string();
        let _ = writeln!(
            out,
            "{:width$}  {class:>11}  {size:>9}  {slots:>5}  {all:>8}  {counts:>7}  {:>6}   {}",
            row.topic,
            row.shared,
            because(row)
        );
    }
    let (messages, counts, shared) = (Bytes(messages(rows)), Bytes(counts(rows)), Bytes(shared(rows)));
    let _ = writeln!(
        out,
        "\nin all {messages} for messages of declared size, {counts} for counts, links and cells; while other processes subscribe at most {shared} \
         more in shared memory, as it is used"
    );
    out
}

/// The sum that the slots are.
fn because(row: &Row) -> String {
    let limits = &row.limits;
    let under_way = u32::from(limits.depth > 1);
    let latched = u32::from(limits.latch);
    let kept = if limits.latch { " + 1 kept" } else { "" };
    let parts =
        [(limits.depth, "queued"), (limits.held, "held"), (under_way, "under way"), (latched, "kept")];
    let each: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    format!("{} lent{kept} + {} x ({})", limits.loans, limits.links, each.join(" + "))
}
