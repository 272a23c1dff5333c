//! A case with a peer's programs in place of ours: the same network, the same seed, the same ticks.
//!
//! Runs in the caller's thread. What bounds its time: the case's span, the peer's drain, [`LEAVE`] for its records, then
//! what the [supervisor](crate::drive::supervisor) allows. Invariant: when this returns, with or without an error, no
//! program and no namespace of the run is left. Follows LAB-11 to LAB-14.

use std::time::Duration;

use tokkyu_link::sim::path::Profile;

use crate::drive::case::CaseSpec;
use crate::drive::collect::Ends;
use crate::drive::error::DriveError;
use crate::drive::network::Network;
use crate::drive::outcome::Outcome;
use crate::drive::paths::CaseFolder;
use crate::drive::program::{Launch, Program};
use crate::drive::supervisor::Supervisor;
use crate::drive::watcher::Watcher;
use crate::wire::{End, Wire, monotonic_now};

use super::command::{DRAIN, command};
use super::known::PeerRun;
use super::{congestion, outcome};

/// PEER-14: discovery of the DDS peers over a lossy network takes some of its announcements.
const START_DELAY: Duration = Duration::from_secs(5);
/// PEER-20: the receiver's half second after that, and both ends' records on the disk.
const LEAVE: Duration = Duration::from_secs(10);

/// About what a case with a peer takes.
pub(in crate::drive) fn expected(spec: &CaseSpec) -> Duration {
    START_DELAY + spec.span() + DRAIN
}

/// Whether peers can be run here at all: asked before anything is begun.
///
/// # Errors
/// There is no wire here, or the profile is out of range.
pub fn check_wire(profile: &Profile) -> Result<(), DriveError> {
    match Wire::new(profile, 0) {
        Ok(_) => Ok(()),
        Err(because) => Err(DriveError::NoPeers { because }),
    }
}

/// Runs `spec` with the programs of `peer`.
///
/// # Errors
/// The run could not begin. What goes wrong later are [`Outcome::faults`].
pub(in crate::drive) fn run(
    spec: &CaseSpec,
    peer: &PeerRun,
    folder: &CaseFolder,
    watcher: &mut dyn Watcher,
    stop: &dyn Fn() -> bool,
) -> Result<Outcome, DriveError> {
    let network = Network::wire_alone(&spec.profile, spec.seed)?;
    let set = congestion::prepare(&network, peer)?;
    let begin = monotonic_now() + START_DELAY;
    watcher.on_start(begin, None);
    let mut started = Vec::new();
    for end in [End::Operator, End::Vehicle] {
        let launch = Launch::of(end, command(spec, peer, folder, end, begin), folder.log_of(end));
        started.push(Program::start(&network, launch)?);
    }
    let mut supervisor = Supervisor::of(started, begin + spec.span() + DRAIN + LEAVE);
    supervisor.run(&std::sync::mpsc::channel().1, watcher, stop);
    let Supervisor { programs, asked, .. } = supervisor;
    let ends = Ends { programs: &programs, asked, wire: network.down() };
    Ok(outcome::outcome(spec, folder, &ends, set))
}
