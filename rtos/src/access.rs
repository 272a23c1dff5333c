//! Tells of each access to what processors share, for tests that let another processor come in between.

use std::sync::OnceLock;

static TOLD: OnceLock<fn()> = OnceLock::new();

/// Has `told` called before each access to a field that several processors change, on whichever thread. The first one stays.
pub fn on_access(told: fn()) {
    let _ = TOLD.set(told);
}

#[inline(always)]
pub(crate) fn access() {
    if let Some(told) = TOLD.get() {
        told();
    }
}
