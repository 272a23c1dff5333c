//! `tokkyu lbe run`: a program in the background.

use std::ffi::OsString;

use clap::Args;
use tokkyu_contract::BitRate;
use tokkyu_drive::program::StopFlag;
use tokkyu_lbe::{Job, RunError, Wanted, start, uplinks};

use super::words::{AnyWay, rate, way};
use crate::exit::{Done, Failure};
use crate::output::say;

const EXAMPLES: &str = "\
Examples:
  sudo tokkyu lbe run -- rclone sync /data remote:rover-7
  sudo tokkyu lbe run --user robot -- rsync -a bags/ depot:bags/
  sudo tokkyu lbe run --dev wwan0 --rate 4Mbit/s -- curl -T log.mcap https://depot/    (no module on this kernel)";

const CODES: &str = "Exit codes: the program's own, 128 and the signal's number if a signal ended it, 127 if there is no such \
program, 126 if it does not start; 2 usage, 3 not permitted or not possible here (the program was not started then).";

/// Run a program that takes only what nobody else wants: of the link, of the processor, of the disk.
///
/// It uploads at full speed when nothing else happens and waits the moment a foreground packet or task is there. The devices of
/// the default routes are set up for it while it runs, unless they are already, and are then what they were before. Without the
/// kernel module a rate is needed (--rate); without either the program still leaves the processor to others, and its packets
/// are marked, but this machine does not hold them back; which of it happens is said.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct Run {
    /// Devices that are to hold it back, comma between them; those of the default routes if not given
    #[arg(long, value_name = "DEV", value_delimiter = ',')]
    dev: Vec<String>,
    /// Rate of the link, where the module is not to be had: somewhat below what it carries at its worst
    #[arg(long, value_name = "RATE", value_parser = rate)]
    rate: Option<BitRate>,
    /// How devices hold it back: auto, module or htb
    #[arg(long, value_name = "WAY", default_value = "auto", value_parser = way)]
    way: AnyWay,
    /// User to run it as, name or number; the caller if not given
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

impl Run {
    pub fn run(self, stop: &StopFlag) -> Done {
        let devices = if self.dev.is_empty() { uplinks() } else { self.dev };
        if devices.is_empty() {
            say("tokkyu: there is no default route, so no device is set up; name one with --dev");
        }
        let mut words = self.program.into_iter();
        let job = Job {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
            user: self.user,
            devices,
            wanted: Wanted { way: self.way, rate: self.rate, ..Wanted::default() },
        };
        let mut tell = |line: &str| say(&format!("tokkyu: {line}"));
        let running = match start(&job, &mut tell) {
            Ok(running) => running,
            Err(error @ RunError::NotFound(_)) => end(127, &error.to_string()),
            Err(error @ RunError::Start { .. }) => end(126, &error.to_string()),
            Err(error) => return Err(error.into()),
        };
        let ended = running
            .wait(&|| stop.is_set(), &mut tell)
            .map_err(|error| Failure::new(tokkyu_drive::program::ExitCode::Failed, error))?;
        ended.notes.iter().for_each(|note| tell(note));
        std::process::exit(ended.code.into());
    }
}

/// A program's code may be any, other than those of the other commands: it is given to the shell from here.
fn end(code: i32, words: &str) -> ! {
    say(&format!("tokkyu: {words}"));
    std::process::exit(code)
}
