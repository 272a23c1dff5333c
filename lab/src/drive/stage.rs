//! What running a case of an experiment takes: a simulation, our programs, or those of others.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::case::CaseSpec;
use super::error::DriveError;
use super::outcome::Outcome;
use super::paths::CaseFolder;
use super::real::{self, Programs};
use super::sim::simulate;
use super::watcher::Watcher;
use crate::study::{Hashes, Identity, Stage};

/// Nobody watches a case of many; what must be said about its network is said to whoever waits.
#[derive(Clone, Copy, Debug)]
pub struct Onlooker(pub fn(&str));

impl Watcher for Onlooker {
    fn on_start(&mut self, _: tokkyu_contract::MonoTime, caveat: Option<&str>) {
        caveat.into_iter().for_each(|caveat| (self.0)(&format!("note: {caveat}")));
    }
}

/// Drives over networks, one after the other; simulated ones side by side.
#[derive(Debug)]
pub struct Drives {
    /// Of ours.
    pub programs: Programs,
    /// In virtual time.
    pub simulated: bool,
    /// Told what must be known of a network.
    pub onlooker: Onlooker,
    hashes: Hashes,
}

impl Drives {
    /// With these programs, or in virtual time.
    pub fn new(programs: Programs, simulated: bool, onlooker: Onlooker) -> Drives {
        Drives { programs, simulated, onlooker, hashes: Hashes::default() }
    }
}

impl Stage for Drives {
    type Cell = CaseSpec;
    type Found = Outcome;
    type Error = DriveError;

    fn name(&self, spec: &CaseSpec) -> String {
        let company = match spec.beside.len() {
            0 => String::new(),
            _ => format!(", beside TCP {}", super::algorithm_names(&spec.beside)),
        };
        let who = spec.peer.as_ref().map_or("tokkyu".to_owned(), ToString::to_string);
        format!("{}, {who}, {}{company}, run {}", spec.profile.name, spec.qos(), spec.run)
    }

    fn folder(&self, spec: &CaseSpec) -> PathBuf {
        PathBuf::from(spec.folder_name())
    }

    fn expected(&self, spec: &CaseSpec) -> Option<Duration> {
        (!self.simulated).then(|| spec.expected())
    }

    fn runs_alone(&self, _: &CaseSpec) -> bool {
        !self.simulated
    }

    fn identity(&self, spec: &CaseSpec) -> Result<Identity, DriveError> {
        let program = spec.peer.as_ref().map_or(&self.programs.tokkyu, |peer| &peer.program);
        let start = |source| DriveError::Start { program: program.clone(), source };
        let hash = self.hashes.of(program).map_err(start)?;
        let asked = format!("{spec:?} simulated {}", self.simulated);
        Ok(Identity::of(&[hash.as_bytes(), asked.as_bytes()]))
    }

    fn discard(&self, _: &CaseSpec, folder: &Path) {
        discard(folder);
    }

    fn reread(&self, _: &CaseSpec, folder: &Path) -> Option<Outcome> {
        Outcome::reread(folder)
    }

    fn run(
        &self,
        spec: &CaseSpec,
        folder: &Path,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Outcome>, DriveError> {
        let case = CaseFolder::create(folder)?;
        let outcome = match self.simulated {
            true => simulate(spec, &case, &|| stop()),
            false => Some(real::run(spec, &case, &self.programs, &mut { self.onlooker }, &|| stop())?),
        };
        outcome.iter().for_each(|outcome| outcome.keep(folder));
        Ok(outcome)
    }

    fn is_whole(&self, found: &Outcome) -> bool {
        found.is_whole()
    }

    fn refused(&self, folder: &Path, source: io::Error) -> DriveError {
        DriveError::Folder { path: folder.to_path_buf(), source }
    }
}

/// Takes away a folder that holds a case; any other stays as it is.
pub(super) fn discard(folder: &Path) {
    if CaseFolder::holds_a_run(folder) {
        // What cannot be taken away is told when the case is to be run there.
        let _ = fs::remove_dir_all(folder);
    }
}
