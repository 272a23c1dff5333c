//! `tokkyu report`: a page from a result file and the raw records it names.

use std::path::{Path, PathBuf};

use clap::Args;
use tokkyu_drive::program::ExitCode;
use tokkyu_lab::{drive, lbe, rtnet};
use tokkyu_measure::lbe::LbeCase;
use tokkyu_measure::report::{render_comparison, render_lbe, render_rtnet};
use tokkyu_measure::rtnet::RtnetCase;
use tokkyu_measure::{DriveCase, Record, Report as Page, ResultFile, is_comparison, record, storage};

use super::lab_drive::drive_tables;
use crate::exit::{Done, Failure};
use crate::output;

/// Make one HTML page from a result file: tables, distributions, and the age of every picture over time.
///
/// A result of `tokkyu lab drive --peers` becomes the comparison: goals, a table and a plot for each network.
///
/// A result of `tokkyu lab rtnet` becomes goals, the answer to the paper's question, and all tables.
///
/// A result of `tokkyu lab lbe` becomes goals, the paper beside what was measured, and a plot for each of its figures.
///
/// The page needs no other file and no network. Plots come from the raw records beside the result; a case whose records
/// are gone has its table alone.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tokkyu report result.json\n  tokkyu report result.json -o drive.html\n  tokkyu report results/drive-2026-lbe\n  tokkyu report results/drive-2026-lbe --markdown > uploads.md"
)]
pub struct Report {
    /// Result file of `tokkyu drive`, `tokkyu lab drive`, `tokkyu lab lbe` or `tokkyu lab rtnet`, or its folder
    result: PathBuf,
    /// Where the page goes; beside the result file if not given
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Make no page: print the tables as Markdown, as they stand in docs/comparison
    #[arg(long, conflicts_with = "output")]
    markdown: bool,
}

impl Report {
    pub fn run(&self) -> Done {
        let result = self.result_file();
        // What an experiment's own cases are is known by its name alone.
        let named = ResultFile::<serde_json::Value>::read(&result).map_err(Failure::usage)?;
        let answer = match named.experiment.as_str() {
            drive::EXPERIMENT => self.of_drive(&result)?,
            lbe::EXPERIMENT => self.of_lbe(&result)?,
            rtnet::EXPERIMENT => self.of_rtnet(&result)?,
            other => return Err(no_page(&result, other)),
        };
        output::print(&answer)?;
        Ok(ExitCode::Ok)
    }

    fn of_drive(&self, result: &Path) -> Result<String, Failure> {
        let file = ResultFile::<DriveCase>::read(result).map_err(Failure::usage)?;
        if self.markdown {
            return Ok(drive_tables(&file, is_comparison(&file.cases), true));
        }
        let folder = result.parent().unwrap_or(Path::new(""));
        let records: Vec<Vec<Record>> = file.cases.iter().map(|case| records_of(case, folder)).collect();
        let page = self.page(result);
        write(&page, &file, &records)?;
        Ok(format!("{}\n", page.display()))
    }

    fn of_lbe(&self, result: &Path) -> Result<String, Failure> {
        let file = ResultFile::<LbeCase>::read(result).map_err(Failure::usage)?;
        if self.markdown {
            return Ok(tokkyu_measure::lbe::markdown(&file.cases));
        }
        let page = self.page(result);
        write_lbe(&page, &file)?;
        Ok(format!("{}\n", page.display()))
    }

    fn of_rtnet(&self, result: &Path) -> Result<String, Failure> {
        let file = ResultFile::<RtnetCase>::read(result).map_err(Failure::usage)?;
        if self.markdown {
            return Ok(tokkyu_measure::rtnet::markdown(&file.cases));
        }
        let page = self.page(result);
        write_rtnet(&page, &file)?;
        Ok(format!("{}\n", page.display()))
    }

    fn page(&self, result: &Path) -> PathBuf {
        self.output.clone().unwrap_or_else(|| result.with_extension("html"))
    }

    fn result_file(&self) -> PathBuf {
        if self.result.is_dir() { self.result.join("result.json") } else { self.result.clone() }
    }
}

fn no_page(result: &Path, experiment: &str) -> Failure {
    Failure::usage(format_args!(
        "{} is of the experiment {experiment:?}; a report is made of {:?}, {:?} and {:?} results alone",
        result.display(),
        drive::EXPERIMENT,
        lbe::EXPERIMENT,
        rtnet::EXPERIMENT
    ))
}

/// Draws the page of an experiment on background traffic and puts it at `path`.
///
/// # Errors
/// A plot cannot be drawn, or the disk refuses.
pub fn write_lbe(path: &Path, file: &ResultFile<LbeCase>) -> Result<(), Failure> {
    let html = render_lbe("Uploads in the background: what a foreground feels", file)?;
    Ok(storage::replace(path, html.as_bytes())?)
}

/// Draws the page of an experiment on the kernel's Ethernet path and puts it at `path`.
///
/// # Errors
/// A plot cannot be drawn, or the disk refuses.
pub fn write_rtnet(path: &Path, file: &ResultFile<RtnetCase>) -> Result<(), Failure> {
    let html = render_rtnet("The kernel's Ethernet path: jitter and round trips beside bulk traffic", file)?;
    Ok(storage::replace(path, html.as_bytes())?)
}

/// Draws the page and puts it at `path`.
///
/// # Errors
/// A plot cannot be drawn, or the disk refuses.
pub fn write(path: &Path, file: &ResultFile<DriveCase>, records: &[Vec<Record>]) -> Result<(), Failure> {
    if is_comparison(&file.cases) {
        return write_comparison(path, file, records);
    }
    let html = Page::of_file("Remote driving", file, records).render()?;
    Ok(storage::replace(path, html.as_bytes())?)
}

/// The same for a comparison, of which cases may be missing still.
///
/// # Errors
/// A plot cannot be drawn, or the disk refuses.
pub fn write_comparison(
    path: &Path,
    file: &ResultFile<DriveCase>,
    records: &[Vec<Record>],
) -> Result<(), Failure> {
    let html = render_comparison("Remote driving: tokkyu beside others", file, records)?;
    Ok(storage::replace(path, html.as_bytes())?)
}

/// The raw records of a case. Without them there is still a table, so their loss is told and no failure.
pub fn records_of(case: &DriveCase, folder: &Path) -> Vec<Record> {
    let Some(path) = &case.records else { return Vec::new() };
    record::read(&folder.join(path)).unwrap_or_else(|error| {
        output::say(&format!("tokkyu: no plots for {}: {error}", case.network));
        Vec::new()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_measure::Environment;

    /// A folder with a result of `experiment` that has no cases, and what a report of it says.
    fn report_of(experiment: &str, name_folder: bool) -> (tempfile::TempDir, Result<(), String>) {
        let dir = tempfile::tempdir().unwrap();
        let result = dir.path().join("result.json");
        let cases: Vec<LbeCase> = Vec::new();
        ResultFile::new(experiment, "c", Environment::default(), cases).write(&result).unwrap();
        let result = if name_folder { dir.path().to_path_buf() } else { result };
        let done = Report { result, output: None, markdown: false }.run();
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
        Report { result, output: None, markdown: true }.run().unwrap();
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
