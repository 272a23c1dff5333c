//! The page of a comparison: goals, one table and one plot for each network, what the peers said of themselves, who was
//! skipped, the machine, and the files all of it comes from.
//!
//! Cases have no part of their own here: there may be hundreds. Their raw records are named, and the page of one alone is
//! made from them (`tokkyu report`). Rules: SPEC.md MEA-60, MEA-61, MEA-67 to MEA-69.

use super::contest_curves::{curves, legend_line, stroke_of};
use super::distribution::Curve;
use super::error::ReportError;
use super::html::{self, classed, element, figure};
use super::page::{curve_words, environment_part, heading, whole};
use super::stroke::Stroke;
use crate::comparison::{Comparison, Contender, HOW_TO_READ, Judgement, OnNetwork, left_out};
use crate::contest::PeerSettings;
use crate::drive::case_title;
use crate::drive::{CAMERA_PREFIX, DriveCase};
use crate::figures::Figures;
use crate::join::tally;
use crate::record::Record;
use crate::repetitions::counts;
use crate::result::ResultFile;

pub(super) fn render(
    title: &str,
    file: &ResultFile<DriveCase>,
    records: &[Vec<Record>],
) -> Result<String, ReportError> {
    let comparison = Comparison::of(file);
    let mut body = heading(title, &file.command, &file.environment, file.cases.len());
    body.push_str(&goals_part(&comparison));
    for part in &comparison.networks {
        body.push_str(&network_part(part, file, records)?);
    }
    body.push_str(&element("h2", "How to read this"));
    HOW_TO_READ.iter().for_each(|words| body.push_str(&element("p", words)));
    body.push_str(&peers_part(file));
    body.push_str(&environment_part(&file.command, &file.environment));
    body.push_str(&cases_part(file));
    Ok(whole(title, &body))
}

fn goals_part(comparison: &Comparison<'_>) -> String {
    let mut out = element("h2", "Goals");
    out.push_str("<ul class=\"legend\">\n");
    for goal in comparison.goals() {
        let class = match goal.judgement {
            Judgement::Met => "pass",
            Judgement::Missed => "fail",
            Judgement::NotJudged => "open",
        };
        out.push_str(&html::judgement(class, goal.judgement.as_str(), &goal.what, &goal.because));
    }
    out + "</ul>\n"
}

fn network_part(
    part: &OnNetwork<'_>,
    file: &ResultFile<DriveCase>,
    records: &[Vec<Record>],
) -> Result<String, ReportError> {
    let mut out = element("h2", &part.title());
    let ours = |number: usize| part.contenders.get(number).is_some_and(Contender::is_ours);
    out.push_str(&format!("<div class=\"dense\">{}</div>\n", html::table_with_ours(&part.table(), ours)));
    out.push_str(&html::list(left_out(part)));
    let drawn: Vec<(&Contender, Curve)> = (part.contenders.iter())
        .filter_map(|contender| Some((contender, curve_of(contender, file, records)?)))
        .collect();
    if drawn.is_empty() {
        return Ok(out + &classed("p", "soft", "No raw records, so no plot."));
    }
    out.push_str(&plot_of(part, drawn)?);
    Ok(out)
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
fn curve_of(
    contender: &Contender<'_>,
    file: &ResultFile<DriveCase>,
    records: &[Vec<Record>],
) -> Option<Curve> {
    let mut curve = Curve { figures: Figures::new(), offered: 0 };
    let with_records = file.cases.iter().zip(records);
    let good = |case: &DriveCase| counts(case) && contender.runs.iter().any(|run| std::ptr::eq(*run, case));
    for (_, records) in with_records.filter(|(case, _)| good(case)) {
        for camera in tally(records).iter().filter(|stream| stream.name.starts_with(CAMERA_PREFIX)) {
            curve.figures.merge(&camera.measured.figures);
            curve.offered += camera.measured.ledger.offered;
        }
    }
    (curve.offered > 0).then_some(curve)
}

/// What each peer was and how it was set, once for all its cases, and who is not there.
fn peers_part(file: &ResultFile<DriveCase>) -> String {
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
    let mut out = element("h2", "Peers");
    if !rows.is_empty() {
        out.push_str(&format!(
            "<details><summary>Versions and settings</summary>\n{}</details>\n",
            html::word_table(&rows)
        ));
    }
    out + &html::list(file.skipped.iter().map(|skipped| format!("skipped: {skipped}")))
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
fn cases_part(file: &ResultFile<DriveCase>) -> String {
    let rows = file.cases.iter().map(|case| {
        let records =
            case.records.as_ref().map_or("no records".to_owned(), |path| path.display().to_string());
        let words: Vec<&str> =
            std::iter::once(records.as_str()).chain(case.notes.iter().map(String::as_str)).collect();
        (case_title(case), words.join("; "))
    });
    let rows: Vec<(String, String)> = rows.collect();
    let words = "result.json beside this page has every figure; below are the raw records and the notes of each case.";
    let table =
        format!("<details><summary>Records and notes</summary>\n{}</details>\n", html::word_table(&rows));
    element("h2", "Cases") + &element("p", words) + &table
}
