//! `tokkyu lab dualos`: an RTOS and Linux on the same processors.

use clap::Args;
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::dualos::{Found, Kind, Machines, Parts, PartsError, Study};
use tokkyu_lab::study::Share;
use tokkyu_measure::report::Dualos;

use super::options::{Options, refuse_repeated};
use super::run::{Run, Went};
use super::tell::{Teller, Told};
use crate::exit::{CODES, Done, Failure};
use crate::output::say;

/// Starts of the machine for each question.
const RUNS: u32 = 10;

const EXAMPLES: &str = "\
Examples:
  tokkyu lab dualos                                    (it tells how long it will take)
  tokkyu lab dualos --parts spin --runs 20 --json dualos.json --markdown
  tokkyu lab dualos --parts start --runs 6             (counts instructions: what else runs here changes nothing)";

/// Measure what an RTOS and Linux on the same processors do to each other: the experiment of the paper on SafeG for several processors, on
/// an emulated machine with a Debian kernel as Debian has built it.
///
/// spin: how long processors wait for spin locks while a task of the RTOS takes one of them, under each policy by which the RTOS chooses a
/// processor. start: how many instructions it takes from when a task is due to its first function, with and without the look at Linux's
/// locks. capacity: how long Linux's work takes while the RTOS has a share of one processor, with a scheduler that counts with stolen time
/// and without. topic: how many instructions a message takes to a program of Linux's and back, whatever its length. fault: whether a task of
/// the RTOS's is late while Linux calls without end, reboots and panics.
///
/// spin and capacity are in this machine's time, on two processors that are emulated side by side: they want a machine of two processors
/// with nothing else to do, and a round beside which others ran is refused. The others are in instructions.
///
/// Monitor and RTOS come from monitor/build, kernel and programs from monitor/fetch, which ./tokkyu calls, and the kernel of capacity from
/// monitor/build-linux, in 13 minutes, Linux's driver of topics from monitor/build-driver; without them these parts are left out, with a word. QEMU is needed, rights are not.
///
/// Fails (1) if a round's figures may not be believed. A goal that is missed is a result, not a failure.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct LabDualos {
    /// Parts, comma between them: spin, start, capacity, topic, fault
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "spin,start,capacity,topic,fault",
        value_parser = |word: &str| word.parse::<Kind>()
    )]
    parts: Vec<Kind>,
    #[command(flatten)]
    options: Options,
}

impl LabDualos {
    pub fn run(self, stop: &StopFlag) -> Done {
        refuse_repeated(self.parts.iter().map(|part| ("--parts", part.name().to_owned())))?;
        let parts = Parts::find().map_err(failure)?;
        let (kinds, left_out) = possible(&self.parts, &parts);
        left_out.iter().for_each(|words| say(words));
        let share = if kinds.iter().all(|kind| kind.is_counted()) { Share::Virtual } else { Share::Alone };
        let cells = Study { kinds, runs: self.options.runs.unwrap_or(RUNS) }.cells();
        let Some(run) = Run::begin::<Dualos>(&self.options, share, stop)? else {
            return Ok(ExitCode::Interrupted);
        };
        say(&format!("{} machines with Linux {}", cells.len(), parts.release));
        let stage = Machines::new(parts);
        let mut teller = Teller::new(&stage, true, |found: &Found| match &found.cases {
            Ok(_) => Told::Done,
            Err(fault) => Told::Failed(vec![fault.clone()]),
        });
        let found = run.cells(&stage, &cells, &mut teller).map_err(failure)?;
        let mut file = run.file::<Dualos>();
        file.notes = left_out;
        file.faults = found.iter().filter_map(Found::fault).collect();
        file.cases = found.into_iter().filter_map(|found| found.cases.ok()).flatten().collect();
        let went = Went { failed: teller.failed, ..Went::default() };
        run.finish::<Dualos>(file, went, |_| None)
    }
}

/// What can be run here, and a word for what cannot.
fn possible(asked: &[Kind], parts: &Parts) -> (Vec<Kind>, Vec<String>) {
    let word =
        |kind: &Kind| parts.lacks(*kind).map(|remedy| format!("{} is left out: {remedy}", kind.name()));
    let kinds = asked.iter().copied().filter(|kind| parts.lacks(*kind).is_none()).collect();
    (kinds, asked.iter().filter_map(word).collect())
}

fn failure(error: PartsError) -> Failure {
    let code = match error {
        PartsError::Missing { .. } | PartsError::Read { .. } | PartsError::Qemu(_) => ExitCode::NotPossible,
        PartsError::Folder { .. } => ExitCode::NotWritten,
    };
    Failure::new(code, error)
}
