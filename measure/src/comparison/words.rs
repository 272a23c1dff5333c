//! A comparison as text for a terminal and as Markdown for the documentation.

use std::fmt::Write as _;

use crate::drive::DriveCase;
use crate::repetitions::counts;
use crate::table::escaped;

use super::network::{Comparison, OnNetwork};

/// How to read the tables, in the order of what is asked first.
pub(crate) const HOW_TO_READ: [&str; 4] = [
    "Every figure is over the images of all cameras taken together, warm-up left out; with several runs it is the median of \
     the runs, worst and best are of all runs, and missed is their sum. Latency is counted from the capture tick.",
    "First who delivered every image, by their mean; then the others, by the share they missed. Latencies are those of \
     delivered images alone, but for p99, in which an image that did not come is infinitely late; shares are of the images offered.",
    "wire/payload: bytes of whole Ethernet frames both ways for each byte of images offered. CPU ms/MB: processor time of both \
     ends for each megabyte of images delivered. load: load average over one minute at the case's end.",
    "Everybody carries the images alone. tokkyu encrypts, the others do not; they are set as the report lists it.",
];

/// Why a run counts nowhere, as the run says it: one line for each such run.
pub(crate) fn left_out(part: &OnNetwork<'_>) -> Vec<String> {
    let runs =
        part.contenders.iter().flat_map(|contender| contender.runs.iter().map(move |run| (contender, run)));
    let told = runs
        .filter(|(_, run)| !counts(run))
        .map(|(contender, run)| format!("left out: {}, run {}: {}", contender.title(), run.run, reason(run)));
    told.collect()
}

fn reason(case: &DriveCase) -> &str {
    let is_reason = |note: &&String| note.starts_with("INVALID: ") || note.starts_with("interrupted");
    let note = case.notes.iter().find(is_reason).map_or("it says not why", String::as_str);
    note.trim_start_matches("INVALID: ")
}

/// For a terminal.
pub fn text(comparison: &Comparison<'_>) -> String {
    let mut out = String::new();
    for part in &comparison.networks {
        let _ = write!(out, "{}\n{}", part.title(), part.table().to_text());
        left_out(part).iter().for_each(|line| out += &format!("{line}\n"));
        out.push('\n');
    }
    out.push_str("goals\n");
    comparison.goals().iter().for_each(|goal| out += &format!("{goal}\n"));
    for skipped in &comparison.file.skipped {
        let _ = writeln!(out, "skipped: {skipped}");
    }
    out
}

/// For the documentation: names where its figures come from.
pub fn markdown(comparison: &Comparison<'_>) -> String {
    let mut out = format!("# Remote driving: tokkyu beside others\n\n{}\n", provenance(comparison));
    for words in HOW_TO_READ {
        let _ = write!(out, "\n{words}\n");
    }
    for part in &comparison.networks {
        let _ = write!(out, "\n## {}\n\n{}", escaped(&part.title()), part.table().to_markdown());
        let lines: String = left_out(part).iter().map(|line| format!("- {}\n", escaped(line))).collect();
        if !lines.is_empty() {
            let _ = write!(out, "\n{lines}");
        }
    }
    out.push_str("\n## Goals\n\n");
    comparison.goals().iter().for_each(|goal| out += &format!("- {}\n", escaped(&goal.to_string())));
    if !comparison.file.skipped.is_empty() {
        out.push_str("\n## Skipped\n\n");
        let lines = comparison.file.skipped.iter().map(|skipped| escaped(&skipped.to_string()));
        lines.for_each(|line| out += &format!("- {line}\n"));
    }
    out
}

fn provenance(comparison: &Comparison<'_>) -> String {
    let environment = &comparison.file.environment;
    let known = |word: &Option<String>| word.clone().unwrap_or_else(|| "unknown".to_owned());
    let processor = environment.cpu.count.map_or(String::new(), |count| format!(" × {count}"));
    format!(
        "Made from `result.json` of this folder by\n\n    {}\n\n{}, revision {}{}, kernel {}, {}{processor}.\n",
        comparison.file.command,
        known(&environment.date),
        known(&environment.git_revision),
        if environment.git_dirty == Some(true) { " with changes" } else { "" },
        escaped(&known(&environment.kernel.release)),
        escaped(&known(&environment.cpu.model)),
    )
}
