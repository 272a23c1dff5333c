//! A case of the experiment, run: the link's own as the drive runs it, or three programs at each end of the wire.
//!
//! Runs in the caller's thread. What bounds its time: the case's span, the DDS programs' drain, [`LEAVE`] for their records,
//! then what the [supervisor](crate::drive::supervisor) allows. The bridges stay until everybody else has ended. Invariant: when
//! this returns, with or without an error, no program and no namespace of the run is left. Follows LAB-18 to LAB-20.

use std::path::PathBuf;
use std::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_measure::bridge::Way;

use crate::drive::case::CaseSpec;
use crate::drive::collect::Ends;
use crate::drive::error::DriveError;
use crate::drive::network::Network;
use crate::drive::outcome::Outcome;
use crate::drive::paths::CaseFolder;
use crate::drive::program::{Launch, Program};
use crate::drive::real;
use crate::drive::setup;
use crate::drive::supervisor::Supervisor;
use crate::drive::watcher::Watcher;
use crate::wire::{End, monotonic_now};

use super::command::{self, DRAIN, START_DELAY, loads_at};
use super::declaration::robot;
use super::outcome;
use super::plan::Case;

/// PEER-20: the receivers' half second after the drain, and all records on the disk.
const LEAVE: Duration = Duration::from_secs(10);

/// The programs of the experiment.
#[derive(Clone, Debug)]
pub struct Programs {
    /// The `tokkyu` command, with `tokkyu bridge` in it.
    pub tokkyu: PathBuf,
    /// `tokkyu-peer-cyclonedds`.
    pub dds: PathBuf,
}

/// Runs `case` with its files in `folder`. `stop` is asked often; when it says true, the run ends early and what was
/// measured is kept.
///
/// # Errors
/// The run could not begin. What goes wrong later are [`Outcome::faults`].
pub fn run(
    case: &Case,
    folder: &CaseFolder,
    programs: &Programs,
    watcher: &mut dyn Watcher,
    stop: &dyn Fn() -> bool,
) -> Result<Outcome, DriveError> {
    match case.way {
        Way::Link => {
            let own = real::Programs { tokkyu: programs.tokkyu.clone(), save: None };
            real::run(&case.spec, folder, &own, watcher, stop)
        }
        Way::Bridged => bridged(&case.spec, folder, programs, watcher, stop),
    }
}

fn bridged(
    spec: &CaseSpec,
    folder: &CaseFolder,
    programs: &Programs,
    watcher: &mut dyn Watcher,
    stop: &dyn Fn() -> bool,
) -> Result<Outcome, DriveError> {
    let network = Network::wire_alone(&spec.profile, spec.seed)?;
    let _keys = setup::write(folder, network.addresses(), &robot(spec))?;
    let begin = monotonic_now() + START_DELAY;
    watcher.on_start(begin, None);
    let mut started = Vec::new();
    for launch in launches(spec, folder, programs, begin) {
        started.push(Program::start(&network, launch)?);
    }
    let mut supervisor = Supervisor::of(started, begin + spec.span() + DRAIN + LEAVE);
    supervisor.run(&std::sync::mpsc::channel().1, watcher, stop);
    let Supervisor { programs, asked, .. } = supervisor;
    let ends = Ends { programs: &programs, asked, wire: network.down() };
    Ok(outcome::outcome(spec, folder, &ends))
}

/// The operator's first: it listens before the vehicle dials.
fn launches(spec: &CaseSpec, folder: &CaseFolder, programs: &Programs, begin: MonoTime) -> Vec<Launch> {
    let mut launches = Vec::new();
    for end in [End::Operator, End::Vehicle] {
        let bridge = command::bridge(&programs.tokkyu, folder, end);
        launches.push(Launch { stays: true, ..Launch::of(end, bridge, command::bridge_log(folder, end)) });
        for load in loads_at(end) {
            let dds = command::dds(&programs.dds, spec, folder, load, end, begin);
            launches.push(Launch::of(end, dds, load.log(folder, end)));
        }
    }
    launches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::bridge::plan::tests::plan;
    use std::collections::BTreeSet;

    #[test]
    fn each_end_has_a_bridge_that_stays_and_two_programs_with_files_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(dir.path()).unwrap();
        let programs = Programs { tokkyu: "/b/tokkyu".into(), dds: "/p/tokkyu-peer-cyclonedds".into() };
        let spec = plan().cases().remove(0).spec;
        let launches = launches(&spec, &folder, &programs, MonoTime::ZERO);
        assert_eq!(launches[0].end, End::Operator);
        for end in [End::Vehicle, End::Operator] {
            let here: Vec<&Launch> = launches.iter().filter(|launch| launch.end == end).collect();
            assert_eq!(here.iter().map(|launch| launch.stays).collect::<Vec<_>>(), [true, false, false]);
        }
        let logs: BTreeSet<&PathBuf> = launches.iter().map(|launch| &launch.log).collect();
        assert_eq!(logs.len(), 6);
    }
}
