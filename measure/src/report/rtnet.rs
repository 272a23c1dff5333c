//! The page of an experiment on the kernel's Ethernet path: goals, plots, the answer to the paper's question, all tables, the machine.
//!
//! Everything comes from the cases. Rules: SPEC.md MEA-107.

use super::error::ReportError;
use super::html::{self, element};
use super::page::{environment_part, goals_section, heading, whole};
use super::rtnet_plots::drawings;
use crate::result::ResultFile;
use crate::rtnet::{RtnetCase, answers, goals, paper, table};

pub(super) fn render(title: &str, file: &ResultFile<RtnetCase>) -> Result<String, ReportError> {
    let cases = &file.cases;
    let mut body = heading(title, &file.command, &file.environment, cases.len());
    body.push_str(&goals_part(cases));
    body.push_str(&plots_part(cases)?);
    for answer in answers(cases) {
        body.push_str(&element("h2", "The paper's open question"));
        body.push_str(&html::list(answer.to_string().lines().map(str::to_owned)));
        for (config, traced) in &answer.traces {
            body.push_str(&element("h3", &format!("The longest wait for the driver, {config}")));
            body.push_str(&html::list(traced.longest.iter().map(ToString::to_string)));
        }
    }
    for (title, table) in table::titled(cases) {
        let is_plan =
            |row: usize| table.rows[row].cells.first().is_some_and(|name| name.ends_with(", tuned"));
        let rows = html::table_with_ours(&table, is_plan);
        body.push_str(&format!("{}<div class=\"dense\">\n{rows}</div>\n", element("h2", &title)));
    }
    body.push_str(&html::classed("p", "soft", paper::SOURCE));
    body.push_str(&html::list(cases.iter().flat_map(|case| case.notes.clone())));
    body.push_str(&environment_part(&file.command, &file.environment));
    Ok(whole(title, &body))
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
            out.push_str(&element("h2", &wanted.0));
            said.clone_from(&wanted.0);
        }
        out.push_str(&format!("<div class=\"pair held\">\n{}</div>\n", drawings(&wanted.1, &of)?));
    }
    Ok(out)
}

fn goals_part(cases: &[RtnetCase]) -> String {
    let item = |goal: &crate::rtnet::Goal| {
        let class = match goal.met {
            Some(true) => "pass",
            Some(false) => "fail",
            None => "open",
        };
        html::judgement(class, goal.verdict(), &goal.wanted, &goal.figures())
    };
    goals_section(&goals(cases).iter().map(item).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::rtnet::table::tests::case;

    #[test]
    fn the_page_is_well_formed_and_has_what_the_tables_have() {
        // MEA-60, MEA-107
        let cases = vec![case("untuned-other", "send"), case("tuned", "send")];
        let page =
            render("Ethernet <path>", &ResultFile::new("rtnet", "c", Environment::default(), cases)).unwrap();
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        assert!(roxmltree::Document::parse_with_options(&page, options).is_ok(), "{page}");
        for part in [
            "Goals",
            "4.264",
            "where the time goes",
            "met",
            "Ethernet &lt;path&gt;",
            "<svg role",
            "how long an answer takes",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
