//! `tokkyu operator`: cameras in, commands out.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use tokkyu_drive::operator::{self, OperatorOptions, SeatRequest};
use tokkyu_drive::program::{Driver, StopFlag};

use super::ends::EndFlags;
use crate::exit::{CODES, Done, Failure};

const EXAMPLES: &str = "\
Examples:
  tokkyu operator --robot robot.yaml --site site.yaml
  tokkyu operator --listen 0.0.0.0:7447 --identity keys/operator.key --trust keys/trusted --control gamepad
  tokkyu operator --site site.yaml --status plain --control drive.csv --save pictures
  tokkyu operator --site boss.yaml --seat ask";

/// The operator's program: shows what arrives and how old it is, and sends the driver's commands 50 times a second.
///
/// --duration counts from the first session, --samples from the first picture seen of each camera. A --records file must not
/// exist yet. After an emergency stop it does not end before the vehicle tells that it stopped, but for at most a second;
/// if the vehicle does not, it says so and ends with exit code 1.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct Operator {
    #[command(flatten)]
    flags: OperatorFlags,
}

/// Flags of the operator's program, which `tokkyu fleet open` has too.
#[derive(Debug, Args)]
pub struct OperatorFlags {
    #[command(flatten)]
    end: EndFlags,
    /// Where to listen
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Option<SocketAddr>,
    /// Keep every picture that arrives in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// Who drives: keyboard, gamepad, pattern (built in), or a drive file; the keyboard in a view if not given
    #[arg(long, value_name = "WHO", value_parser = |word: &str| word.parse::<Driver>())]
    control: Option<Driver>,
    /// What to do where another end drives: ask for its seat until it is given, or take it (force), as `t` and `F` do in a view
    #[arg(long, value_name = "HOW", value_parser = |word: &str| word.parse::<SeatRequest>())]
    seat: Option<SeatRequest>,
}

impl OperatorFlags {
    /// The options these flags stand for.
    ///
    /// # Errors
    /// Everything that is wrong with the files they name.
    pub fn options(self) -> Result<OperatorOptions, Failure> {
        Ok(OperatorOptions {
            end: self.end.options()?,
            listen: self.listen,
            save: self.save,
            control: self.control,
            seat: self.seat,
        })
    }
}

impl Operator {
    pub fn run(self, stop: &StopFlag) -> Done {
        Ok(operator::run(self.flags.options()?, stop)?.exit_code())
    }
}
