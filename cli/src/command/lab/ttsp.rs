//! `tokkyu lab ttsp`: the field's test suite for kernels.

use std::path::PathBuf;

use clap::Args;
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::study::Share;
use tokkyu_lab::ttsp::{TtspError, run, scenarios};
use tokkyu_measure::report::Ttsp;
use tokkyu_measure::ttsp::Outcome;

use super::options::Options;
use super::run::{Run, Went};
use crate::exit::{CODES, Done, Failure};
use crate::output::say;

const EXAMPLES: &str = "\
Examples:
  tokkyu lab ttsp ttsp                          (a folder with the suite's scenarios, as it comes)
  tokkyu lab ttsp ttsp/semaphore --json ttsp.json
  tokkyu lab ttsp ttsp --gate --markdown --out results/ttsp";

/// Run scenarios of the TOPPERS Test Suite Package (TTSP) on the kernel, on its port for a process in virtual time.
///
/// A scenario is a file: the state in which a system of several processors is, who calls what, and in which state it is then. Each named
/// attribute is compared. What this kernel does not have, as the third generation of its specification has dropped it, is excluded, with
/// the reason. The suite is not part of tokkyu: give the folder with its *.yaml files.
///
/// Fails (1) if a scenario failed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct LabTtsp {
    /// Folder with scenarios; those in folders below it are run too
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    options: Options,
}

impl LabTtsp {
    pub fn run(self, stop: &StopFlag) -> Done {
        let found = scenarios(&self.folder).map_err(failure)?;
        let Some(running) = Run::begin::<Ttsp>(&self.options, Share::Virtual, stop)? else {
            return Ok(ExitCode::Interrupted);
        };
        let mut file = running.file::<Ttsp>();
        let mut went = Went::default();
        for scenario in &found {
            if stop.is_set() {
                went.interrupted = true;
                break;
            }
            let case = run(&self.folder, scenario).map_err(failure)?;
            if case.result == Outcome::Failed {
                went.failed += 1;
                say(&format!("FAILED: {}: {}", case.scenario, case.reason));
            }
            file.cases.push(case);
        }
        running.finish::<Ttsp>(file, went, |_| None)
    }
}

fn failure(error: TtspError) -> Failure {
    Failure::usage(error)
}
