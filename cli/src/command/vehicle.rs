//! `tokkyu vehicle`: cameras out, commands in.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use tokkyu_drive::program::{StopFlag, Video, display};
use tokkyu_drive::vehicle::{self, VehicleOptions};

use super::base;
use super::ends::EndFlags;
use crate::exit::{CODES, Done};

const EXAMPLES: &str = "\
Examples:
  tokkyu vehicle --robot robot.yaml --site site.yaml
  tokkyu vehicle --operator 10.1.2.3:7447 --identity keys/rover-7.key --trust keys/operator.pub
  tokkyu vehicle --site site.yaml --video street --status plain --duration \"1 min\"
  tokkyu check --robot robot.yaml           (which ROS topics vehicle.output publishes)
  ROS_DOMAIN_ID=7 tokkyu vehicle            (a base in another ROS 2 domain)
  ROS_MASTER_URI=http://localhost:11311 tokkyu vehicle      (a base in ROS 1)";

/// The vehicle's program: sends the pictures of every flow that has a source, and lets fresh commands through.
///
/// Dials the operator, again after a lost session. Without fresh commands it brakes (safe stop). With vehicle.output in
/// robot.yaml the gate's output goes to a ROS 2 or ROS 1 topic that the robot's base subscribes to, and nothing enables
/// while nobody does; the base must stop by itself when it hears nothing. Else no motors are attached and the output is shown only:
/// tokkyu_drive::vehicle::run_with takes yours. --duration counts from the first tick, as --samples does. A --records file
/// must not exist yet.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct Vehicle {
    #[command(flatten)]
    end: EndFlags,
    /// Where the operator listens
    #[arg(long, value_name = "ADDR:PORT")]
    operator: Option<SocketAddr>,
    /// Local address to send from, such as that of one of two modems
    #[arg(long, value_name = "ADDR:PORT")]
    bind: Option<SocketAddr>,
    /// Show a film in place of every camera, or `street` for a street scene
    #[arg(long, value_name = "FILE|street", value_parser = |word: &str| word.parse::<Video>())]
    video: Option<Video>,
    /// Go on dialling an operator that refuses us
    #[arg(long)]
    keep_trying: bool,
    /// Keep the driver's emergency stop there over a restart [default: $XDG_STATE_HOME/tokkyu, or ~/.local/state/tokkyu]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
}

impl Vehicle {
    pub fn run(self, stop: &StopFlag) -> Done {
        let options = VehicleOptions {
            end: self.end.options()?,
            operator: self.operator,
            bind: self.bind,
            video: self.video,
            keep_trying: self.keep_trying,
            state: self.state.or_else(vehicle::state_folder),
        };
        // Before the link has a socket (ROS2-43).
        let motors = base::open(&options.end)?;
        let mut display = display::open(options.end.status)?;
        Ok(vehicle::run_with(options, &mut *display, base::boxed(motors.as_ref()), stop)?.exit_code())
    }
}
