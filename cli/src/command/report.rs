//! `tokkyu report`: a page from a result file and the raw records it names.

use std::path::{Path, PathBuf};

use clap::Args;
use tokkyu_drive::program::ExitCode;
use tokkyu_lab::drive::EXPERIMENT;
use tokkyu_measure::report::render_comparison;
use tokkyu_measure::{DriveCase, Record, Report as Page, ResultFile, is_comparison, record, storage};

use crate::exit::{Done, Failure};
use crate::output;

/// Make one HTML page from a result file: tables, distributions, and the age of every picture over time.
///
/// A result of `tokkyu lab drive --peers` becomes the comparison: goals, a table and a plot for each network.
///
/// The page needs no other file and no network. Plots come from the raw records beside the result; a case whose records
/// are gone has its table alone.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tokkyu report result.json\n  tokkyu report result.json -o drive.html")]
pub struct Report {
    /// Result file of `tokkyu drive` or `tokkyu lab drive`
    result: PathBuf,
    /// Where the page goes; beside the result file if not given
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Report {
    pub fn run(&self) -> Done {
        let file = ResultFile::<DriveCase>::read(&self.result).map_err(Failure::usage)?;
        if file.experiment != EXPERIMENT {
            let what = format!("{} is of the experiment {:?}", self.result.display(), file.experiment);
            return Err(Failure::usage(format_args!(
                "{what}; a report is made of {EXPERIMENT:?} results alone"
            )));
        }
        let page = self.output.clone().unwrap_or_else(|| self.result.with_extension("html"));
        let folder = self.result.parent().unwrap_or(Path::new(""));
        let records: Vec<Vec<Record>> = file.cases.iter().map(|case| records_of(case, folder)).collect();
        write(&page, &file, &records)?;
        output::print(&format!("{}\n", page.display()))?;
        Ok(ExitCode::Ok)
    }
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
