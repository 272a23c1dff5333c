//! What is told of a drive: an overview, one section for each case with its plots, curves of each network, medians over runs.
//!
//! Rules: SPEC.md MEA-50 to MEA-54, MEA-60 to MEA-66.

use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;

use plotters::style::RGBColor;

use super::contest;
use super::distribution::{self, Curve, curve_words};
use super::html::{classed, escape, figure};
use super::plot::PALETTE;
use super::raw::{Raw, Shown};
use super::timeline;
use crate::comparison::is_comparison;
use crate::drive::{self, DriveCase, StreamResult, competition_table, medians, series_lines};
use crate::figures::Figures;
use crate::join::StreamTally;
use crate::record::{self, Record};
use crate::result::{Nothing, ResultFile};
use crate::study::{Experiment, Goal, Part, Place, Report, ReportError, Section};
use crate::table::{Row, Table, ms, percent};
use crate::verdict::Verdict;

/// Remote driving, alone or beside others.
#[derive(Debug)]
pub struct Drive;

impl Experiment for Drive {
    type Case = DriveCase;
    type More = Nothing;
    const NAME: &'static str = "drive";

    fn goals(file: &ResultFile<DriveCase>) -> Vec<Goal> {
        if is_comparison(&file.cases) { contest::goals(file) } else { Vec::new() }
    }

    fn report<'a>(file: &'a ResultFile<DriveCase>, folder: &'a Path) -> Report<'a> {
        report_with(file, records_in(file, folder))
    }
}

/// The records that the cases of a result in `folder` name.
pub(super) fn records_in<'a>(file: &'a ResultFile<DriveCase>, folder: &'a Path) -> Raw<'a> {
    // Without its records a case has no plots: the page says so.
    let read =
        |case: &DriveCase| -> Option<Vec<Record>> { record::read(&folder.join(case.records.as_ref()?)).ok() };
    Raw::new(file.cases.len(), move |number| read(&file.cases[number]).unwrap_or_default())
}

/// The report of a drive with records from anywhere.
pub fn report_with<'a>(file: &'a ResultFile<DriveCase>, raw: Raw<'a>) -> Report<'a> {
    let raw = Rc::new(raw);
    match is_comparison(&file.cases) {
        true => contest::report(file, raw),
        false => own_report(file, raw),
    }
}

fn own_report<'a>(file: &'a ResultFile<DriveCase>, raw: Rc<Raw<'a>>) -> Report<'a> {
    let mut sections = vec![Section::new("Overview").told_in(Place::Page).with_table(overview(&file.cases))];
    for network in networks(&file.cases) {
        sections.push(curves_section(network, file, &raw));
        let here = file.cases.iter().enumerate().filter(|(_, case)| case.network == network);
        sections.extend(here.map(|(number, case)| case_section(case, number, &raw)));
    }
    sections
        .extend(medians(&file.cases).map(|table| Section::new("Medians over the runs").with_table(table)));
    Report { sections, ..Report::of("Remote driving", file) }
}

/// Names of the networks in the order they first appear.
fn networks(cases: &[DriveCase]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for case in cases {
        if !names.contains(&case.network.as_str()) {
            names.push(&case.network);
        }
    }
    names
}

/// One row for each case: the worst camera counts.
fn overview(cases: &[DriveCase]) -> Table {
    let header =
        vec!["case", "p99 ms", "worst ms", "≤ 500 ms %", "missed", "of", "wire/payload", "requirement"];
    Table { header, rows: cases.iter().map(overview_row).collect() }
}

fn overview_row(case: &DriveCase) -> Row {
    let cameras: Vec<&StreamResult> = case.streams.iter().filter(|stream| stream.is_camera()).collect();
    let largest = |value: fn(&StreamResult) -> Option<f64>| {
        cameras.iter().filter_map(|camera| value(camera)).reduce(f64::max)
    };
    let least_inside = cameras.iter().filter_map(|camera| camera.figures.inside.ms_500).reduce(f64::min);
    let cells = vec![
        drive::case_title(case),
        ms(largest(|camera| camera.p99_ms())),
        ms(largest(|camera| camera.figures.worst_ms)),
        percent(least_inside),
        cameras.iter().map(|camera| camera.missed()).fold(0, u64::saturating_add).to_string(),
        cameras.iter().map(|camera| camera.ledger.offered).fold(0, u64::saturating_add).to_string(),
        case.wire_ratio().map_or("–".to_owned(), |ratio| format!("{ratio:.3}")),
        case.verdict.as_ref().map_or("not judged", verdict_word).to_owned(),
    ];
    Row { quoted: false, cells }
}

fn verdict_word(verdict: &Verdict) -> &'static str {
    if verdict.pass { "met" } else { "not met" }
}

fn curves_section<'a>(network: &'a str, file: &'a ResultFile<DriveCase>, raw: &Rc<Raw<'a>>) -> Section<'a> {
    let raw = Rc::clone(raw);
    Section::new(format!("Network {network}")).told_in(Place::Page).with_plot(move || {
        let here = file.cases.iter().enumerate().filter(|(_, case)| case.network == network);
        let shown: Vec<Shown> = here.map(|(number, case)| Shown::new(case, raw.of(number))).collect();
        let with_records: Vec<&Shown> = shown.iter().filter(|part| !part.records.is_empty()).collect();
        let mut out = String::new();
        for group in with_records.chunks(PALETTE.len()) {
            let group: Vec<(&DriveCase, Curve)> =
                group.iter().map(|part| (part.case, curve_of(part))).collect();
            out.push_str(&cumulative_figure(network, group)?);
        }
        Ok(out)
    })
}

