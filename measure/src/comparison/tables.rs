//! All tables of a result of the drive: the comparison where there is somebody else in it, else a table for each case.

use crate::drive::{self, DriveCase, medians};
use crate::result::ResultFile;

use super::network::Comparison;
use super::words;

/// What is printed of a result: a comparison, or a table for each case.
pub fn drive_tables(file: &ResultFile<DriveCase>, compared: bool, markdown: bool) -> String {
    match (compared, markdown) {
        (false, _) => tables(&file.cases, markdown),
        (true, true) => words::markdown(&Comparison::of(file)),
        (true, false) => words::text(&Comparison::of(file)),
    }
}

/// All tables of an experiment.
fn tables(cases: &[DriveCase], markdown: bool) -> String {
    let medians = medians(cases);
    if markdown {
        let medians = medians.map(|table| format!("\n### Medians over the runs\n\n{}", table.to_markdown()));
        drive::markdown(cases) + &medians.unwrap_or_default()
    } else {
        let medians = medians.map(|table| format!("\nmedians over the runs\n{}", table.to_text()));
        drive::text(cases) + &medians.unwrap_or_default()
    }
}
