//! `tokkyu report`: a page from a result file and the raw records it names.

mod check;
mod render;

use std::path::{Path, PathBuf};

use clap::Args;
use tokkyu_drive::program::ExitCode;
use tokkyu_measure::report::Form;
use tokkyu_measure::storage;

use self::render::{picture_name, pictures, rendered};
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
    after_help = "Examples:\n  tokkyu report result.json\n  tokkyu report result.json -o drive.html\n  tokkyu report results/drive-2026-lbe\n  tokkyu report results/drive-2026-lbe --markdown > uploads.md\n  tokkyu report result.json --plots pictures\n  tokkyu report --check docs/comparison"
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
    /// Make no page: write each plot into this folder as an SVG file, result-plot-1.svg and so on
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "markdown"])]
    plots: Option<PathBuf>,
    /// Make each Markdown page and each plot of this folder again from the result file of its name, and compare; exit 1 where
    /// one differs
    #[arg(long, value_name = "DIR", conflicts_with_all = ["result", "output", "markdown", "plots"])]
    check: Option<PathBuf>,
}

impl Report {
    pub fn run(&self) -> Done {
        if let Some(folder) = &self.check {
            return check::check(folder);
        }
        let result = self.result_file();
        let answer = match &self.plots {
            Some(folder) => write_plots(&result, folder)?,
            None if self.markdown => rendered(&result, Form::Markdown)?,
            None => self.make_page(&result)?,
        };
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

/// The paths of the pictures, once they are there.
fn write_plots(result: &Path, folder: &Path) -> Result<String, Failure> {
    let drawn = pictures(result)?;
    if drawn.is_empty() {
        let words = "has no plots: the raw records it names are not beside it";
        return Err(Failure::usage(format_args!("{}: {words}", result.display())));
    }
    let mut paths = String::new();
    for (number, picture) in (1..).zip(drawn) {
        let path = folder.join(picture_name(result, number));
        storage::replace(&path, picture.as_bytes())?;
        paths.push_str(&format!("{}\n", path.display()));
    }
    Ok(paths)
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
        let done =
            Report { result: Some(result), output: None, plots: None, markdown: false, check: None }.run();
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
        Report { result: Some(result), output: None, plots: None, markdown: true, check: None }
            .run()
            .unwrap();
        assert!(!dir.path().join("result.html").exists());
    }

    #[test]
    fn an_experiment_without_a_page_is_named() {
        let (dir, done) = report_of("wire", false);
        let said = done.unwrap_err();
        assert!(said.contains("wire") && said.contains("lbe"), "{said}");
        assert!(!dir.path().join("result.html").exists());
    }
}
