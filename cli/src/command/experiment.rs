//! What the lab's experiments share: cases one after the other, each kept as soon as it is there, and what is told at the
//! end.
//!
//! Runs in the command's thread. An experiment that is interrupted keeps what it has.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::drive::{self, Outcome, Results, Watcher};
use tokkyu_measure::Sources;

use crate::exit::Failure;
use crate::machine;
use crate::output::{JsonTo, say};

/// The results so far, and what of them is to be doubted.
pub struct Experiment {
    pub results: Results,
    interrupted: bool,
    doubtful: u32,
}

impl Experiment {
    /// With a result file in `root`, which may hold none yet. Doubts about the machine are told where its time matters.
    pub fn begin(name: &str, root: &Path, in_real_time: bool) -> Result<Experiment, Failure> {
        let environment = machine::environment(machine::wall_now());
        if in_real_time {
            drive::doubts(&environment).iter().for_each(|doubt| say(&format!("note: {doubt}")));
        }
        let results = Results::of(name, free_result(root)?, &machine::command_line(), environment);
        Ok(Experiment { results, interrupted: false, doubtful: 0 })
    }

    /// Runs `count` cases, and writes what is only known at the end, however that came.
    pub fn run(
        &mut self,
        count: usize,
        stop: &StopFlag,
        mut case: impl FnMut(usize) -> Result<Option<Outcome>, Failure>,
    ) -> Result<(), Failure> {
        let run = self.cases(count, stop, &mut case);
        Sources::default().complete(self.results.environment_mut());
        let closed = match self.results.file().cases.is_empty() {
            true => Ok(()),
            false => self.results.write(),
        };
        // What ended the experiment comes first: a full disk is told once.
        run?;
        Ok(closed?)
    }

    fn cases(
        &mut self,
        count: usize,
        stop: &StopFlag,
        case: &mut dyn FnMut(usize) -> Result<Option<Outcome>, Failure>,
    ) -> Result<(), Failure> {
        for number in 0..count {
            if stop.is_set() {
                self.interrupted = true;
                return Ok(());
            }
            match case(number)? {
                Some(outcome) => self.keep(outcome)?,
                None => self.interrupted = true,
            }
        }
        Ok(())
    }

    fn keep(&mut self, outcome: Outcome) -> Result<(), Failure> {
        self.interrupted |= outcome.interrupted;
        self.doubtful += u32::from(!outcome.faults.is_empty());
        outcome.faults.iter().for_each(|fault| say(&format!("INVALID: {fault}")));
        note_grants(&mut self.results, &outcome);
        self.results.add(outcome.case)?;
        written(outcome.unwritten.as_deref())
    }

    /// How the command ends.
    pub fn exit_code(&self) -> ExitCode {
        match (self.interrupted, self.doubtful) {
            (true, _) => ExitCode::Interrupted,
            (false, 0) => ExitCode::Ok,
            (false, _) => ExitCode::Failed,
        }
    }
}

/// What the system refused to the programs, a line each.
pub fn refusals(results: &Results) -> String {
    let environment = &results.file().environment;
    let refused = drive::refusals(environment.sched_fifo, environment.mlockall);
    refused.iter().map(|line| format!("{line}\n")).collect()
}

/// Writes the result where `--json` asks for it, its records named as seen from there. A result without a case says
/// nothing, and nothing is what is then written.
pub fn write_copy(results: &Results, json: &JsonTo) -> Result<(), Failure> {
    if results.file().cases.is_empty() {
        return Ok(());
    }
    let file = json.file().map_or_else(|| results.file().clone(), |path| results.seen_from(path));
    let value = serde_json::to_value(file).map_err(|error| {
        Failure::new(ExitCode::NotWritten, format_args!("the result is no JSON: {error}"))
    })?;
    json.write(&value)
}

/// Flags with their words, in which none may stand twice: the same case twice has the same seed, so it is no second run.
/// `more` is the flag for those.
pub fn refuse_repeated(
    more: &str,
    words: impl IntoIterator<Item = (&'static str, String)>,
) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    match words.into_iter().find(|word| !seen.insert(word.clone())) {
        Some((flag, word)) => Err(Failure::usage(format_args!(
            "{flag}: {word} is given twice; give it once, and {more} for repetitions"
        ))),
        None => Ok(()),
    }
}

/// The result file of a folder that holds no result yet.
pub fn free_result(root: &Path) -> Result<PathBuf, Failure> {
    let result = root.join("result.json");
    match result.exists() {
        true => Err(drive::DriveError::Taken { path: root.to_path_buf() }.into()),
        false => Ok(result),
    }
}

/// Fails where the raw records of a case could not be kept.
pub fn written(unwritten: Option<&str>) -> Result<(), Failure> {
    unwritten.map_or(Ok(()), |why| Err(Failure::new(ExitCode::NotWritten, why)))
}

/// What was refused to the programs of one case was refused to the experiment.
pub fn note_grants(results: &mut Results, outcome: &Outcome) {
    let environment = results.environment_mut();
    let worse = |before: Option<bool>, now: Option<bool>| match (before, now) {
        (Some(before), Some(now)) => Some(before && now),
        (before, now) => before.or(now),
    };
    environment.sched_fifo = worse(environment.sched_fifo, outcome.sched_fifo);
    environment.mlockall = worse(environment.mlockall, outcome.mlockall);
}

/// Nobody watches a case of many; what must be said about its network is said.
pub struct Onlooker;

impl Watcher for Onlooker {
    fn on_start(&mut self, _: tokkyu_contract::MonoTime, caveat: Option<&str>) {
        if let Some(caveat) = caveat {
            say(&format!("note: {caveat}"));
        }
    }
}
