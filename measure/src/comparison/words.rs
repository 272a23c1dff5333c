//! What is said beside the tables of a comparison.

use crate::drive::DriveCase;
use crate::repetitions::counts;

use super::network::OnNetwork;

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
