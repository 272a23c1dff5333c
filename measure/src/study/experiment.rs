//! An experiment as its results know it: what its cases are, what it wants to show, and what is told of it.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::result::{ResultError, ResultFile, write_json};

use super::goal::Goal;
use super::report::Report;

/// What is known of an experiment's results. An experiment is a type without values.
pub trait Experiment {
    /// One line of what was measured.
    type Case: Serialize + DeserializeOwned;
    /// What a result has beside its cases.
    type More: Serialize + DeserializeOwned + Default;
    /// In the result's `experiment`.
    const NAME: &'static str;

    /// What became of what was wanted.
    fn goals(file: &ResultFile<Self::Case, Self::More>) -> Vec<Goal>;

    /// What is told of it. `folder`: of the result, where raw records that it names are.
    fn report<'a>(file: &'a ResultFile<Self::Case, Self::More>, folder: &'a Path) -> Report<'a>;

    /// What follows from the cases and is written beside them; nobody reads it back.
    fn derived(_: &ResultFile<Self::Case, Self::More>) -> Map<String, Value> {
        Map::new()
    }

    /// The result as JSON, with goals.
    ///
    /// # Errors
    /// A case cannot be written as JSON.
    fn to_json(file: &ResultFile<Self::Case, Self::More>) -> serde_json::Result<Value> {
        serde_json::to_value(judged::<Self>(file))
    }

    /// Writes the result whole or not at all; blocks until it is on the disk.
    ///
    /// # Errors
    /// [`ResultError::Storage`] with file and remedy; what was at `path` before is then still there.
    fn write(file: &ResultFile<Self::Case, Self::More>, path: &Path) -> Result<(), ResultError> {
        write_json(&judged::<Self>(file), path)
    }
}

/// A result with what follows from its cases, as it is written: a reader of cases passes over the rest (MEA-44).
#[derive(Debug, Serialize)]
struct Judged<'a, C, M> {
    #[serde(flatten)]
    file: &'a ResultFile<C, M>,
    goals: Vec<Goal>,
    #[serde(flatten)]
    derived: Map<String, Value>,
}

fn judged<E: Experiment + ?Sized>(file: &ResultFile<E::Case, E::More>) -> Judged<'_, E::Case, E::More> {
    Judged { file, goals: E::goals(file), derived: E::derived(file) }
}
