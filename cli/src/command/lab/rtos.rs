//! `tokkyu lab rtos`: the kernel's paths, counted.

use clap::Args;
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::rtos::{IMAGES, Machine, TALKER, figures, image_size};
use tokkyu_lab::study::Share;
use tokkyu_measure::report::Rtos;
use tokkyu_measure::rtos::{ImageSize, Images};

use super::options::Options;
use super::run::{Run, Went};
use crate::exit::{CODES, Done, Failure};

const EXAMPLES: &str = "\
Examples:
  tokkyu lab rtos
  tokkyu lab rtos --gate --json rtos.json";

/// Count the instructions of the RTOS kernel's paths on AArch64 in QEMU, beside those of FMP3 and ASP3, and of messages between nodes on it.
///
/// A path is what a processor runs from a service call to what it leads to: a task's first instruction, or behind the call. QEMU counts
/// instructions, so that every run gives the same figures; they are counted twice, and a difference is an error. `./tokkyu`
/// builds the images; else `rtos/build --install` does.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct LabRtos {
    #[command(flatten)]
    options: Options,
}

impl LabRtos {
    pub fn run(self, stop: &StopFlag) -> Done {
        let missing = |error| Failure::new(ExitCode::NotPossible, error);
        let machines: Vec<Machine> =
            IMAGES.into_iter().map(Machine::find).collect::<Result<_, _>>().map_err(missing)?;
        let images = Images { image: vec![talker()?] };
        let Some(running) = Run::begin::<Rtos>(&self.options, Share::Virtual, stop)? else {
            return Ok(ExitCode::Interrupted);
        };
        let mut file = running.file::<Rtos>();
        for machine in &machines {
            let cases = figures(machine).map_err(|error| Failure::new(ExitCode::NotPossible, error))?;
            file.cases.extend(cases);
        }
        running.finish::<Rtos>(file.with_more(images), Went::default(), |_| None)
    }
}

fn talker() -> Result<ImageSize, Failure> {
    let not_possible = |error: &dyn std::fmt::Display| Failure::new(ExitCode::NotPossible, error);
    let machine = Machine::find(TALKER).map_err(|error| not_possible(&error))?;
    let file = std::fs::read(machine.image()).map_err(|error| not_possible(&error))?;
    image_size(TALKER, &file).map_err(|error| not_possible(&error))
}
