//! The page: heading, overview, one part for each network with its cases, the environment.

use std::fmt::Write as _;

use plotters::style::RGBColor;
use serde_json::Value;

use super::distribution::{self, Curve};
use super::error::ReportError;
use super::html::{self, classed, element, escape, figure};
use super::plot::PALETTE;
use super::source::{Report, Shown};
use super::timeline;
use crate::drive::{self, DriveCase, StreamResult, competition_table, series_lines};
use crate::environment::Environment;
use crate::figures::Figures;
use crate::join::StreamTally;
use crate::table::{Row, Table, ms, percent};
use crate::verdict::Verdict;

const STYLE: &str = include_str!("style.css");

pub(super) fn render(report: &Report<'_>, shown: &[Shown<'_>]) -> Result<String, ReportError> {
    let mut body = heading(report.title, report.command, report.environment, report.cases.len());
    body.push_str(&element("h2", "Overview"));
    body.push_str(&overview(shown));
    for network in networks(shown) {
        let of_network: Vec<&Shown> = shown.iter().filter(|part| part.case.network == network).collect();
        body.push_str(&network_part(network, &of_network)?);
    }
    body.push_str(&environment_part(report.command, report.environment));
    Ok(whole(report.title, &body))
}

/// The page around its content.
pub(super) fn whole(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// Title, date, number of cases and the command that ran them.
pub(super) fn heading(title: &str, command: &str, environment: &Environment, cases: usize) -> String {
    let date = environment.date.as_deref().unwrap_or("date unknown");
    element("h1", title) + &classed("p", "soft", &format!("{date}, {cases} cases, {command}"))
}

/// Names of the networks in the order they first appear.
fn networks<'a>(shown: &[Shown<'a>]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for part in shown {
        if !names.contains(&part.case.network.as_str()) {
            names.push(&part.case.network);
        }
    }
    names
}

/// One row for each case: the worst camera counts.
fn overview(shown: &[Shown<'_>]) -> String {
    let header =
        vec!["case", "p99 ms", "worst ms", "≤ 500 ms %", "missed", "of", "wire/payload", "requirement"];
    html::table(&Table { header, rows: shown.iter().map(|part| overview_row(part.case)).collect() })
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
        cameras.iter().map(|camera| camera.missed()).sum::<u64>().to_string(),
        cameras.iter().map(|camera| camera.ledger.offered).sum::<u64>().to_string(),
        case.wire_ratio().map_or("–".to_owned(), |ratio| format!("{ratio:.3}")),
        case.verdict.as_ref().map_or("not judged", |verdict| verdict_word(verdict)).to_owned(),
    ];
    Row { quoted: false, cells }
}

fn verdict_word(verdict: &Verdict) -> &'static str {
    if verdict.pass { "met" } else { "not met" }
}

fn network_part(network: &str, shown: &[&Shown<'_>]) -> Result<String, ReportError> {
    let mut out = element("h2", &format!("Network {network}"));
    let with_records: Vec<&&Shown> = shown.iter().filter(|part| !part.records.is_empty()).collect();
    for group in with_records.chunks(PALETTE.len()) {
        let group: Vec<(&DriveCase, Curve)> = group.iter().map(|part| (part.case, curve_of(part))).collect();
        out.push_str(&cumulative_figure(network, group)?);
    }
    for part in shown {
        out.push_str(&case_part(part)?);
    }
    Ok(out)
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

pub(super) fn curve_words(figures: &Figures, offered: u64) -> String {
    format!(
        "p50 {} ms, p99 {} ms, n = {} delivered of {offered} offered",
        ms(figures.percentile_ms(500)),
        ms(figures.percentile_ms(990)),
        figures.n()
    )
}

fn swatch(RGBColor(red, green, blue): RGBColor) -> String {
    format!("<span class=\"swatch\" style=\"background:rgb({red},{green},{blue})\"></span>")
}

fn case_part(part: &Shown<'_>) -> Result<String, ReportError> {
    let case = part.case;
    let mut out = String::from("<section class=\"case\">\n");
    out.push_str(&element("h3", &drive::case_title(case)));
    if let Some(verdict) = &case.verdict {
        let class = if verdict.pass { "pass" } else { "fail" };
        out.push_str(&format!("<p>{}</p>\n", classed("span", class, &verdict.text)));
    }
    out.push_str(&html::table(&drive::drive_table(case)));
    out.push_str(&classed("p", "soft", &drive::summary_line(case)));
    out.push_str(&competition_part(case));
    out.push_str(&warm_up_words(case));
    for remark in drive::remarks(case) {
        out.push_str(&element("p", remark));
    }
    out.push_str(&record_plots(part)?);
    out.push_str(&link_statistics(&case.link));
    out.push_str("</section>\n");
    Ok(out)
}

/// Empty for a case that was alone on its path.
fn competition_part(case: &DriveCase) -> String {
    let table = competition_table(case).map(|table| html::table(&table)).unwrap_or_default();
    let series = series_lines(case);
    table + &series.iter().map(|line| classed("p", "soft", line)).collect::<String>()
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

fn link_statistics(link: &Value) -> String {
    if link.is_null() {
        return String::new();
    }
    format!(
        "<details><summary>Link statistics</summary>\n<pre>{}</pre>\n</details>\n",
        escape(&format!("{link:#}"))
    )
}

/// Goals with their verdicts; nothing where there are none.
pub(super) fn goals_section(items: &str) -> String {
    match items.is_empty() {
        true => String::new(),
        false => element("h2", "Goals") + &format!("<ul class=\"legend\">\n{items}</ul>\n"),
    }
}

/// Every field of the environment, so that a new one is shown without a change here.
pub(super) fn environment_part(command: &str, environment: &Environment) -> String {
    let mut rows = vec![("command".to_owned(), command.to_owned())];
    let fields = serde_json::to_value(environment).unwrap_or(Value::Null);
    flatten("", &fields, &mut rows);
    element("h2", "Environment") + &html::word_table(&rows)
}

fn flatten(prefix: &str, value: &Value, rows: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                flatten(&path, value, rows);
            }
        }
        Value::Null => rows.push((prefix.to_owned(), "unknown".to_owned())),
        Value::String(text) => rows.push((prefix.to_owned(), text.clone())),
        other => rows.push((prefix.to_owned(), other.to_string())),
    }
}
