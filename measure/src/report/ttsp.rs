//! What is told of the conformance suite: goals, counts, what failed, what is excluded and why.

use std::path::Path;

use crate::result::{Nothing, ResultFile};
use crate::study::{Experiment, Goal, Part, Report, Section};
use crate::ttsp::{TtspCase, excluded, failures, goals, table_of};

/// Scenarios of the TOPPERS Test Suite Package.
#[derive(Debug)]
pub struct Ttsp;

impl Experiment for Ttsp {
    type Case = TtspCase;
    type More = Nothing;
    const NAME: &'static str = "ttsp";

    fn goals(file: &ResultFile<TtspCase>) -> Vec<Goal> {
        goals(&file.cases)
    }

    fn report<'a>(file: &'a ResultFile<TtspCase>, _: &'a Path) -> Report<'a> {
        let sections = vec![
            Section::new("Scenarios").with_table(table_of(&file.cases)),
            Section::new("Failed").with_all(lines(failures(&file.cases))),
            Section::new("Excluded").with_all(lines(excluded(&file.cases))),
        ];
        Report {
            goals: goals(&file.cases),
            sections,
            ..Report::of("The kernel and the field's test suite", file)
        }
    }
}

fn lines(lines: Vec<String>) -> Option<Part<'static>> {
    Some(if lines.is_empty() { Part::Text("None.".to_owned()) } else { Part::Lines(lines) })
}
