//! Experiments whose cases are drives: after every case the result file holds all cases so far.

use tokkyu_lab::drive::{DriveError, Outcome, Results, refusals};
use tokkyu_lab::study::Stage;
use tokkyu_measure::result::Nothing;
use tokkyu_measure::{DriveCase, Experiment, Skipped};

use super::run::{Run, Went};
use super::tell::{Teller, Told};
use crate::exit::{Done, Failure};
use crate::machine;
use crate::output::say;

/// Runs all cells and keeps each as soon as it is there.
pub fn drives<E, S>(run: &Run<'_>, stage: &S, cells: &[S::Cell], skipped: Vec<Skipped>) -> Done
where
    E: Experiment<Case = DriveCase, More = Nothing>,
    S: Stage<Found = Outcome, Error = DriveError>,
{
    let mut kept =
        Kept::new(Results::of::<E>(run.result(), &machine::command_line(), run.environment.clone()));
    kept.results.skip(skipped);
    let mut teller = Teller::new(stage, true, |outcome: &Outcome| kept.keep(outcome));
    let ran = run.cells(stage, cells, &mut teller);
    let failed = teller.failed;
    drop(teller);
    let Kept { results, interrupted, unwritten } = kept;
    // What ended the experiment comes first: a full disk is told once. What was measured until then is on the disk.
    ran?;
    unwritten.map_or(Ok(()), Err)?;
    let environment = &results.file().environment;
    refusals(environment.sched_fifo, environment.mlockall).iter().for_each(|line| say(line));
    let seen_from = |path: &std::path::Path| Some(results.seen_from(path));
    run.finish::<E>(results.seen_from(results.path()), Went { interrupted, failed }, seen_from)
}

/// The result so far.
struct Kept {
    results: Results,
    interrupted: bool,
    unwritten: Option<Failure>,
}

impl Kept {
    fn new(results: Results) -> Kept {
        Kept { results, interrupted: false, unwritten: None }
    }

    fn keep(&mut self, outcome: &Outcome) -> Told {
        self.interrupted |= outcome.interrupted;
        self.results.note_grants(outcome);
        let added = self.results.add(outcome.case.clone()).map_err(Failure::from);
        match added.and_then(|()| written(outcome)) {
            Err(failure) => {
                self.unwritten.get_or_insert(failure);
                Told::End
            }
            Ok(()) if outcome.faults.is_empty() => Told::Done,
            Ok(()) => Told::Failed(outcome.faults.clone()),
        }
    }
}

/// Fails where the raw records of a case could not be kept.
fn written(outcome: &Outcome) -> Result<(), Failure> {
    let failed = |why: &String| Failure::new(tokkyu_drive::program::ExitCode::NotWritten, why);
    outcome.unwritten.as_ref().map_or(Ok(()), |why| Err(failed(why)))
}
