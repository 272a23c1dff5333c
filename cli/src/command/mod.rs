//! The command line: one file for each command, its flags beside what it does.

mod base;
mod board;
#[cfg(feature = "bridge")]
mod bridge;
mod bridge_end;
mod check;
mod completions;
mod declaration;
mod drive;
mod ends;
#[cfg(feature = "fleet")]
mod fleet;
mod keys;
mod lab;
mod lbe;
mod man;
mod measure;
mod node;
mod operator;
mod report;
mod systemd;
mod tune;
mod vehicle;
mod words;

use clap::{CommandFactory, Parser, Subcommand};
use tokkyu_drive::program::StopFlag;
use tokkyu_lab::wire::enter_user_namespace_if_needed;

use crate::exit::{CODES, Done};
use crate::output;

/// Version, source revision, and whether that source had changes of its own.
fn version() -> &'static str {
    const PLAIN: &str = env!("CARGO_PKG_VERSION");
    match (env!("TOKKYU_GIT_REVISION"), env!("TOKKYU_GIT_DIRTY")) {
        ("", _) => PLAIN,
        (_, "1") => concat!(env!("CARGO_PKG_VERSION"), " (", env!("TOKKYU_GIT_REVISION"), ", changed)"),
        _ => concat!(env!("CARGO_PKG_VERSION"), " (", env!("TOKKYU_GIT_REVISION"), ")"),
    }
}

const EXAMPLES: &str = "\
Examples:
  tokkyu drive                                  four cameras over a bad network, live, with figures at the end
  tokkyu drive --network lan --cameras 1         the paper's easiest case
  tokkyu lab drive --network lan,wan-loss5 --qos 1,2,3,4,link --runs 3 --json result.json
  tokkyu check --robot robot.yaml --site site.yaml   what a declaration means in each layer
  tokkyu keys new keys/rover-7.key              a key pair for one machine
  tokkyu vehicle --robot robot.yaml --site site.yaml      (on the vehicle)
  tokkyu operator --robot robot.yaml --site site.yaml     (at the operator)
  tokkyu bridge vehicle --robot robot.yaml --site site.yaml   (ROS 2 topics, beside the robot's nodes)
  tokkyu node bridge vehicle --robot robot.yaml --site site.yaml   (ROS 1 topics, beside the robot's roscore)
  tokkyu lbe run -- rclone sync /data remote:   an upload that takes only what is left
  tokkyu tune plan --robot robot.yaml --dev eth0   what the kernel does with frames in a hurry, and what helps
  tokkyu board run examples/rtos-camera         two robot nodes without Linux, seen by rostopic
  tokkyu fleet list --site site.yaml            which vehicles are there, and who drives them";

/// End-to-end priority for robot communication: declare the robot's flows once, and see by measurement that every layer
/// honours them.
#[derive(Debug, Parser)]
#[command(name = "tokkyu", version = version(), after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Drive(Box<drive::Drive>),
    Vehicle(vehicle::Vehicle),
    Operator(operator::Operator),
    #[cfg(feature = "bridge")]
    Bridge(Box<bridge::Bridge>),
    /// Vehicles announced, listed and called on a network with routers
    #[cfg(feature = "fleet")]
    #[command(subcommand)]
    Fleet(Box<fleet::Fleet>),
    /// Background traffic that the foreground never feels: programs, flows, devices
    #[command(subcommand)]
    Lbe(lbe::Lbe),
    /// The kernel's Ethernet path of a device: planned, applied, verified, reverted
    #[command(subcommand)]
    Tune(tune::Tune),
    /// How regularly frames leave, and how soon answers come, between two machines
    #[command(subcommand)]
    Measure(measure::Measure),
    /// Robot nodes: code for messages, memory of declared topics, ROS 1 topics over the link
    #[command(subcommand)]
    Node(node::Node),
    /// Robot nodes on a board without an operating system: built, run, measured
    #[command(subcommand)]
    Board(board::Board),
    /// Experiments: many cases, and what the laboratory itself costs
    #[command(subcommand)]
    Lab(lab::Lab),
    /// Make, show and trust the keys that machines prove themselves with
    #[command(subcommand)]
    Keys(keys::Keys),
    Check(check::Check),
    Completions(completions::Completions),
    Man(man::Man),
    Report(report::Report),
}

impl Arguments {
    /// What must be done while the process has one thread: without root the wire needs a user namespace.
    pub fn prepare(&self) {
        let needs_wire = match &self.command {
            Command::Drive(_) => true,
            Command::Lab(lab) => lab.needs_wire(),
            _ => false,
        };
        if needs_wire && let Err(error) = enter_user_namespace_if_needed() {
            // The command goes on: it has another way, or its own error with its own exit code.
            output::say(&format!("tokkyu: {error}"));
        }
    }

    /// Runs the command.
    pub fn run(self, stop: &StopFlag) -> Done {
        match self.command {
            Command::Drive(drive) => drive.run(stop),
            Command::Board(board) => board.run(stop),
            Command::Vehicle(vehicle) => vehicle.run(stop),
            Command::Operator(operator) => operator.run(stop),
            #[cfg(feature = "bridge")]
            Command::Bridge(bridge) => bridge.run(stop),
            #[cfg(feature = "fleet")]
            Command::Fleet(fleet) => fleet.run(stop),
            Command::Lbe(lbe) => lbe.run(stop),
            Command::Tune(tune) => tune.run(stop),
            Command::Measure(measure) => measure.run(stop),
            Command::Node(node) => node.run(stop),
            Command::Lab(lab) => lab.run(stop),
            Command::Keys(keys) => keys.run(),
            Command::Check(check) => check.run(),
            Command::Completions(completions) => completions.run(Arguments::command()),
            Command::Man(man) => man.run(Arguments::command()),
            Command::Report(report) => report.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_contradicts_itself_nowhere() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples_in_its_help() {
        fn look(command: &clap::Command, path: &str) {
            let path = format!("{path} {}", command.get_name());
            if command.get_name() == "help" {
                return;
            }
            let leaf = command.get_subcommands().next().is_none();
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(!leaf || help.contains("Example"), "{path}");
            command.get_subcommands().for_each(|below| look(below, &path));
        }
        look(&Arguments::command(), "");
    }

    #[test]
    fn the_version_names_the_revision_where_there_is_one() {
        assert!(version().starts_with(env!("CARGO_PKG_VERSION")));
        assert!(version().contains(env!("TOKKYU_GIT_REVISION")));
    }
}
