//! A real run of one case: the two programs, as anybody would start them, over a network of this machine.
//!
//! Runs in the caller's thread at ordinary priority. What bounds its time: the case's own span, then
//! [`DRAIN`] for what is under way, then what the [supervisor](super::supervisor) allows. Invariant: when this returns, with
//! or without an error, no program and no namespace of the run is left.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use tokkyu_contract::MonoTime;

use crate::wire::{End, monotonic_now};

use super::case::{CaseSpec, Pictures};
use super::collect::{self, Ends, Evidence};
use super::competition::Competition;
use super::error::DriveError;
use super::network::{Network, PROGRAM_PRIORITY};
use super::outcome::Outcome;
use super::paths::{CaseFolder, name_of};
use super::peer;
use super::program::{Launch, Program};
use super::setup;
use super::supervisor::Supervisor;
use super::watcher::Watcher;

/// From the start of the programs to the first tick: the handshake takes some round trips, and a program that draws
/// pictures or opens a film needs a moment before.
pub const START_DELAY: Duration = Duration::from_millis(1_500);
/// A camera that missed some ticks may take its last pictures so much later; one that is gone must not hold up the end.
const CATCH_UP: Duration = Duration::from_secs(2);
/// After the last tick: the programs wait 2 s for what is under way, and write their records.
const DRAIN: Duration = Duration::from_secs(10);
/// Lines that wait for the watcher at most: some seconds of both programs.
const LINES: usize = 256;

/// The programs of a run.
#[derive(Clone, Debug)]
pub struct Programs {
    /// The `tokkyu` command.
    pub tokkyu: PathBuf,
    /// Folder where the operator keeps every picture, if any.
    pub save: Option<PathBuf>,
}

/// Runs `spec` with its files in `folder`. `stop` is asked often; when it says true, the run ends early and what was
/// measured is kept.
///
/// # Errors
/// The run could not begin. What goes wrong later are [`Outcome::faults`].
pub fn run(
    spec: &CaseSpec,
    folder: &CaseFolder,
    programs: &Programs,
    watcher: &mut dyn Watcher,
    stop: &dyn Fn() -> bool,
) -> Result<Outcome, DriveError> {
    if let Some(of_others) = &spec.peer {
        return peer::run(spec, of_others, folder, watcher, stop);
    }
    let network = Network::up(&spec.profile, spec.seed)?;
    let _keys = setup::write(folder, network.addresses(), &setup::robot(spec))?;
    let begin = monotonic_now() + START_DELAY;
    let caveat = network.caveat();
    let variant = network.variant();
    let competition = Competition::start(&network, spec, begin)?;
    watcher.on_start(begin, caveat.as_deref());
    let (lines, heard) = sync_channel(LINES);
    let lines = watcher.wants_status().then_some(lines);
    // The operator first: it listens before the vehicle dials.
    let mut started = Vec::new();
    for end in [End::Operator, End::Vehicle] {
        let command = command_for(spec, folder, programs, end, begin, lines.is_some());
        let launch = Launch { lines: lines.clone(), ..Launch::of(end, command, folder.log_of(end)) };
        started.push(Program::start(&network, launch)?);
    }
    drop(lines);
    let mut supervisor = Supervisor::of(started, begin + spec.span() + DRAIN);
    supervisor.run(&heard, watcher, stop);
    let beside = competition.stop();
    let wire = network.down();
    let Supervisor { programs, asked, .. } = supervisor;
    Ok(collect::outcome(&Evidence {
        spec,
        folder,
        variant,
        caveat,
        beside,
        ends: Ends { programs: &programs, asked, wire },
    }))
}

/// The command line of one end: nothing that could not be typed by hand.
fn command_for(
    spec: &CaseSpec,
    folder: &CaseFolder,
    programs: &Programs,
    end: End,
    begin: MonoTime,
    status: bool,
) -> Command {
    let mut command = Command::new(&programs.tokkyu);
    command.arg(name_of(end));
    let mut flag = |name: &str, value: OsString| {
        command.arg(name).arg(value);
    };
    flag("--robot", folder.robot().into());
    flag("--site", folder.site(end).into());
    flag("--records", folder.records_of(end).into());
    flag("--summary", folder.summary_of(end).into());
    flag("--samples", spec.total_samples().to_string().into());
    flag("--start-at", begin.as_nanos().to_string().into());
    flag("--priority", PROGRAM_PRIORITY.to_string().into());
    flag("--status", if status { "json" } else { "none" }.into());
    match (end, &spec.pictures, &programs.save) {
        (End::Vehicle, Pictures::Video { source, .. }, _) => flag("--video", source.into()),
        (End::Operator, _, Some(save)) => flag("--save", save.into()),
        _ => {}
    }
    if end == End::Vehicle {
        flag("--state", folder.state().into());
        flag("--duration", format!("{} ms", (spec.span() + CATCH_UP).as_millis()).into());
    }
    command.arg("--same-clock");
    if end == End::Operator && spec.commands {
        command.args(["--control", "pattern"]);
    }
    command
}
