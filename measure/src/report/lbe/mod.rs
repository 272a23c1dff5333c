//! The page of an experiment on background traffic: goals, the paper beside ours, a part for each of the paper's figures, all
//! tables, the machine.
//!
//! Everything comes from the cases; there are no raw records. Invariant: a value that is no number, or beyond what an axis
//! can hold, is not drawn; the tables show a dash or the value. Rules: SPEC.md MEA-60, MEA-61, MEA-64, MEA-89 to MEA-92.

mod by_scheme;
mod figures;
mod look;
mod middle;
mod over_size;
mod parts;

use std::path::Path;

use serde_json::{Map, Value};

use crate::lbe::{LbeCase, goals, paper, table};
use crate::result::{Nothing, ResultFile};
use crate::study::{Experiment, Goal, Part, Place, Report, Section};

/// Background traffic.
#[derive(Debug)]
pub struct Lbe;

impl Experiment for Lbe {
    type Case = LbeCase;
    type More = Nothing;
    const NAME: &'static str = "lbe";

    fn goals(file: &ResultFile<LbeCase>) -> Vec<Goal> {
        goals(&file.cases)
    }

    fn report<'a>(file: &'a ResultFile<LbeCase>, _: &'a Path) -> Report<'a> {
        let cases = &file.cases;
        let mut sections: Vec<Section> = beside_paper(cases).collect();
        sections.push(Section::new("Schemes").told_in(Place::Page).with_plot(|| Ok(schemes(cases))));
        sections.extend(parts::all(cases));
        let tables = table::titled(cases).into_iter();
        sections.extend(tables.map(|(title, table)| Section::new(title).with_table(table)));
        sections.push(Section::new("Remarks").told_in(Place::Page).with_lines(notes(cases)));
        let title = "Uploads in the background: what a foreground feels";
        Report { goals: goals(cases), sections, ..Report::of(title, file) }
    }

    fn derived(file: &ResultFile<LbeCase>) -> Map<String, Value> {
        let beside = serde_json::to_value(paper::beside_ours(&file.cases)).unwrap_or_default();
        [("paper".to_owned(), beside), ("paper_source".to_owned(), paper::SOURCE.into())]
            .into_iter()
            .collect()
    }
}

fn beside_paper(cases: &[LbeCase]) -> impl Iterator<Item = Section<'_>> {
    let section =
        |(title, table)| Section::new(title).with_table(table).with(Part::Remark(paper::SOURCE.to_owned()));
    table::beside_paper(cases).into_iter().map(section)
}

fn schemes(cases: &[LbeCase]) -> String {
    let items: String = look::schemes(cases).into_iter().map(look::item_with_words).collect();
    if items.is_empty() { items } else { format!("<ul class=\"legend\">\n{items}</ul>\n") }
}

/// What is to be known of some cases, each said once.
fn notes(cases: &[LbeCase]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for case in cases {
        for note in &case.notes {
            let note = format!("{}, {}: {note}", table::what(case), case.background);
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}
