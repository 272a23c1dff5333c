//! The page of a comparison: goals, one table and one plot for each network, what the peers said of themselves, who was
//! skipped, the machine, and the files all of it comes from.
//!
//! Cases have no part of their own here: there may be hundreds. Their raw records are named, and the page of one alone is
//! made from them (`tokkyu report`). Rules: SPEC.md MEA-60, MEA-61, MEA-67 to MEA-69.

use std::rc::Rc;

use super::contest_curves::{curves, legend_line, stroke_of};
use super::distribution::{Curve, curve_words};
use super::html::{classed, figure};
use super::raw::Raw;
use super::stroke::Stroke;
use crate::comparison::{Comparison, Contender, HOW_TO_READ, OnNetwork, left_out};
use crate::contest::PeerSettings;
use crate::drive::case_title;
use crate::drive::{CAMERA_PREFIX, DriveCase};
use crate::figures::Figures;
use crate::join::tally;
use crate::repetitions::counts;
use crate::result::ResultFile;
use crate::study::{Goal, Part, Place, Report, ReportError, Section};

pub(super) fn goals(file: &ResultFile<DriveCase>) -> Vec<Goal> {
    Comparison::of(file).goals()
}

pub(super) fn report<'a>(file: &'a ResultFile<DriveCase>, raw: Rc<Raw<'a>>) -> Report<'a> {
    let comparison = Comparison::of(file);
    let goals = comparison.goals();
    let how = Section::new("")
        .told_in(Place::Documents)
        .with_all(HOW_TO_READ.map(|words| Part::Text(words.to_owned())));
    let mut sections = vec![how];
    sections.extend(comparison.networks.into_iter().map(|part| network_section(part, file, Rc::clone(&raw))));
    sections.push(Section::new("Peers").told_in(Place::Page).with_all(peers_part(file)));
    sections.push(cases_section(file));
    Report { goals, sections, ..Report::of("Remote driving: tokkyu beside others", file) }
}

fn network_section<'a>(
    part: OnNetwork<'a>,
    file: &'a ResultFile<DriveCase>,
    raw: Rc<Raw<'a>>,
) -> Section<'a> {
    let ours = (0..part.contenders.len()).filter(|row| part.contenders[*row].is_ours()).collect();
    Section::new(part.title())
        .with(Part::Table { table: part.table(), ours, fold: None })
        .with_lines(left_out(&part))
        .with_plot(move || plots_of(&part, file, &raw))
}

fn plots_of(
    part: &OnNetwork<'_>,
    file: &ResultFile<DriveCase>,
    raw: &Raw<'_>,
) -> Result<String, ReportError> {
    let drawn: Vec<(&Contender, Curve)> = (part.contenders.iter())
        .filter_map(|contender| Some((contender, curve_of(contender, file, raw)?)))
        .collect();
    match drawn.is_empty() {
        true => Ok(classed("p", "soft", "No raw records, so no plot.")),
        false => plot_of(part, drawn),
    }
}

fn plot_of(part: &OnNetwork<'_>, drawn: Vec<(&Contender<'_>, Curve)>) -> Result<String, ReportError> {
    let line = |(contender, curve): &(&Contender, Curve)| {
        legend_line(contender, &curve_words(&curve.figures, curve.offered))
    };
    let legend: String = drawn.iter().map(line).collect();
    let drawn: Vec<(Stroke, Curve)> =
        drawn.into_iter().map(|(contender, curve)| (stroke_of(contender), curve)).collect();
    let drawing = curves(&format!("{}: cumulative age of the images of each peer", part.title()), &drawn)?;
    let caption = "Share of the images offered that had arrived at an age: all cameras and all runs that count, warm-up left \
        out. A curve that stays below 100 % has lost the rest. Thick: tokkyu. Dashed: a library as it comes.";
    Ok(figure(&drawing, caption) + &format!("<ul class=\"legend\">\n{legend}</ul>\n"))
}

/// All images of all runs that count; `None` if there are no records of any.
fn curve_of(contender: &Contender<'_>, file: &ResultFile<DriveCase>, raw: &Raw<'_>) -> Option<Curve> {
    let mut curve = Curve { figures: Figures::new(), offered: 0 };
    let good = |case: &DriveCase| counts(case) && contender.runs.iter().any(|run| std::ptr::eq(*run, case));
    for (number, _) in file.cases.iter().enumerate().filter(|(_, case)| good(case)) {
        for camera in tally(raw.of(number)).iter().filter(|stream| stream.name.starts_with(CAMERA_PREFIX)) {
            curve.figures.merge(&camera.measured.figures);
            curve.offered += camera.measured.ledger.offered;
        }
    }
    (curve.offered > 0).then_some(curve)
}

/// What each peer was and how it was set, once for all its cases.
fn peers_part(file: &ResultFile<DriveCase>) -> Option<Part<'_>> {
    let mut rows: Vec<(String, String)> = Vec::new();
    for case in &file.cases {
        for end in &case.peer_settings {
            let row = (
                format!("{} {}, {}, {}", case.peer, case.variant, case.network, end.end),
                settings_words(end),
            );
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    (!rows.is_empty()).then(|| Part::Words { fold: "Versions and settings".to_owned(), rows })
}

fn settings_words(end: &PeerSettings) -> String {
    let word = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
    let granted = |name: &str, granted: Option<bool>| match granted {
        Some(true) => format!("{name} granted"),
        Some(false) => format!("{name} refused"),
        None => format!("{name} not told"),
    };
    format!(
        "version {}; {}; {}; {}",
        word(&end.version),
        word(&end.settings),
        granted("SCHED_FIFO", end.sched_fifo),
        granted("mlockall", end.mlockall)
    )
}

/// Every case with what is to be known of it and where its raw records are.
fn cases_section(file: &ResultFile<DriveCase>) -> Section<'_> {
    let row = |case: &DriveCase| {
        let records =
            case.records.as_ref().map_or("no records".to_owned(), |path| path.display().to_string());
        let words: Vec<&str> =
            std::iter::once(records.as_str()).chain(case.notes.iter().map(String::as_str)).collect();
        (case_title(case), words.join("; "))
    };
    let rows = file.cases.iter().map(row).collect();
    let words = "result.json beside this page has every figure; below are the raw records and the notes of each case.";
    Section::new("Cases")
        .told_in(Place::Page)
        .with(Part::Text(words.to_owned()))
        .with(Part::Words { fold: "Records and notes".to_owned(), rows })
}
