//! `tokkyu node beside`: topics of an RTOS on the same processors.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_monitor_topics::{DEVICE, Device, Direction};
use tokkyu_node::Node;
use tokkyu_node_beside::{Beside as Topics, BesideError, Count};

use crate::command::words;
use crate::exit::{CODES, Done, Failure};

const EXAMPLES: &str = "\
Examples:
  tokkyu node beside                            (on the robot, beside its roscore, as root: the driver's device)
  rostopic echo /cmd_vel_applied                (what the RTOS publishes)
  rostopic pub -r 20 /cmd_vel geometry_msgs/Twist '{linear: {x: 0.5}}'";

/// Makes the topics of an RTOS on this machine's processors ordinary ROS 1 topics, both ways.
///
/// The RTOS's image says which there are, with their types; nothing is declared here. Messages stay in the memory that both systems have
/// until they are copied for ROS's nodes. Needs tokkyu's monitor below this Linux and its driver (linux/dualos); ROS_MASTER_URI, ROS_IP
/// and ROS_HOSTNAME as every node. The link's bridges carry these topics as any others.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct Beside {
    /// The driver's device
    #[arg(long, value_name = "FILE", default_value = DEVICE)]
    device: PathBuf,
    /// End after this time, such as "10 min"
    #[arg(long, value_name = "SPAN", value_parser = words::span)]
    duration: Option<Duration>,
}

fn open(path: &Path) -> Result<&'static Device, Failure> {
    let remedy =
        "the driver is linux/dualos, and this Linux has to run under tokkyu's monitor, beside an RTOS";
    let device = Device::open(path).map_err(|error| {
        Failure::new(ExitCode::NotPossible, format_args!("{}: {error}; {remedy}", path.display()))
    })?;
    // Until the program ends.
    Ok(Box::leak(Box::new(device)))
}

fn not_possible(error: impl std::fmt::Display) -> Failure {
    Failure::new(ExitCode::NotPossible, error)
}

impl Beside {
    pub fn run(self, stop: &StopFlag) -> Done {
        let device = open(&self.device)?;
        let node = Node::builder("beside").without_signals().build().map_err(not_possible)?;
        let mut topics = Topics::open(&node, device)?;
        topics.counts().iter().for_each(|count| eprintln!("{}", opened(count)));
        let until = self.duration.map(|duration| Instant::now() + duration);
        let is_over =
            |_: &Topics| stop.is_set() || !node.is_ok() || until.is_some_and(|until| until <= Instant::now());
        let carried = thread::scope(|scope| {
            scope.spawn(|| node.spin());
            let carried = topics.run(is_over);
            node.shutdown();
            carried
        });
        topics.counts().iter().for_each(|count| eprintln!("{}", closed(count)));
        carried?;
        Ok(if stop.is_set() { ExitCode::Interrupted } else { ExitCode::Ok })
    }
}

fn opened(count: &Count) -> String {
    match count.direction {
        Direction::FromRtos => format!("{}: from the RTOS", count.topic),
        Direction::FromLinux => format!("{}: to the RTOS", count.topic),
    }
}

fn closed(count: &Count) -> String {
    let Count { topic, carried, lost, refused, .. } = count;
    format!("{topic}: {carried} messages crossed, {lost} were lost, {refused} refused")
}

impl From<BesideError> for Failure {
    fn from(error: BesideError) -> Failure {
        not_possible(error)
    }
}
