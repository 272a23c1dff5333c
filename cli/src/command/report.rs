//! `tokkyu report`: a page from a result file and the raw records it names.

use std::path::{Path, PathBuf};

use clap::Args;
use tokkyu_drive::program::ExitCode;
use tokkyu_measure::report::{Form, RenderError, render};
use tokkyu_measure::storage;

use crate::exit::{Done, Failure};
use crate::output;

/// Make one HTML page from a result file: tables, distributions, and the age of every picture over time.
///
/// The experiment is known by its name in the file. A result of `tokkyu lab drive --peers` becomes the comparison: goals, a table and a plot
/// for each network.
///
/// The page needs no other file and no network. Plots come from the raw records beside the result; a case whose records
/// are gone has its table alone.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tokkyu report result.json\n  tokkyu report result.json -o drive.html\n  tokkyu report results/drive-2026-lbe\n  tokkyu report results/drive-2026-lbe --markdown > uploads.md\n  tokkyu report --check docs/comparison"
)]
pub struct Report {
    /// Result file of `tokkyu drive` or of an experiment of `tokkyu lab`, or its folder
    #[arg(required_unless_present = "check")]
    result: Option<PathBuf>,
    /// Where the page goes; beside the result file if not given
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Make no page: print the tables as Markdown, as they stand in docs/comparison
    #[arg(long, conflicts_with = "output")]
    markdown: bool,
    /// Make each Markdown page of this folder again from the result file of its name, and compare; exit 1 where one differs
    #[arg(long, value_name = "DIR", conflicts_with_all = ["result", "output", "markdown"])]
    check: Option<PathBuf>,
}

/// Where the hand-written head of a page ends: what follows is made from the result file of the page's name.
const MADE: &str = "<!-- made by tokkyu report --markdown, compared by tokkyu report --check -->\n";

impl Report {
    pub fn run(&self) -> Done {
        if let Some(folder) = &self.check {
            return check(folder);
        }
        let result = self.result_file();
        let answer =
            if self.markdown { rendered(&result, Form::Markdown)? } else { self.make_page(&result)? };
        output::print(&answer)?;
        Ok(ExitCode::Ok)
    }

    /// The page's path, once it is there.
    fn make_page(&self, result: &Path) -> Result<String, Failure> {
        let page = self.output.clone().unwrap_or_else(|| result.with_extension("html"));
        storage::replace(&page, rendered(result, Form::Page)?.as_bytes())?;
        Ok(format!("{}\n", page.display()))
    }

    fn result_file(&self) -> PathBuf {
        let result = self.result.clone().unwrap_or_default();
        if result.is_dir() { result.join("result.json") } else { result }
    }
}

fn rendered(result: &Path, form: Form) -> Result<String, Failure> {
    render(result, form).map_err(|error| match error {
        RenderError::Drawing(error) => error.into(),
        other => Failure::usage(other),
    })
}

/// Makes each page of a folder again from the file beside it, and compares.
fn check(folder: &Path) -> Done {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| Failure::usage(format_args!("{}: {error}", folder.display())))?;
    let mut results: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    results.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    results.sort();
    let (mut compared, mut differing) = (0, 0);
    for result in results {
        let page = result.with_extension("md");
        let Ok(text) = std::fs::read_to_string(&page) else { continue };
        let Some((_, told)) = text.split_once(MADE) else { continue };
        compared += 1;
        match first_difference(told, &rendered(&result, Form::Markdown)?) {
            None => output::print(&format!("as its file: {}\n", page.display()))?,
            Some(words) => {
                differing += 1;
                output::print(&format!("{}: {words}\n", page.display()))?;
            }
        }
    }
    if compared == 0 {
        return Err(Failure::usage(format_args!(
            "{}: no page there has the line {}",
            folder.display(),
            MADE.trim_end()
        )));
    }
    if differing == 0 {
        return Ok(ExitCode::Ok);
    }
    output::say(&format!("exit 1: {differing} of {compared} pages are not what their files make"));
    Ok(ExitCode::Failed)
}

/// The first line in which a page is not what its file makes, counted from the end of its head.
fn first_difference(told: &str, made: &str) -> Option<String> {
    if told == made {
        return None;
    }
    let (mut told, mut made) = (told.lines(), made.lines());
    for number in 1.. {
        match (told.next(), made.next()) {
            (one, other) if one == other && one.is_some() => {}
            (one, other) => {
                let [one, other] = [one, other].map(|line| line.unwrap_or("(its end)"));
                return Some(format!(
                    "line {number} below its head is\n  {one}\nand its file makes\n  {other}"
                ));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_measure::lbe::LbeCase;
    use tokkyu_measure::{Environment, ResultFile};

    /// A folder with a result of `experiment` that has no cases, and what a report of it says.
    fn report_of(experiment: &str, name_folder: bool) -> (tempfile::TempDir, Result<(), String>) {
        let dir = tempfile::tempdir().unwrap();
        let result = dir.path().join("result.json");
        let cases: Vec<LbeCase> = Vec::new();
        ResultFile::new(experiment, "c", Environment::default(), cases).write(&result).unwrap();
        let result = if name_folder { dir.path().to_path_buf() } else { result };
        let done = Report { result: Some(result), output: None, markdown: false, check: None }.run();
        let done = done.map(|_| ()).map_err(|failure| format!("{failure:?}"));
        (dir, done)
    }

    #[test]
    fn each_experiment_with_a_page_gets_its_own_whether_file_or_folder_is_named() {
        for (experiment, title) in [("drive", "Remote driving"), ("lbe", "Uploads in the background")] {
            for name_folder in [false, true] {
                let (dir, done) = report_of(experiment, name_folder);
                done.unwrap();
                let page = std::fs::read_to_string(dir.path().join("result.html")).unwrap();
                assert!(page.contains(&format!("<h1>{title}")), "{experiment}: {page}");
            }
        }
    }

    #[test]
    fn markdown_makes_no_page() {
        let (dir, _) = report_of("lbe", false);
        std::fs::remove_file(dir.path().join("result.html")).unwrap();
        let result = dir.path().join("result.json");
        Report { result: Some(result), output: None, markdown: true, check: None }.run().unwrap();
        assert!(!dir.path().join("result.html").exists());
    }

    #[test]
    fn an_experiment_without_a_page_is_named() {
        let (dir, done) = report_of("wire", false);
        let said = done.unwrap_err();
        assert!(said.contains("wire") && said.contains("lbe"), "{said}");
        assert!(!dir.path().join("result.html").exists());
    }

    fn checked(page: &str) -> Result<ExitCode, String> {
        let dir = tempfile::tempdir().unwrap();
        let cases: Vec<LbeCase> = Vec::new();
        ResultFile::new("lbe", "c", Environment::default(), cases).write(&dir.path().join("a.json")).unwrap();
        let made = rendered(&dir.path().join("a.json"), Form::Markdown).unwrap();
        std::fs::write(dir.path().join("a.md"), page.replace("MADE", &format!("{MADE}{made}"))).unwrap();
        let report = Report { result: None, output: None, markdown: false, check: Some(dir.path().into()) };
        report.run().map_err(|failure| format!("{failure:?}"))
    }

    #[test]
    fn a_page_that_is_not_what_its_file_makes_fails_and_its_head_is_its_own() {
        assert_eq!(checked("# Head\n\nMADE").unwrap(), ExitCode::Ok);
        assert_eq!(checked("# Head\n\nMADEmore\n").unwrap(), ExitCode::Failed);
        assert!(checked("# no mark\n").unwrap_err().contains("no page there"));
    }
}
