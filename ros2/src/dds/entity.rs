//! A DDS entity that is deleted with its owner.

use cyclors::{dds_delete, dds_entity_t};

use super::error::{DdsError, check};

/// Owns a handle of Cyclone DDS. Handles may be used by any thread.
#[derive(Debug)]
pub(super) struct Entity(dds_entity_t);

impl Entity {
    /// Takes what a `dds_create_*` function gave.
    pub(super) fn created(result: dds_entity_t, what: impl FnOnce() -> String) -> Result<Entity, DdsError> {
        check(result, what).map(Entity)
    }

    pub(super) fn handle(&self) -> dds_entity_t {
        self.0
    }
}

impl Drop for Entity {
    fn drop(&mut self) {
        // SAFETY: takes any handle. An entity deleted with its parent is unknown by then, which is told and harmless.
        unsafe { dds_delete(self.0) };
    }
}
