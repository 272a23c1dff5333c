//! A report as a page: heading, goals, sections, who failed and who was skipped, the machine.
//!
//! The same sections with the same cells as text and Markdown, and the plots. Rules: SPEC.md MEA-60 to MEA-62.

use serde_json::Value;

use super::html::{self, classed, element, escape};
use crate::environment::Environment;
use crate::study::{Goal, Part, Report, ReportError, Section, Verdict};

const STYLE: &str = include_str!("style.css");

/// The page, as HTML that is also well-formed XML.
///
/// # Errors
/// [`ReportError`] with the plot that could not be drawn.
pub fn page(report: &Report<'_>) -> Result<String, ReportError> {
    let mut body = heading(report);
    body.push_str(&goals(&report.goals));
    for section in &report.sections {
        body.push_str(&section_as_html(section)?);
    }
    for (title, lines) in report.lists().into_iter().filter(|(title, _)| *title != "goals") {
        body.push_str(&element("h2", &capital(title)));
        body.push_str(&html::list(lines));
    }
    body.push_str(&environment_part(report.command, report.environment));
    Ok(whole(&report.title, &body))
}

fn whole(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// Title, date, number of cases and the command that ran them.
fn heading(report: &Report<'_>) -> String {
    let date = report.environment.date.as_deref().unwrap_or("date unknown");
    let words = format!("{date}, {} cases, {}", report.cases, report.command);
    element("h1", &report.title) + &classed("p", "soft", &words)
}

/// Goals with their verdicts; nothing where there are none.
fn goals(goals: &[Goal]) -> String {
    let item = |goal: &Goal| {
        let class = match goal.verdict {
            Verdict::Met => "pass",
            Verdict::Missed => "fail",
            Verdict::Undecided | Verdict::NotJudged => "open",
        };
        html::judgement(class, goal.verdict.as_str(), &goal.wanted, &goal.figures())
    };
    match goals.iter().map(item).collect::<String>() {
        items if items.is_empty() => items,
        items => element("h2", "Goals") + &format!("<ul class=\"legend\">\n{items}</ul>\n"),
    }
}

fn section_as_html(section: &Section<'_>) -> Result<String, ReportError> {
    let level = if section.is_part { "h3" } else { "h2" };
    let mut out = if section.title.is_empty() { String::new() } else { element(level, &section.title) };
    for part in &section.parts {
        out.push_str(&part_as_html(part)?);
    }
    Ok(if section.is_part { format!("<section class=\"case\">\n{out}</section>\n") } else { out })
}

fn part_as_html(part: &Part<'_>) -> Result<String, ReportError> {
    Ok(match part {
        Part::Table { table, ours, fold } => {
            let rows = html::table_with_ours(table, |row| ours.contains(&row));
            let class = if table.header.len() > MANY_COLUMNS { "dense" } else { "plain" };
            let table = format!("<div class=\"{class}\">{rows}</div>\n");
            fold.as_ref().map_or(table.clone(), |words| folded(words, &table, true))
        }
        Part::Text(text) => element("p", text),
        Part::Remark(text) => classed("p", "soft", text),
        Part::Lines(lines) => html::list(lines.iter().cloned()),
        Part::Verdict { pass, text } => {
            let class = if *pass { "pass" } else { "fail" };
            format!("<p>{}</p>\n", classed("span", class, text))
        }
        Part::Plot(plot) => plot.draw()?,
        Part::Words { fold, rows } => folded(fold, &html::word_table(rows), false),
        Part::Verbatim { fold, text } => folded(fold, &format!("<pre>{}</pre>\n", escape(text)), false),
    })
}

/// A table of more columns is set smaller.
const MANY_COLUMNS: usize = 9;

fn folded(words: &str, content: &str, open: bool) -> String {
    let open = if open { " open=\"open\"" } else { "" };
    format!("<details{open}><summary>{}</summary>\n{content}</details>\n", escape(words))
}

/// Every field of the environment, so that a new one is shown without a change here.
fn environment_part(command: &str, environment: &Environment) -> String {
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

fn capital(title: &str) -> String {
    let mut chars = title.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
