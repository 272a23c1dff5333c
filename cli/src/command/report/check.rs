//! `tokkyu report --check`: pages and pictures in a folder, made again from their files and compared.

use std::path::{Path, PathBuf};

use tokkyu_drive::program::ExitCode;
use tokkyu_measure::report::Form;

use super::render::{picture_name, pictures, rendered};
use crate::exit::{Done, Failure};
use crate::output;

/// Where the hand-written head of a page ends: what follows is made from the result file of the page's name.
const MADE: &str = "<!-- made by tokkyu report --markdown, compared by tokkyu report --check -->\n";

/// How many were compared, and how many of those are not what their files make.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    differing: usize,
}

impl Tally {
    fn add(&mut self, path: &Path, difference: Option<String>) -> Result<(), Failure> {
        self.compared += 1;
        let line = match difference {
            None => format!("as its file: {}\n", path.display()),
            Some(words) => {
                self.differing += 1;
                format!("{}: {words}\n", path.display())
            }
        };
        output::print(&line)
    }
}

/// Makes each page and each picture of a folder again from the file beside it, and compares.
pub(super) fn check(folder: &Path) -> Done {
    let mut tally = Tally::default();
    for result in results_in(folder)? {
        check_page(&result, &mut tally)?;
        check_pictures(&result, &mut tally)?;
    }
    let Tally { compared, differing } = tally;
    if compared == 0 {
        let (folder, made) = (folder.display(), MADE.trim_end());
        return Err(Failure::usage(format_args!("{folder}: no page there has the line {made}")));
    }
    if differing == 0 {
        return Ok(ExitCode::Ok);
    }
    output::say(&format!("exit 1: {differing} of {compared} are not what their files make"));
    Ok(ExitCode::Failed)
}

fn results_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| Failure::usage(format_args!("{}: {error}", folder.display())))?;
    let mut results: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    results.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    results.sort();
    Ok(results)
}

fn check_page(result: &Path, tally: &mut Tally) -> Result<(), Failure> {
    let page = result.with_extension("md");
    let Ok(text) = std::fs::read_to_string(&page) else { return Ok(()) };
    let Some((_, told)) = text.split_once(MADE) else { return Ok(()) };
    tally.add(&page, first_difference(told, &rendered(result, Form::Markdown)?))
}

/// A picture of a plot that the result has not, or has no more, is a difference too.
fn check_pictures(result: &Path, tally: &mut Tally) -> Result<(), Failure> {
    let kept = pictures_beside(result);
    if kept.is_empty() {
        return Ok(());
    }
    let made = pictures(result)?;
    for path in kept {
        let named = |number| path.file_name().is_some_and(|name| *name == *picture_name(result, number));
        let picture = (1..).zip(&made).find(|(number, _)| named(*number)).map(|(_, picture)| picture);
        let told = std::fs::read_to_string(&path).unwrap_or_default();
        let difference = match picture {
            None => Some("its file has no such plot, or its raw records are gone".to_owned()),
            Some(picture) => first_difference(&told, picture),
        };
        tally.add(&path, difference)?;
    }
    Ok(())
}

/// Files that are called as a plot of this result.
fn pictures_beside(result: &Path) -> Vec<PathBuf> {
    let stem = format!("{}-plot-", result.file_stem().unwrap_or_default().to_string_lossy());
    let folder = result.parent().unwrap_or(Path::new(""));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&stem) && name.ends_with(".svg")
    };
    let mut kept: Vec<PathBuf> = entries.filter(is_one).collect();
    kept.sort();
    kept
}

/// The first line in which a page or picture is not what its file makes, counted from the end of a page's head.
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

    fn checked(page: &str) -> Result<ExitCode, String> {
        let dir = tempfile::tempdir().unwrap();
        let cases: Vec<LbeCase> = Vec::new();
        ResultFile::new("lbe", "c", Environment::default(), cases).write(&dir.path().join("a.json")).unwrap();
        let made = rendered(&dir.path().join("a.json"), Form::Markdown).unwrap();
        std::fs::write(dir.path().join("a.md"), page.replace("MADE", &format!("{MADE}{made}"))).unwrap();
        let report = super::super::Report {
            result: None,
            output: None,
            plots: None,
            markdown: false,
            check: Some(dir.path().into()),
        };
        report.run().map_err(|failure| format!("{failure:?}"))
    }

    #[test]
    fn a_page_that_is_not_what_its_file_makes_fails_and_its_head_is_its_own() {
        assert_eq!(checked("# Head\n\nMADE").unwrap(), ExitCode::Ok);
        assert_eq!(checked("# Head\n\nMADEmore\n").unwrap(), ExitCode::Failed);
        assert!(checked("# no mark\n").unwrap_err().contains("no page there"));
    }
}
