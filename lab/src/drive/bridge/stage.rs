//! What running a case of the experiment takes: the link's own programs, or DDS programs with a bridge at each end.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::drive::error::DriveError;
use crate::drive::outcome::Outcome;
use crate::drive::paths::CaseFolder;
use crate::drive::stage::{Onlooker, discard};
use crate::study::{Hashes, Identity, Stage};

use super::plan::Case;
use super::run::{Programs, run};

/// Cases over the wire, one after the other.
#[derive(Debug)]
pub struct Bridges {
    programs: Programs,
    onlooker: Onlooker,
    hashes: Hashes,
}

impl Bridges {
    /// With these programs.
    pub fn new(programs: Programs, onlooker: Onlooker) -> Bridges {
        Bridges { programs, onlooker, hashes: Hashes::default() }
    }
}

impl Stage for Bridges {
    type Cell = Case;
    type Found = Outcome;
    type Error = DriveError;

    fn name(&self, Case { spec, way, .. }: &Case) -> String {
        format!("{}, images {}, {}, run {}", spec.profile.name, spec.images, way.as_str(), spec.run)
    }

    fn folder(&self, case: &Case) -> PathBuf {
        PathBuf::from(case.folder_name())
    }

    fn expected(&self, case: &Case) -> Option<Duration> {
        Some(case.expected())
    }

    fn identity(&self, Case { spec, way }: &Case) -> Result<Identity, DriveError> {
        let hash = |program: &PathBuf| {
            let start = |source| DriveError::Start { program: program.clone(), source };
            self.hashes.of(program).map_err(start)
        };
        let (tokkyu, dds) = (hash(&self.programs.tokkyu)?, hash(&self.programs.dds)?);
        let asked = format!("{spec:?} {way:?}");
        Ok(Identity::of(&[tokkyu.as_bytes(), dds.as_bytes(), asked.as_bytes()]))
    }

    fn discard(&self, _: &Case, folder: &Path) {
        discard(folder);
    }

    fn reread(&self, _: &Case, folder: &Path) -> Option<Outcome> {
        Outcome::reread(folder)
    }

    fn run(
        &self,
        case: &Case,
        folder: &Path,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Outcome>, DriveError> {
        let files = CaseFolder::create(folder)?;
        let outcome = run(case, &files, &self.programs, &mut { self.onlooker }, &|| stop())?;
        outcome.keep(folder);
        Ok(Some(outcome))
    }

    fn is_whole(&self, found: &Outcome) -> bool {
        found.is_whole()
    }

    fn refused(&self, folder: &Path, source: io::Error) -> DriveError {
        DriveError::Folder { path: folder.to_path_buf(), source }
    }
}
