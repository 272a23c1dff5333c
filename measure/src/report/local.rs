//! What is told of the local experiment: a table and a plot for each size, and of publishing beside a slow subscriber.

use std::path::Path;

use super::html::figure;
use super::local_plot::drawing;
use crate::local::{LocalCase, LocalMore, goals, overload_table, ratio_table, table_of, titles};
use crate::result::ResultFile;
use crate::study::{Experiment, Goal, Part, Place, Report, Section};
use crate::table::Table;

/// Messages between nodes of one device.
#[derive(Debug)]
pub struct Local;

impl Experiment for Local {
    type Case = LocalCase;
    type More = LocalMore;
    const NAME: &'static str = "local";

    fn goals(file: &ResultFile<LocalCase, LocalMore>) -> Vec<Goal> {
        goals(&file.cases, &file.more.overload)
    }

    fn report<'a>(file: &'a ResultFile<LocalCase, LocalMore>, _: &'a Path) -> Report<'a> {
        let sizes = titles(&file.cases).into_iter();
        let mut sections: Vec<Section> =
            sizes.map(|(bytes, title)| of_size(&file.cases, bytes, title)).collect();
        let overload = overload_table(&file.more.overload);
        let title = "publisher at 10 times the subscriber's rate, µs";
        sections.extend(overload.map(|table| Section::new(title).with_table(table)));
        sections.push(Section::new("Where the two ends run").with(Part::Remark(WHERE.to_owned())));
        for ours in OURS {
            let title = format!("p50 of {ours} to others, round by round");
            sections
                .extend(ratio_table(&file.cases, ours).map(|table| Section::new(title).with_table(table)));
        }
        sections.push(rounds(file));
        let title = "Messages between nodes of one device: tokkyu beside others";
        Report { goals: Self::goals(file), sections, ..Report::of(title, file) }
    }
}

/// LOCAL-26: it favours nobody's library, and it is not the same for all.
const WHERE: &str = "With two processors or more the thread that publishes has the first one to itself, and all other threads have the rest. \
    Where a library sends in a thread of its own (roscpp over TCPROS), that thread shares a processor with the receiver; where publishing sends \
    (tokkyu, iceoryx) it does not.";

/// Of these it is told how they compare with everybody else.
const OURS: [&str; 2] = ["tokkyu-thread", "tokkyu-process"];

fn of_size(cases: &[LocalCase], bytes: u64, title: String) -> Section<'_> {
    let table = table_of(cases, bytes);
    let ours = ours(&table);
    let name = title.clone();
    Section::new(title).with(Part::Table { table, ours, fold: None }).with_plot(move || {
        let here: Vec<&LocalCase> = cases.iter().filter(|case| case.bytes == bytes).collect();
        let caption =
            "Dot: median of the rounds' medians; line: least to most of them; ring: p99 of all samples.";
        Ok(drawing(&name, &here)?.map_or(String::new(), |drawing| figure(&drawing, caption)))
    })
}

fn ours(table: &Table) -> Vec<usize> {
    let is_ours =
        |row: &usize| table.rows[*row].cells.first().is_some_and(|name| name.starts_with("tokkyu-"));
    (0..table.rows.len()).filter(is_ours).collect()
}

/// In which order everybody ran, and how busy the machine was.
fn rounds(file: &ResultFile<LocalCase, LocalMore>) -> Section<'_> {
    let row = |round: &crate::local::RoundTold| {
        let load = round.load_average.map_or(String::new(), |load| format!(", load average {load:.2}"));
        (format!("round {}{load}", round.round + 1), round.order.join(" "))
    };
    let rows: Vec<(String, String)> = file.more.rounds.iter().map(row).collect();
    let section = Section::new("Rounds").told_in(Place::Page);
    if rows.is_empty() {
        section
    } else {
        section.with(Part::Words { fold: "In their order".to_owned(), rows })
    }
}
