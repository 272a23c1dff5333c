//! `tokkyu lab ttsp`: the field's test suite for kernels.

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::rtos::Machine;
use tokkyu_lab::study::Share;
use tokkyu_lab::ttsp::{IMAGE, Scenario, play_all, play_hosted, read, scenarios};
use tokkyu_measure::ResultFile;
use tokkyu_measure::report::Ttsp;
use tokkyu_measure::ttsp::{Outcome, TtspCase};

use super::options::Options;
use super::run::{Run, Went};
use crate::exit::{CODES, Done, Failure};
use crate::output::say;

const EXAMPLES: &str = "\
Examples:
  tokkyu lab ttsp ttsp                          (a folder with the suite's scenarios, as it comes)
  tokkyu lab ttsp ttsp/semaphore --port hosted --json ttsp.json
  tokkyu lab ttsp ttsp --gate --markdown --out results/ttsp";

/// Run scenarios of the TOPPERS Test Suite Package (TTSP) on the kernel: in a process in virtual time, and on AArch64 in QEMU.
///
/// A scenario is a file: the state in which a system of several processors is, who calls what, and in which state it is then. Each named
/// attribute is compared. What this kernel does not have, as the third generation of its specification has dropped it, is excluded, with
/// the reason. The suite is not part of tokkyu: give the folder with its *.yaml files.
///
/// For QEMU the kernel's image is needed: `./tokkyu` builds it, or `rtos/build --install`. Without it that port is left out, unless it is asked for.
///
/// Fails (1) if a scenario failed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct LabTtsp {
    /// Folder with scenarios; those in folders below it are run too
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Where the kernel runs; both if nothing is said
    #[arg(long, value_enum, value_delimiter = ',')]
    port: Vec<Port>,
    #[command(flatten)]
    options: Options,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Port {
    /// One process, virtual time
    Hosted,
    /// AArch64 processors, QEMU
    Qemu,
}

impl LabTtsp {
    pub fn run(self, stop: &StopFlag) -> Done {
        let found = scenarios(&self.folder).map_err(Failure::usage)?;
        let machine = self.machine()?;
        let Some(running) = Run::begin::<Ttsp>(&self.options, Share::Virtual, stop)? else {
            return Ok(ExitCode::Interrupted);
        };
        let scenarios: Result<Vec<Scenario>, _> = found.iter().map(|path| read(&self.folder, path)).collect();
        let scenarios = scenarios.map_err(Failure::usage)?;
        let mut kept = Kept { file: running.file::<Ttsp>(), went: Went::default(), stop };
        if self.wants(Port::Hosted) {
            // One after the other: it breaks off where it is told to.
            let _ = scenarios.iter().try_for_each(|scenario| kept.keep(play_hosted(scenario)));
        }
        if let Some(machine) = machine.filter(|_| !kept.went.interrupted) {
            let played = play_all(&machine, &scenarios, |case| kept.keep(case));
            played.map_err(|error| Failure::new(ExitCode::NotPossible, error))?;
        }
        running.finish::<Ttsp>(kept.file, kept.went, |_| None)
    }

    fn wants(&self, port: Port) -> bool {
        self.port.is_empty() || self.port.contains(&port)
    }

    /// For QEMU, if that is wanted; where nobody asked for it, it may be missing.
    fn machine(&self) -> Result<Option<Machine>, Failure> {
        if !self.wants(Port::Qemu) {
            return Ok(None);
        }
        match Machine::find(IMAGE) {
            Ok(machine) => Ok(Some(machine)),
            Err(error) if self.port.is_empty() => {
                say(&format!("port qemu is left out: {error}"));
                Ok(None)
            }
            Err(error) => Err(Failure::new(ExitCode::NotPossible, error)),
        }
    }
}

/// What has come out so far.
struct Kept<'a> {
    file: ResultFile<TtspCase>,
    went: Went,
    stop: &'a StopFlag,
}

impl Kept<'_> {
    fn keep(&mut self, case: TtspCase) -> ControlFlow<()> {
        if case.result == Outcome::Failed {
            self.went.failed += 1;
            say(&format!("FAILED: {}, {}: {}", case.scenario, case.port, case.reason));
        }
        self.file.cases.push(case);
        if self.stop.is_set() {
            self.went.interrupted = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
