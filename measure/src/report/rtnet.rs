//! The page of an experiment on the kernel's Ethernet path: goals, plots, the answer to the paper's question, all tables, the machine.
//!
//! Everything comes from the cases. Rules: SPEC.md MEA-107.

use std::path::Path;

use serde_json::{Map, Value};

use super::html::element;
use super::rtnet_plots::drawings;
use crate::result::{Nothing, ResultFile};
use crate::rtnet::{Answer, RtnetCase, answers, goals, paper, table};
use crate::study::{Experiment, Goal, Part, Place, Report, ReportError, Section};

/// The kernel's Ethernet path.
#[derive(Debug)]
pub struct Rtnet;

impl Experiment for Rtnet {
    type Case = RtnetCase;
    type More = Nothing;
    const NAME: &'static str = "rtnet";

    fn goals(file: &ResultFile<RtnetCase>) -> Vec<Goal> {
        goals(&file.cases)
    }

    fn report<'a>(file: &'a ResultFile<RtnetCase>, _: &'a Path) -> Report<'a> {
        let cases = &file.cases;
        let plots = Section::new("Plots").told_in(Place::Page).with_plot(|| plots_part(cases));
        let mut sections = vec![plots];
        for (title, table) in table::titled(cases) {
            let is_plan =
                |row: &usize| table.rows[*row].cells.first().is_some_and(|name| name.ends_with(", tuned"));
            let ours = (0..table.rows.len()).filter(is_plan).collect();
            sections.push(Section::new(title).with(Part::Table { table, ours, fold: None }));
        }
        if let Some(last) = sections.last_mut().filter(|_| !cases.is_empty()) {
            last.parts.push(Part::Remark(paper::SOURCE.to_owned()));
        }
        sections.extend(answers(cases).iter().flat_map(answer_sections));
        let remarks = cases.iter().flat_map(|case| case.notes.clone());
        sections.push(Section::new("Remarks").told_in(Place::Page).with_lines(remarks));
        let title = "The kernel's Ethernet path: jitter and round trips beside bulk traffic";
        Report { goals: goals(cases), sections, ..Report::of(title, file) }
    }

    fn derived(file: &ResultFile<RtnetCase>) -> Map<String, Value> {
        let of = |value: Result<Value, _>| value.unwrap_or_default();
        [
            ("answers".to_owned(), of(serde_json::to_value(answers(&file.cases)))),
            ("paper".to_owned(), of(serde_json::to_value(paper::ROWS))),
            ("paper_source".to_owned(), paper::SOURCE.into()),
        ]
        .into_iter()
        .collect()
    }
}

/// What answers the paper's question, and on the page the longest waits that the kernel traced.
fn answer_sections<'a>(answer: &Answer) -> Vec<Section<'a>> {
    let told = answer.to_string();
    let (title, rest) = told.split_once('\n').unwrap_or((&told, ""));
    let lines = rest.lines().map(|line| line.trim_start_matches("- ").to_owned());
    let longest = answer.traces.iter().map(|(config, traced)| {
        Section::new(format!("The longest wait for the driver, {config}"))
            .part()
            .told_in(Place::Page)
            .with_lines(traced.longest.iter().map(ToString::to_string))
    });
    std::iter::once(Section::new(title).with_lines(lines)).chain(longest).collect()
}

/// Two plots for each kernel, driver, layout and load.
fn plots_part(cases: &[RtnetCase]) -> Result<String, ReportError> {
    let key = |case: &RtnetCase| (table::title(case), case.load.clone());
    let mut keys: Vec<(String, String)> = Vec::new();
    for key in cases.iter().filter(|case| case.trace.is_none()).map(key) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut out = String::new();
    let mut said = String::new();
    for wanted in keys {
        let of: Vec<&RtnetCase> =
            cases.iter().filter(|case| key(case) == wanted && case.trace.is_none()).collect();
        if wanted.0 != said {
            out.push_str(&element("h3", &wanted.0));
            said.clone_from(&wanted.0);
        }
        out.push_str(&format!("<div class=\"pair held\">\n{}</div>\n", drawings(&wanted.1, &of)?));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::report::whole;
    use crate::rtnet::table::tests::case;

    #[test]
    fn the_page_is_well_formed_and_has_what_the_tables_have() {
        // MEA-60, MEA-107
        let cases = vec![case("untuned-other", "send"), case("tuned", "send")];
        let file = ResultFile::new("rtnet", "c <path>", Environment::default(), cases);
        let page = whole::page(&Rtnet::report(&file, Path::new(""))).unwrap();
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        assert!(roxmltree::Document::parse_with_options(&page, options).is_ok(), "{page}");
        for part in [
            "Goals",
            "4.264",
            "where the time goes",
            "met",
            "c &lt;path&gt;",
            "<svg role",
            "how long an answer takes",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
