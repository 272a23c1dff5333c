//! How every experiment is run, shown and kept: a folder, the lock of the machine, the engine; then result, page, Markdown, JSON and how the
//! command ends.

use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::board::BoardError;
use tokkyu_lab::drive::DriveError;
use tokkyu_lab::study::{Engine, MachineLock, Share, Stage};
use tokkyu_measure::study::Verdict;
use tokkyu_measure::{Environment, Experiment, Goal, ResultFile, Sources, report, storage};

use super::options::Options;
use super::tell::Teller;
use crate::exit::Failure;
use crate::machine;
use crate::output::{self, say};

/// An experiment that is about to run.
pub struct Run<'a> {
    options: &'a Options,
    stop: &'a StopFlag,
    /// Folder of result and records.
    pub root: PathBuf,
    /// The machine as it was before.
    pub environment: Environment,
    _lock: MachineLock,
}

/// How it went, besides the figures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Went {
    /// Somebody ended it.
    pub interrupted: bool,
    /// So many runs failed.
    pub failed: usize,
}

impl<'a> Run<'a> {
    /// Finds a folder that holds no result, unless it is to be continued, and waits until nobody else measures. Nothing: it was interrupted.
    pub fn begin<E: Experiment>(
        options: &'a Options,
        share: Share,
        stop: &'a StopFlag,
    ) -> Result<Option<Run<'a>>, Failure> {
        let now = machine::wall_now();
        let root = options.out.clone().unwrap_or_else(|| machine::fresh_folder(E::NAME, now));
        if !options.resume {
            machine::free_result(&root)?;
        }
        let waiting = || say("another experiment runs on this machine: waiting for its end");
        let lock = MachineLock::take(share, &|| stop.is_set(), waiting);
        let Some(lock) = lock.map_err(|error| Failure::new(ExitCode::NotPossible, error))? else {
            return Ok(None);
        };
        Ok(Some(Run { options, stop, root, environment: machine::environment(now), _lock: lock }))
    }

    /// Runs all cells of a stage.
    pub fn cells<S: Stage>(
        &self,
        stage: &S,
        cells: &[S::Cell],
        teller: &mut Teller<'_, S>,
    ) -> Result<Vec<S::Found>, S::Error> {
        let stop = || self.stop.is_set();
        let at_once = available_parallelism().map_or(1, usize::from);
        let engine = Engine { root: &self.root, resume: self.options.resume, at_once, stop: &stop };
        engine.run(stage, cells, teller)
    }

    /// The machine as it is now.
    pub fn environment_now(&self) -> Environment {
        let mut environment = self.environment.clone();
        Sources::default().complete(&mut environment);
        environment
    }

    /// Where the result goes.
    pub fn result(&self) -> PathBuf {
        self.root.join(machine::RESULT)
    }

    /// Without cases yet.
    pub fn file<E: Experiment>(&self) -> ResultFile<E::Case> {
        ResultFile::new(E::NAME, &machine::command_line(), self.environment.clone(), Vec::new())
    }

    /// Keeps and shows what was found. `seen_from`: the result with its records named as seen from a file there.
    pub fn finish<E: Experiment>(
        &self,
        mut file: ResultFile<E::Case, E::More>,
        went: Went,
        seen_from: impl Fn(&Path) -> Option<ResultFile<E::Case, E::More>>,
    ) -> Result<ExitCode, Failure> {
        let interrupted = went.interrupted || self.stop.is_set();
        Sources::default().complete(&mut file.environment);
        let goals = match file.cases.is_empty() && file.faults.is_empty() {
            // A result without a case says nothing, and nothing is what is then written.
            true => Vec::new(),
            false => self.keep::<E>(&file, seen_from)?,
        };
        Ok(match (interrupted, went.failed) {
            (true, _) => ExitCode::Interrupted,
            (false, failed @ 1..) => {
                say(&format!("exit 1: {failed} of the runs failed, and are in no figure"));
                ExitCode::Failed
            }
            (false, 0) if self.options.gate => gated(&goals),
            (false, 0) => ExitCode::Ok,
        })
    }

    fn keep<E: Experiment>(
        &self,
        file: &ResultFile<E::Case, E::More>,
        seen_from: impl Fn(&Path) -> Option<ResultFile<E::Case, E::More>>,
    ) -> Result<Vec<Goal>, Failure> {
        let Options { markdown, .. } = self.options;
        let json = self.options.json.to();
        let path = self.result();
        std::fs::create_dir_all(&self.root)
            .map_err(|source| Failure::from(DriveError::Folder { path: self.root.clone(), source }))?;
        E::write(file, &path)?;
        let report = E::report(file, &self.root);
        let (text, document) = (report.to_text(), report.to_markdown());
        output::tell(json, if *markdown { &document } else { &text })?;
        let [page, words] = [PAGE, DOCUMENT].map(|name| path.with_file_name(name));
        storage::replace(&page, report::page(&report)?.as_bytes())?;
        storage::replace(&words, format!("# {}\n\n{document}", report.title).as_bytes())?;
        for (what, path) in [("\nresult", &path), ("report", &page), ("      ", &words)] {
            output::tell(json, &format!("{what} {}\n", path.display()))?;
        }
        if let Some(json) = json {
            let elsewhere = json.file().and_then(seen_from);
            let value = E::to_json(elsewhere.as_ref().unwrap_or(file)).map_err(|error| {
                Failure::new(ExitCode::NotWritten, format_args!("the result is no JSON: {error}"))
            })?;
            json.write(&value)?;
        }
        Ok(report.goals)
    }
}

const PAGE: &str = "report.html";
const DOCUMENT: &str = "report.md";

fn gated(goals: &[Goal]) -> ExitCode {
    let missed: Vec<&Goal> = goals.iter().filter(|goal| goal.verdict == Verdict::Missed).collect();
    missed.iter().for_each(|goal| say(&format!("goal missed: {}", goal.wanted)));
    if missed.is_empty() {
        return ExitCode::Ok;
    }
    say(&format!("exit 1: every run went well, and {} of {} goals are missed", missed.len(), goals.len()));
    ExitCode::Failed
}

/// What is missing on this machine is not possible here; the rest failed.
pub fn board_failure(error: BoardError) -> Failure {
    let code = match error {
        BoardError::Missing { .. }
        | BoardError::NoAgent { .. }
        | BoardError::NoLedbat { .. }
        | BoardError::NoProgram { .. } => ExitCode::NotPossible,
        BoardError::Folder { .. } => ExitCode::NotWritten,
        BoardError::Qemu { .. } => ExitCode::Failed,
    };
    Failure::new(code, error)
}
