//! What is told of an RTOS and Linux on the same processors: goals, tables, what the figures are and are not.

use std::path::Path;

use super::dualos_plots::drawing;
use crate::dualos::{DualosCase, capacities, faults, goals, spins, starts, topics};
use crate::result::{Nothing, ResultFile};
use crate::study::{Experiment, Goal, Place, Report, Section};

/// An RTOS and Linux on the same processors.
#[derive(Debug)]
pub struct Dualos;

/// What a reader has to know.
const SPIN_WORDS: [&str; 5] = [
    "A wait is from when a processor begins to wait for a spin lock to when it has it, as the kernel's own tracepoints say, while \
     hackbench runs; a long one takes 128 us or more. The RTOS's task has the second processor as its home, 200 us of each 500.",
    "Processors are emulated side by side, in this machine's time: counts are to be compared, within a run, and say nothing of \
     microseconds. A round is refused where others used this machine.",
    "none: the RTOS has no task; timer: it has one with nothing to do, so that its waits are the emulator's, and no policy has fewer.",
    "For a mutex a task spins while its owner has a processor, or had when the RTOS took that: a look at spin locks does not see it. What is \
     spun for reader-writer semaphores the kernel does not tell.",
    "held: Linux held something at home when the task was due; nowhere free: everywhere. What is begun elsewhere gets there some time \
     after the look, of which an emulator makes much.",
];
const START_WORDS: [&str; 2] = [
    "Counted by QEMU's instruction counting, from when the timer's interrupt was due to the task's first function, tasks that were \
     begun at home alone: what goes to another processor waits for the emulator to give that one its turn.",
    "The worst has what Linux was doing when the interrupt was due: a call of the monitor's, which it cannot interrupt.",
];

const CAPACITY_WORDS: [&str; 2] = [
    "Four tasks that compute, or hackbench, on two processors, of which the RTOS takes a share of the second, a piece each millisecond; \
     a changing load comes and goes twice a second. The ideal: the time without a load, by what the RTOS left of both processors.",
    "A kernel of Debian's source built with CONFIG_PARAVIRT_TIME_ACCOUNTING; without accounting: the same with no-steal-acc. Processors \
     are emulated side by side, in this machine's time.",
];

const TOPIC_WORDS: [&str; 2] = [
    "Counted by QEMU's instruction counting, from when the RTOS publishes to when it looks at what came back, with both bells and the wake \
     of a program of Linux's; Linux has one processor. in-place: both sides look at messages where they were written; copied: the program \
     takes them into its own memory.",
    "The first message of a round, which meets memory that Linux has not mapped yet, is not counted.",
];
const FAULT_WORDS: [&str; 2] = [
    "A task each 100 us on the only processor that Linux has, by QEMU's instruction counting: instructions from when it was due to its \
     first function, and how often the one before was not done by then.",
    "calls: as many calls of the monitor as Linux can make, each of which rings the RTOS's bell; reboot and panic: until the next Linux \
     has begun its first program.",
];

impl Experiment for Dualos {
    type Case = DualosCase;
    type More = Nothing;
    const NAME: &'static str = "dualos";

    fn goals(file: &ResultFile<DualosCase>) -> Vec<Goal> {
        goals(&file.cases)
    }

    fn report<'a>(file: &'a ResultFile<DualosCase>, _: &'a Path) -> Report<'a> {
        let cases = &file.cases;
        let has = |study: &str| cases.iter().any(|case| case.study == study);
        let mut sections = Vec::new();
        if has("spin") {
            let plots =
                Section::new("Waits for spin locks").told_in(Place::Page).with_plot(|| drawing(cases));
            let words = SPIN_WORDS.map(str::to_owned);
            sections.push(plots);
            sections.push(
                Section::new("Waits for spin locks, by policy").with_table(spins(cases)).with_lines(words),
            );
        }
        if has("start") {
            let words = START_WORDS.map(str::to_owned);
            sections.push(Section::new("From due to begun").with_table(starts(cases)).with_lines(words));
        }
        if has("capacity") {
            let words = CAPACITY_WORDS.map(str::to_owned);
            sections.push(Section::new("Work beside a load").with_table(capacities(cases)).with_lines(words));
        }
        if has("topic") {
            let words = TOPIC_WORDS.map(str::to_owned);
            sections.push(Section::new("There and back").with_table(topics(cases)).with_lines(words));
        }
        if has("fault") {
            let words = FAULT_WORDS.map(str::to_owned);
            sections
                .push(Section::new("While Linux does its worst").with_table(faults(cases)).with_lines(words));
        }
        let title = "An RTOS and Linux on the same processors";
        Report { goals: goals(cases), sections, ..Report::of(title, file) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::environment::Environment;
    use crate::report::whole;

    fn cases() -> Vec<DualosCase> {
        let common = json!({"cpus": 2, "kernel": "7.3 <rt>", "round": 1, "n": 2000, "activations": 2000, "moved": 300, "held": 500,
            "unknown": 0, "nowhere": 100, "missed": 3});
        let more = [
            json!({"study": "spin", "policy": "least-locked", "seconds": 2.0, "waits": 6, "long_waits": 5,
                "waits_by_power": [[8, 5], [3, 1]]}),
            json!({"study": "start", "policy": "static", "instructions_mean": 796.0, "instructions_worst": 829, "starts": 2000}),
            json!({"study": "topic", "policy": "in-place-262144", "instructions_mean": 6862.0, "instructions_worst": 6871, "ways": 200}),
            json!({"study": "fault", "policy": "panic", "instructions_mean": 70.0, "instructions_worst": 311, "ways": 2000}),
            json!({"study": "capacity", "policy": "tasks-constant-80", "seconds": 2.1, "ideal_seconds": 2.0, "accounting": true}),
        ];
        let case = |more: serde_json::Value| {
            let fields =
                [common.clone(), more].into_iter().filter_map(|of| of.as_object().cloned()).flatten();
            serde_json::from_value(serde_json::Value::Object(fields.collect())).unwrap()
        };
        more.map(case).into()
    }

    #[test]
    fn the_page_is_well_formed_and_has_what_the_tables_have() {
        // MEA-60, MEA-143
        let file = ResultFile::new("dualos", "c <path>", Environment::default(), cases());
        let page = whole::page(&Dualos::report(&file, Path::new(""))).unwrap();
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        assert!(roxmltree::Document::parse_with_options(&page, options).is_ok(), "{page}");
        let (least_locked, start, capacity) = ("<td>2.50</td>", "<td>829</td>", "<td>1.050</td>");
        for part in [
            least_locked,
            start,
            capacity,
            "<td>6871</td>",
            "<td>311</td>",
            "<svg role",
            "c &lt;path&gt;",
            "Goals",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
