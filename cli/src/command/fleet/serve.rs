//! `tokkyu fleet serve`: a vehicle that can be listed and called.

use std::net::SocketAddr;

use clap::Args;

use tokkyu_drive::program::{EndOptions, ExitCode, StopFlag, Video};
use tokkyu_drive::text::printable;
use tokkyu_drive::vehicle::{self, VehicleOptions};
use tokkyu_fleet::serve;

use crate::command::base;
use crate::command::ends::LinkFlags;
use crate::exit::{CODES, Done};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  tokkyu fleet serve --robot robot.yaml --site site.yaml
  tokkyu fleet serve --robot robot.yaml --site site.yaml --video street";

/// Announces a vehicle and drives for whoever calls and is trusted, one at a time.
///
/// Trusted is whose link key is in the trust list, as for `tokkyu vehicle`; the fleet's network decides nothing. A drive goes
/// on without a router. With vehicle.output in robot.yaml the gate's output goes to a ROS 2 topic while a drive is under way;
/// else no motors are attached: tokkyu_fleet::serve::run takes yours. Runs until it is told to stop.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct Serve {
    #[command(flatten)]
    link: LinkFlags,
    /// Local address to send from
    #[arg(long, value_name = "ADDR:PORT")]
    bind: Option<SocketAddr>,
    /// Show a film in place of every camera, or `street` for a street scene
    #[arg(long, value_name = "FILE|street", value_parser = |word: &str| word.parse::<Video>())]
    video: Option<Video>,
    /// Operators run on this machine: stamps need no estimate of the other clock
    #[arg(long)]
    same_clock: bool,
}

/// Longest line of news.
const NEWS_LETTERS: usize = 500;

impl Serve {
    pub fn run(self, stop: &StopFlag) -> Done {
        let end = EndOptions {
            robot: self.link.robot()?,
            site: self.link.site()?,
            link: self.link.overrides(),
            same_clock: self.same_clock,
            ..EndOptions::default()
        };
        let options = VehicleOptions {
            end,
            bind: self.bind,
            video: self.video,
            // A drive that ended by an emergency stop is followed by one that begins so.
            state: vehicle::state_folder(),
            ..VehicleOptions::default()
        };
        // Before Zenoh has sockets (ROS2-43).
        let motors = base::open(&options.end)?;
        // A reader of standard output that has gone does not stop a vehicle.
        let mut tell = |words: &str| drop(output::print(&format!("{}\n", printable(words, NEWS_LETTERS))));
        serve::run(options, || base::boxed(motors.as_ref()), &mut tell, stop)?;
        Ok(ExitCode::Interrupted)
    }
}