/// All images of a case together, warm-up left out.
fn curve_of(part: &Shown<'_>) -> Curve {
    let mut curve = Curve { figures: Figures::new(), offered: 0 };
    for camera in part.cameras() {
        curve.figures.merge(&camera.measured.figures);
        curve.offered += camera.measured.ledger.offered;
    }
    curve
}

fn cumulative_figure(network: &str, group: Vec<(&DriveCase, Curve)>) -> Result<String, ReportError> {
    let mut legend = String::from("<ul class=\"legend\">\n");
    for ((case, curve), colour) in group.iter().zip(PALETTE) {
        let text = format!("{}: {}", drive::case_title(case), curve_words(&curve.figures, curve.offered));
        let _ = writeln!(legend, "<li>{}{}</li>", swatch(colour), escape(&text));
    }
    legend.push_str("</ul>\n");
    let curves: Vec<Curve> = group.into_iter().map(|(_, curve)| curve).collect();
    let name = format!("Network {network}: cumulative age of the images of each case");
    let drawing = distribution::cumulative(&name, &curves)?;
    let caption = "Share of the images offered that had arrived at an age, all cameras together, warm-up left \
        out. A curve that stays below 100 % has lost the rest. Dot: p50, ring: p99 of the delivered images.";
    Ok(figure(&drawing, caption) + &legend)
}

fn swatch(RGBColor(red, green, blue): RGBColor) -> String {
    format!("<span class=\"swatch\" style=\"background:rgb({red},{green},{blue})\"></span>")
}

fn case_section<'a>(case: &'a DriveCase, number: usize, raw: &Rc<Raw<'a>>) -> Section<'a> {
    let verdict = case.verdict.as_ref();
    let raw = Rc::clone(raw);
    let section = Section::new(drive::case_title(case))
        .part()
        .with_all(verdict.map(|verdict| Part::Verdict { pass: verdict.pass, text: verdict.text.clone() }))
        .with_table(drive::drive_table(case))
        .with_all(competition_table(case).map(Part::table))
        .with(Part::Remark(drive::summary_line(case)))
        .with_lines(drive::remarks(case).map(str::to_owned))
        .with_plot(move || Ok(on_page(case) + &record_plots(&Shown::new(case, raw.of(number)))?));
    match case.link.is_null() {
        true => section,
        false => section
            .with(Part::Verbatim { fold: "Link statistics".to_owned(), text: format!("{:#}", case.link) }),
    }
}

/// What a terminal has no place for.
fn on_page(case: &DriveCase) -> String {
    let series: String = series_lines(case).iter().map(|line| classed("p", "soft", line)).collect();
    series + &warm_up_words(case)
}

fn warm_up_words(case: &DriveCase) -> String {
    let words: Vec<String> = case
        .warm_up
        .iter()
        .map(|stream| {
            let worst = ms(stream.figures.worst_ms);
            format!(
                "{} worst {worst} ms, missed {} of {}",
                stream.name,
                stream.missed(),
                stream.ledger.offered
            )
        })
        .collect();
    if words.is_empty() {
        return String::new();
    }
    classed("p", "soft", &format!("Warm-up, not in the figures: {}.", words.join("; ")))
}

fn record_plots(part: &Shown<'_>) -> Result<String, ReportError> {
    if part.records.is_empty() {
        return Ok(classed("p", "soft", "No raw records, so no plots."));
    }
    let mut out = String::new();
    if part.disagrees() {
        let text = "The raw records do not give the outcomes in the table: they belong to another run.";
        out.push_str(&format!("<p>{}</p>\n", classed("span", "warning", text)));
    }
    let age = distribution::age_axis(part.cameras().map(|camera| &camera.measured.figures));
    let title = drive::case_title(part.case);
    out.push_str("<div class=\"pair\">\n");
    for (camera, colour) in part.cameras().zip(PALETTE.into_iter().cycle()) {
        out.push_str(&camera_figure(camera, &title, age, colour)?);
    }
    out.push_str("</div>\n");
    let name = format!("{title}: age of each image over time");
    let drawing = timeline::timeline(&name, part.records, age)?;
    let caption = "Age of each image over the run. Rings: warm-up. Crosses at the top: images that were not \
        delivered. Long runs show the youngest and the oldest image of each of 300 spans.";
    out.push_str(&figure(&drawing, caption));
    out.push_str(&camera_legend(part));
    Ok(out)
}

fn camera_figure(
    camera: &StreamTally,
    title: &str,
    age: super::axis::Axis,
    colour: RGBColor,
) -> Result<String, ReportError> {
    let name = format!("{title}: ages of {}", camera.name);
    let figures = &camera.measured.figures;
    let drawing = distribution::histogram(&name, figures, age, colour)?;
    let words = curve_words(figures, camera.measured.ledger.offered);
    Ok(figure(&drawing, &format!("{}: {words}", camera.name)))
}

fn camera_legend(part: &Shown<'_>) -> String {
    let items: String = part
        .cameras()
        .zip(PALETTE.into_iter().cycle())
        .map(|(camera, colour)| format!("<li>{}{}</li>\n", swatch(colour), escape(&camera.name)))
        .collect();
    format!("<ul class=\"legend\">\n{items}</ul>\n")
}
