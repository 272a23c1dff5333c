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

use super::html::{self, element};
use super::page::{environment_part, goals_section, heading, whole};
use crate::lbe::{LbeCase, goals, paper, table};
use crate::report::error::ReportError;
use crate::result::ResultFile;

pub(super) fn render(title: &str, file: &ResultFile<LbeCase>) -> Result<String, ReportError> {
    let cases = &file.cases;
    let mut body = heading(title, &file.command, &file.environment, cases.len());
    body.push_str(&goals_part(cases));
    body.push_str(&paper_part(cases));
    body.push_str(&schemes_part(cases));
    body.push_str(&parts::all(cases)?);
    body.push_str(&tables_part(cases));
    body.push_str(&environment_part(&file.command, &file.environment));
    Ok(whole(title, &body))
}

fn goals_part(cases: &[LbeCase]) -> String {
    let item = |goal: &crate::lbe::Goal| {
        let class = match goal.met {
            Some(true) => "pass",
            Some(false) => "fail",
            None => "open",
        };
        html::judgement(class, goal.verdict(), &goal.wanted, &goal.because())
    };
    goals_section(&goals(cases).iter().map(item).collect::<String>())
}

fn paper_part(cases: &[LbeCase]) -> String {
    let mut out = String::new();
    for (title, table) in table::beside_paper(cases) {
        out.push_str(&element("h2", &title));
        out.push_str(&format!("<div class=\"dense beside\">{}</div>\n", html::table(&table)));
        out.push_str(&html::classed("p", "soft", paper::SOURCE));
    }
    out
}

fn schemes_part(cases: &[LbeCase]) -> String {
    let items: String = look::schemes(cases).into_iter().map(look::item_with_words).collect();
    match items.is_empty() {
        true => items,
        false => element("h2", "Schemes") + &format!("<ul class=\"legend\">\n{items}</ul>\n"),
    }
}

fn tables_part(cases: &[LbeCase]) -> String {
    let tables = table::titled(cases);
    if tables.is_empty() {
        return String::new();
    }
    let mut out = element("h2", "All figures");
    for (title, table) in tables {
        let table = html::table(&table);
        let summary = html::escape(&title);
        out.push_str(&format!(
            "<details open=\"open\"><summary>{summary}</summary>\n<div class=\"dense\">{table}</div></details>\n"
        ));
    }
    out + &notes(cases)
}

/// What is to be known of some cases, each said once.
fn notes(cases: &[LbeCase]) -> String {
    let mut notes: Vec<String> = Vec::new();
    for case in cases {
        for note in &case.notes {
            let note = format!("{}, {}: {note}", table::what(case), case.background);
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    html::list(notes)
}
