//! `tokkyu fleet open`: calls a vehicle and drives it.

use std::net::SocketAddr;

use clap::Args;
use tokkyu_drive::program::{StopFlag, display};
use tokkyu_fleet::FleetError;
use tokkyu_fleet::open::{self, OpenOptions};

use crate::command::operator::OperatorFlags;
use crate::exit::{CODES, Done, Failure};

const EXAMPLES: &str = "\
Examples:
  tokkyu fleet open rover-7 --robot robot.yaml --site site.yaml --listen 10.1.2.3:7447
  tokkyu fleet open rover-7 --listen 0.0.0.0:7447 --address 10.1.2.3:7447 --control gamepad";

/// Calls a vehicle of the fleet and runs the operator's program for it.
///
/// Listens as `tokkyu operator` does, asks the vehicle to dial, and waits 15 s for it. Only the key that the vehicle tells is
/// let in, and only if it is in the trust list. Ends with exit code 4 when the vehicle refuses (busy, or it does not trust
/// our link key), 1 when it is not there or does not come.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct Open {
    /// Name of the vehicle, as `tokkyu fleet list` has it
    #[arg(value_name = "ROBOT")]
    vehicle: String,
    /// Address the vehicle reaches this machine at; where it listens if not given
    #[arg(long, value_name = "ADDR:PORT")]
    address: Option<SocketAddr>,
    /// Own name, for others to see who drives; the site's if not given
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    flags: OperatorFlags,
}

impl Open {
    pub fn run(self, stop: &StopFlag) -> Done {
        let operator = self.flags.options()?;
        let mut display =
            display::open(operator.end.status).map_err(|error| Failure::from(FleetError::from(error)))?;
        let name = self.name.unwrap_or_else(|| operator.end.site.name.clone());
        let options = OpenOptions { robot: self.vehicle, name, address: self.address, operator };
        Ok(open::run(options, &mut *display, stop)?.exit_code())
    }
}
